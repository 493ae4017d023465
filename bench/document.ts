/**
 * How long the full document of one call takes: two hundred messages, re-negotiated again and again, two streams.
 *
 *   node dist/bench/document.js [RUNS]
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ALICE, answer, BOB, hangUp, sdpBody } from '../fixtures/build/basic-call.ts';
import { answerOf, inviteOf, offerOf, scriptOf } from '../fixtures/build/calls-setup.ts';
import { callCase, talk } from '../fixtures/build/case-kit.ts';
import { finish } from '../src/core/turns.ts';
import { dialogDocumentSteps } from '../src/view/documents.ts';
import { openSession } from '../test/helpers/open-session.ts';

const MESSAGES = 200;
const EVERY_MS = 5000;

function longCall(): Uint8Array {
  const call = scriptOf('long');
  answer(call, inviteOf(call, 'long'), answerOf('long'));
  let atMs = 3000;
  for (; call.messages.length < MESSAGES - 3; atMs += EVERY_MS) {
    const again = call.request('INVITE', atMs, { body: sdpBody(offerOf(`long/${atMs}`)) });
    call.respond(again, 200, atMs + 20, { body: sdpBody(answerOf(`long/${atMs}`)) });
    call.ack(again, 200, atMs + 40);
  }
  hangUp(call, atMs);
  const count = Math.floor(atMs / 20) - 200;
  const streams = [talk(call, ALICE, BOB, { count }), talk(call, BOB, ALICE, { count })];
  return callCase('long', '', { calls: [call], media: streams.map((s) => s.datagrams), dialogs: [] }).bytes;
}

const runs = Number(process.argv[2] ?? 1000);
const folder = mkdtempSync(join(tmpdir(), 'calltap-bench-'));
const path = join(folder, 'long.pcap');
writeFileSync(path, longCall());
const session = openSession(['-I', path]);
await session.read([path], () => undefined);
const [dialog] = session.dialogs.order.fromNewest();
if (dialog === undefined) throw new Error('the bench has one call');
const document = finish(dialogDocumentSteps(session.evidence, dialog));
const times: number[] = [];
const before = process.cpuUsage();
for (let i = 0; i < runs; i++) {
  const start = performance.now();
  JSON.stringify(finish(dialogDocumentSteps(session.evidence, dialog)));
  times.push(performance.now() - start);
}
const { user, system } = process.cpuUsage(before);
times.sort((a, b) => a - b);
const at = (share: number): string => (times[Math.floor(runs * share)] ?? 0).toFixed(3);
process.stdout.write(
  `${document.msg_count} messages, ${document.sdp_timeline.length} offers and answers, ${document.streams.length} streams: ` +
    `median ${at(0.5)} ms, 95 % ${at(0.95)} ms, ${((user + system) / 1000 / runs).toFixed(3)} ms of CPU each\n`,
);
session.close();
rmSync(folder, { recursive: true });
