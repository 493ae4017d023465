/**
 * A Prometheus that scrapes two calltaps: one reads the demo captures, one an interface. Every query of every dashboard, and so
 * every record that one asks for, finds series. What it asks of the day before is asked of now: no test waits for a day.
 */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { hep3 } from '../../fixtures/build/hep.ts';
import { start } from '../cli/run-program.ts';
import { repositoryRoot } from '../contract/repository.ts';
import { asJson, asRows } from '../helpers/json.ts';
import { freePort, listen, until } from '../helpers/patience.ts';
import { DASHBOARDS, KIT, queriesOf, RULE_FILES, RULES } from '../helpers/prometheus-kit.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { ALL_FAMILIES, AWAITED } from './awaited-families.ts';

const FILE_HEADER_BYTES = 24;
const FRAME_HEADER_BYTES = 16;
/** The captures are read again and again, so that each counter grows between two scrapes: each time at a later minute, as other calls. */
const ROUNDS = 4;
const ROUND_SEC = 300;
const SIP_PORT = 5999;

type Frame = { readonly sec: number; readonly usec: number; readonly data: Buffer };

function framesOf(name: string): Frame[] {
  const bytes = readFileSync(join(repositoryRoot(), 'fixtures/demo', name));
  const frames: Frame[] = [];
  for (let at = FILE_HEADER_BYTES; at < bytes.length; ) {
    const from = at + FRAME_HEADER_BYTES;
    const end = from + bytes.readUInt32LE(at + 8);
    frames.push({ sec: bytes.readUInt32LE(at), usec: bytes.readUInt32LE(at + 4), data: bytes.subarray(from, end) });
    at = end;
  }
  return frames;
}

const FRAMES = ['demo.pcap', 'attack.pcap'].flatMap(framesOf).sort((a, b) => a.sec - b.sec || a.usec - b.usec);

/** A round as records of a capture file. In the last one nobody answers the OPTIONS of the server: the trunk is down. */
function roundOf(round: number): { readonly bytes: Buffer; readonly frames: number } {
  const records = FRAMES.flatMap(({ sec, usec, data }) => {
    const text = data.toString('latin1');
    if (round === ROUNDS - 1 && text.includes('SIP/2.0 200') && text.includes('options-ping')) return [];
    const head = Buffer.alloc(FRAME_HEADER_BYTES);
    const fields = [sec + round * ROUND_SEC, usec, data.length, data.length];
    for (const [i, n] of fields.entries()) head.writeUInt32LE(n, i * 4);
    return [head, Buffer.from(text.replaceAll('@pbx.example.com\r\n', `@pb${round}.example.com\r\n`), 'latin1')];
  });
  return { bytes: Buffer.concat(records), frames: records.length / 2 };
}

/** Ends with the test. */
function kept<T extends ChildProcess>(t: TestContext, child: T): T {
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  });
  return child;
}

/** Whether an expression asks for one of these families, or for a record of one. */
function asksFor(expression: string, families: readonly string[]): boolean {
  return (
    families.some((name) => expression.includes(name)) ||
    RULES.some(
      ({ kind, name, expression: of }) => kind === 'record' && expression.includes(name) && asksFor(of, families),
    )
  );
}

const TRUNKS = ['203.0.113.0/26=acme', '198.51.100.0/24=phones'].flatMap((trunk) => ['--trunk', trunk]);
const OWN = ['192.0.2.10', '2001:db8:10::a'].flatMap((address) => ['--trunk-local', address]);

test('every query of a dashboard finds something of a running calltap', {
  skip:
    process.getuid?.() !== 0
      ? 'live capture needs root'
      : spawnSync('prometheus', ['--version']).error !== undefined &&
        'prometheus is not installed (package prometheus)',
}, async (t) => {
  const folder = temporaryFolder(t);
  const [hepPort, collectorPort, port] = [await freePort(), await freePort(), await freePort()];
  const api = ['--api', '127.0.0.1:0'];
  const reader = kept(t, start(['-I', '-', ...TRUNKS, ...OWN, '--kill-scanner', '--fraud', ...ALL_FAMILIES, ...api]));
  const live = kept(
    t,
    start([
      ...['-d', 'lo', '--portrange', String(SIP_PORT), '-O', join(folder, 'out.pcapng')],
      ...['-L', `127.0.0.1:${hepPort}`, '-E', '-H', `127.0.0.1:${collectorPort}`],
      ...['--kill-scanner', '--kill-response', '200', '--fraud', ...api],
    ]),
  );
  const targets: string[] = [];
  for (const child of [reader, live])
    targets.push((await listen(child).said(/api listening on http:\/\/(\S+)\n/))[1] ?? '');

  cpSync(KIT, folder, { recursive: true });
  writeFileSync(
    join(folder, 'panels.yml'),
    `global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }
rule_files: [${RULE_FILES.join(', ')}]
scrape_configs:
  - job_name: calltap
    static_configs: [{ targets: [${targets.map((target) => JSON.stringify(target)).join(', ')}] }]
`,
  );
  const prometheus = kept(
    t,
    spawn('prometheus', [
      `--config.file=${join(folder, 'panels.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ]),
  );
  const said = listen(prometheus);

  /** The numbers that an instant query finds: a quantile of nothing is not one. */
  async function query(expression: string): Promise<number[]> {
    const body = new URLSearchParams({ query: expression });
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query`, { method: 'POST', body }).catch(() => null);
    // It is not up yet, or loads its rules.
    if (answer === null || answer.status === 503) return [];
    const found = asJson(await answer.json());
    assert.equal(found['status'], 'success', `${expression}: ${JSON.stringify(found)}`);
    const values = asRows(asJson(found['data'])['result']).map(({ value }) => (Array.isArray(value) ? value[1] : NaN));
    return values.map(Number).filter((value) => !Number.isNaN(value));
  }

  const socket = createSocket('udp4');
  t.after(() => socket.close());
  const scan = Buffer.from(
    `OPTIONS sip:100@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:5998;branch=z9hG4bK1\r\nFrom: <sip:a@x>;tag=1\r\n` +
      'To: <sip:b@x>\r\nCall-ID: scan\r\nCSeq: 1 OPTIONS\r\nUser-Agent: friendly-scanner\r\n\r\n',
  );
  const mirrored = hep3({
    src: { address: '192.0.2.1', port: 5060 },
    dst: { address: '192.0.2.2', port: 5060 },
    tsUs: Date.now() * 1_000,
    payload: scan,
  });
  /** Keeps the interface busy. */
  const knock = (): void => {
    socket.send(scan, SIP_PORT, '127.0.0.1');
    socket.send(mirrored, hepPort, '127.0.0.1');
  };

  reader.stdin.write(readFileSync(join(repositoryRoot(), 'fixtures/demo/demo.pcap')).subarray(0, FILE_HEADER_BYTES));
  let sent = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const { bytes, frames } = roundOf(round);
    reader.stdin.write(bytes);
    sent += frames;
    await until(
      async () => {
        knock();
        return (await query(`service_capture_packets_total{instance="${targets[0]}"}`))[0] === sent;
      },
      () => `Prometheus never saw ${sent} frames: ${said.text()}`,
      250,
    );
  }

  const page = await (await fetch(`http://${targets[0]}/metrics`)).text();
  const missing = AWAITED.filter((name) => !page.includes(`# TYPE ${name} `));
  const queries = DASHBOARDS.flatMap(queriesOf).map((one) => ({
    ...one,
    expression: one.expression.replaceAll(' offset 1d', ''),
  }));
  // An annotation marks a start; nothing starts again here.
  let empty = queries.filter(
    ({ where, expression }) => !asksFor(expression, missing) && !where.endsWith(': Start of calltap'),
  );
  assert.ok(empty.length > 60, `${empty.length}`);
  await until(
    async () => {
      knock();
      const left: typeof empty = [];
      for (const one of empty) if ((await query(one.expression)).length === 0) left.push(one);
      empty = left;
      return empty.length === 0;
    },
    () => `found nothing: ${empty.map(({ where, expression }) => `\n${where}: ${expression}`).join('')}`,
    250,
  );
});
