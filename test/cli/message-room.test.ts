/** The program under a flood: calls keep the texts of their messages, and who knows a Call-ID does not use up its dialog. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Feed } from '../../bench/fill-up-feed.ts';
import { asJson } from '../helpers/json.ts';
import { until } from '../helpers/patience.ts';
import { finished, start } from './run-program.ts';

const TRUNK = 0x0a010101;
const SERVER = 0xc0000202;
const STRANGER = 0xcb007109;
const CALLS = 100;
/** Of the log below, and what goes by: many times as much. */
const LOG = '8M';
const SMALL = 60_000;
const LARGE = 600;
const LARGE_BYTES = 60_000;

function message(startLine: string, call: string, branch: string, cseq: string, toTag: string, body = ''): Buffer {
  return Buffer.from(
    `${startLine}\r\nVia: SIP/2.0/UDP 10.1.1.1;branch=z9hG4bK${branch}\r\nFrom: <sip:a@10.1.1.1>;tag=${body === '' && call.startsWith('call') && !branch.startsWith('o') ? 'own' : 'other'}\r\n` +
      `To: <sip:b@192.0.2.2>${toTag}\r\nCall-ID: ${call}\r\nCSeq: ${cseq}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}

/** One step of a call from the trunk, each with a text that tells it. */
function step(feed: Feed, call: string, n: number): void {
  const request = (method: string, cseq: number, tag: string): void =>
    feed.udp(
      TRUNK,
      5060,
      SERVER,
      5060,
      message(`${method} sip:b@192.0.2.2 SIP/2.0`, call, `${call}${cseq}`, `${cseq} ${method}`, tag),
    );
  const response = (status: string, cseq: string, branch: number): void =>
    feed.udp(SERVER, 5060, TRUNK, 5060, message(`SIP/2.0 ${status}`, call, `${call}${branch}`, cseq, ';tag=b'));
  const steps = [
    (): void => request('INVITE', 1, ''),
    (): void => response('180 Ringing', '1 INVITE', 1),
    (): void => response('200 OK', '1 INVITE', 1),
    (): void => request('ACK', 1, ';tag=b'),
    (): void => request('BYE', 2, ';tag=b'),
    (): void => response('200 OK', '2 BYE', 2),
  ];
  steps[n]?.();
}

const STEPS = ['INVITE', '180 Ringing', '200 OK', 'ACK', 'BYE', '200 OK'];
const BEFORE_FLOOD = 4;

function* traffic(): Generator<Buffer> {
  const feed = new Feed();
  for (let n = 0; n < BEFORE_FLOOD; n++) for (let i = 0; i < CALLS; i++) step(feed, `call${i}`, n);
  for (let i = 0; i < SMALL; i++) {
    const from = i % 2 === 0 ? STRANGER : 0x0b000000 + i;
    const method = i % 4 < 2 ? 'OPTIONS' : 'INVITE';
    const body = i % (SMALL / LARGE) === 0 ? 'x'.repeat(LARGE_BYTES) : '';
    feed.udp(
      from,
      5060,
      SERVER,
      5060,
      message(`${method} sip:b@192.0.2.2 SIP/2.0`, `s${i}`, `s${i}`, `1 ${method}`, '', body),
    );
    // And in the Call-ID of one of the calls.
    if (i % 30 === 0)
      feed.udp(from, 5060, SERVER, 5060, message('OPTIONS sip:b SIP/2.0', 'call0', `o${i}`, `${i} OPTIONS`, ';tag=b'));
    if (feed.isFull) yield feed.take();
  }
  for (let n = BEFORE_FLOOD; n < STEPS.length; n++) for (let i = 0; i < CALLS; i++) step(feed, `call${i}`, n);
  yield feed.take();
}

/** The program, fed with all of it; what asks it, and its end. */
async function flooded(): Promise<{ get: (path: string) => Promise<unknown>; end: () => Promise<unknown> }> {
  const child = start(['-I', '-', '--message-log-bytes', LOG, '--api', '127.0.0.1:0']);
  const run = finished(child);
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString('utf8');
  });
  for (const piece of traffic()) if (!child.stdin.write(piece)) await Promise.race([once(child.stdin, 'drain'), run]);
  child.stdin.end();
  const get = async (path: string): Promise<unknown> => {
    const port = /api listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(errors)?.[1] ?? assert.fail(errors);
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    assert.equal(answer.status, 200, path);
    return answer.json();
  };
  const end = async (): Promise<unknown> => {
    child.kill('SIGTERM');
    return run;
  };
  await until(
    async () => JSON.stringify(await get('/v1/stats')).includes('"source_exhausted":true'),
    () => 'all of it is read',
    200,
  );
  return { get, end };
}

/** First lines of a call's own messages, as its vCon has them. */
function own(vcon: unknown): string[] {
  const lines: string[] = [];
  JSON.stringify(vcon, (key, value: unknown) => {
    if (key === 'text' && typeof value === 'string' && value.includes('From: <sip:a@10.1.1.1>;tag=own'))
      lines.push(value.slice(0, value.indexOf('\r\n')));
    return value;
  });
  return lines;
}

test('calls keep their messages under a flood, and what strangers lose is counted', async () => {
  const { get, end } = await flooded();
  try {
    for (const call of ['call0', 'call1', 'call50', 'call99']) {
      const lines = own(await get(`/v1/dialogs/${call}/vcon`));
      assert.deepEqual(
        lines.map((line) => STEPS.find((text) => line.includes(text))),
        STEPS,
        `${call}: ${lines.join(', ')}`,
      );
    }
    const losses = asJson(asJson(await get('/v1/stats'))['losses']);
    assert.ok(Number(losses['messages_evicted']) > SMALL / 2);
    assert.equal(losses['messages_of_outsiders'], SMALL / 30 + BEFORE_FLOOD - 250);
  } finally {
    await end();
  }
});
