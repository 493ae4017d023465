/** Hooks as a user gives them: events of the demo capture on the standard input of a command. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { Recorder } from '../helpers/recorder.ts';
import { DEMO, run } from './run-program.ts';

type Event = Record<string, unknown> & { dialog: Record<string, unknown>; stream: Record<string, unknown> };

function events(file: string): Event[] {
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('--on-dialog-exec gets one event a transition', async (t) => {
  const out = join(temporaryFolder(t), 'out');
  const result = await run(['-I', DEMO, '--on-dialog-exec', `sh -c "cat >> '${out}'"`, '--exec-rate-limit', '1000']);
  assert.equal(result.code, 0, result.stderr);
  const of = events(out).filter((e) => e['call_id'] === 'busy@pbx.example.com');
  const steps = of.map((e) => `${String(e['from_state'])}>${String(e['to_state'])}`).sort();
  assert.deepEqual(steps, ['Trying>Failed']);
  const good = events(out).filter((e) => e['call_id'] === 'good-g711@pbx.example.com');
  assert.deepEqual(good.map((e) => String(e['to_state'])).sort(), ['Completed', 'InCall', 'Ringing']);
  for (const e of of) {
    assert.deepEqual(Object.keys(e), ['schema_version', 'event', 'at', 'call_id', 'from_state', 'to_state', 'dialog']);
    assert.equal(e['event'], 'dialog_state');
    assert.equal(e.dialog['call_id'], 'busy@pbx.example.com');
    assert.equal(e.dialog['state'], e['to_state']);
  }
});

test('--on-quality-exec gets one event a crossing, with the stream and its call', async (t) => {
  const out = join(temporaryFolder(t), 'out');
  const result = await run([
    ...['-I', DEMO, '--on-quality-exec', `sh -c "cat >> '${out}'"`],
    ...['--quality-threshold', '4', '--exec-rate-limit', '1000'],
  ]);
  assert.equal(result.code, 0, result.stderr);
  const of = events(out).filter((e) => e['call_id'] === 'packet-loss@pbx.example.com');
  assert.ok(of.length >= 1 && of.length <= 2);
  const [e] = of;
  assert.equal(e?.['event'], 'quality');
  assert.equal(e?.['threshold'], 4);
  assert.ok(Number(e?.['mos']) < 4);
  assert.equal(e?.stream['ssrc'], e?.['ssrc']);
  assert.ok(!events(out).some((x) => x['call_id'] === 'good-g711@pbx.example.com'));
});

test('--on-trunk-exec gets an event when a trunk with a name goes down, and when it is up again', async (t) => {
  const folder = temporaryFolder(t);
  const out = join(folder, 'out');
  const recorder = new Recorder(1_700_000_000 * 1e6);
  const [here, carrier, stranger] = ['192.0.2.1', '203.0.113.1', '198.51.100.1'] as const;
  for (let n = 0; n < 6; n++)
    for (const far of [carrier, stranger]) {
      const head = `Via: SIP/2.0/UDP x;branch=z9hG4bK${n}\r\nFrom: <sip:a@x>;tag=1\r\nTo: <sip:b@x>\r\n`;
      const rest = `${head}Call-ID: ${n}@${far}\r\nCSeq: 1 OPTIONS\r\n\r\n`;
      recorder.send(n * 10, here, far, `OPTIONS sip:x SIP/2.0\r\n${rest}`);
      if (n === 0 || n === 5) recorder.send(n * 10 + 0.02, far, here, `SIP/2.0 200 OK\r\n${rest}`);
    }
  writeFileSync(join(folder, 'case.pcap'), recorder.capture.pcap());
  const names = ['--trunk', `${carrier}=acme`, '--trunk-local', here];
  const command = `sh -c "cat >> '${out}'"`;
  const result = await run(['-I', join(folder, 'case.pcap'), ...names, '--on-trunk-exec', command]);
  assert.equal(result.code, 0, result.stderr);
  const [down, up, ...others] = events(out).sort((a, b) => (String(a['at']) < String(b['at']) ? -1 : 1));
  assert.deepEqual(others, []);
  const of = { schema_version: 1, event: 'trunk', trunk: 'acme', direction: 'out' };
  const { row: before, ...wentDown } = down as Event & { row: Event };
  assert.deepEqual(wentDown, {
    ...of,
    at: '2023-11-14T22:14:00.000000Z',
    from_state: 'up',
    to_state: 'down',
    trouble: 'down',
    is_over: false,
    since: '2023-11-14T22:13:30.000000Z',
    text: 'is down: it answers nothing',
  });
  assert.deepEqual([before['trunk'], before['state']], ['acme', 'down']);
  const { row: after, ...cameUp } = up as Event & { row: Event };
  assert.deepEqual(cameUp, {
    ...of,
    at: '2023-11-14T22:14:10.020000Z',
    from_state: 'down',
    to_state: 'up',
    trouble: 'down',
    is_over: true,
    since: '2023-11-14T22:14:10.020000Z',
    text: 'is up again',
  });
  assert.deepEqual([after['state'], after['outages']], ['up', 1]);
});

test('a limit of one a second drops the rest of a file, and a bad command is one line', async (t) => {
  const out = join(temporaryFolder(t), 'out');
  const limited = await run(['-I', DEMO, '--on-dialog-exec', `sh -c "cat >> '${out}'"`, '--exec-rate-limit', '1']);
  assert.equal(limited.code, 0);
  // A machine that does other things may read the file for more than a second.
  assert.ok(events(out).length <= 1 + Math.ceil(limited.elapsedMs / 1000), `in ${limited.elapsedMs} ms`);
  assert.ok(events(out).length < 20);
  const bad = await run(['-I', DEMO, '--on-dialog-exec', "sh 'x"]);
  assert.deepEqual([bad.code, bad.stdout], [2, '']);
  assert.match(bad.stderr, /^calltap: --on-dialog-exec: a quote is not closed; .*\n$/);
  const missing = await run(['-I', DEMO, '--on-dialog-exec', '/no/such/hook']);
  assert.equal(missing.code, 0);
  assert.match(missing.stderr, /--on-dialog-exec: \/no\/such\/hook: cannot start it/);
});

test('hooks run in every mode', async (t) => {
  const folder = temporaryFolder(t);
  const modes = [
    [],
    ['--json'],
    ['--stats-json'],
    ['--csv'],
    ['--messages'],
    ['--filter', 'state:Failed'],
    ['--filter', 'state:Failed', '-O', join(folder, 'failed.pcapng')],
    ['-O', folder, '--split', 'call'],
    ['--ladder', 'busy@pbx.example.com'],
    ['--call-report', 'busy@pbx.example.com'],
    ['--show', 'findings'],
  ];
  const told: string[] = [];
  for (const [i, mode] of modes.entries()) {
    const out = join(folder, `out-${i}`);
    const hook = ['--on-dialog-exec', `sh -c "cat >> '${out}'"`, '--exec-rate-limit', '1000'];
    const result = await run([DEMO, ...mode, ...hook]);
    assert.equal(result.code, 0, result.stderr);
    const steps = events(out).map((e) => `${String(e['call_id'])} ${String(e['to_state'])} ${String(e['at'])}`);
    told.push(JSON.stringify(steps.sort()));
    assert.equal(told.at(-1), told[0], mode.join(' '));
  }
  assert.match(told[0] ?? '', /busy@pbx.example.com Failed/);
});
