/** The language of the scenes: what a proxy passes on, what a party says again, and lines that nobody can play. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { playMedia } from './media.ts';
import { ANSWERED, captureOf, healthy } from './scene.ts';
import { playSignaling } from './signaling.ts';
import { readTable } from './table.ts';

function messages(table: string): string[] {
  const { calls } = readTable('played', table);
  return calls.flatMap(playSignaling).map(({ bytes }) => new TextDecoder().decode(bytes));
}

const valuesOf = (message: string | undefined, name: string): string[] =>
  (message ?? '').split('\r\n').flatMap((line) => (line.startsWith(`${name}: `) ? [line.slice(name.length + 2)] : []));

test('a proxy puts its Via on top of a request and takes it off the response', () => {
  const sent = messages(`
    0 A>P INVITE sdp
    1 P>C INVITE
    2 C>P 200 sdp
    3 P>A 200
    4 A>P ACK`);
  const vias = sent.map((m) => valuesOf(m, 'Via').map((via) => via.replace(/^SIP\/2.0\/UDP (\S+):5060;.*$/, '$1')));
  const [alice, proxy] = ['192.0.2.10', '203.0.113.5'];
  assert.deepEqual(vias, [[alice], [proxy, alice], [proxy, alice], [alice], [alice]]);
  assert.match(sent[4] ?? '', /^ACK sip:carol@203\.0\.113\.30:5060 SIP/, 'to who answered');
  assert.deepEqual(valuesOf(sent[4], 'To'), valuesOf(sent[3], 'To'));
});

test('a proxy acknowledges a failure and cancels by itself', () => {
  const sent = messages(`
    0 A>P INVITE sdp
    1 P>B INVITE
    2 P>B CANCEL
    3 B>P 200
    4 B>P 487
    5 P>B ACK`);
  const branches = sent.map((m) => /branch=(\w+)/.exec(m)?.[1]);
  assert.deepEqual(
    branches.slice(1),
    Array.from({ length: 5 }, () => branches[1]),
    'one transaction, as the hop has it',
  );
  assert.notEqual(branches[0], branches[1]);
  assert.deepEqual(sent.map((m) => valuesOf(m, 'CSeq')[0]?.split(' ')[1]).slice(3), ['CANCEL', 'INVITE', 'ACK']);
});

test('who says the same again keeps the version of the session', () => {
  const sent = messages(`${ANSWERED}
    5 A>B INVITE sdp
    6 B>A 200 sdp
    7 A>B ACK
    8 A>B INVITE sdp sendonly
    9 B>A 200 sdp recvonly`);
  const [first, again, held] = sent.filter((m) => m.startsWith('INVITE')).map((m) => /^o=.*$/m.exec(m)?.[0]);
  assert.equal(first, again);
  assert.notEqual(first, held);
});

test('the sequence of a sender goes on after a pause, and its timestamps follow the time', () => {
  const [call] = readTable('paused', '1-2 A>B rtp\n4-5 A>B rtp').calls;
  assert.ok(call !== undefined);
  const headers = playMedia(call).map(({ bytes }) => Buffer.from(bytes));
  const [last, next] = [headers[49], headers[50]];
  assert.ok(headers.length === 100 && last !== undefined && next !== undefined);
  assert.equal(next.readUInt16BE(2) - last.readUInt16BE(2), 1);
  assert.equal(next.readUInt32BE(4) - last.readUInt32BE(4), (4000 - 1980) * 8);
});

test('a line that nobody can play is refused', () => {
  const refused: readonly (readonly [string, RegExp])[] = [
    ['soon A>B INVITE', /no time: soon A>B INVITE/],
    ['0 A INVITE', /not a line of a scene: 0 A INVITE/],
    ['0 A>Z INVITE', /nobody on the stage is called Z/],
    ['0 A>B INVITE sdp codecs=mp3', /no such codec: mp3/],
    ['0 B>A 200', /A asked nothing: 0 B>A 200/],
    ['0 A>B BYE again', /nothing to repeat: 0 A>B BYE again/],
    ['0 A>B ACK', /A sent no INVITE/],
    ['0-1 A>B song', /no such media: 0-1 A>B song/],
  ];
  for (const [table, why] of refused) assert.throws(() => captureOf(healthy('refused', '', table)), why);
});
