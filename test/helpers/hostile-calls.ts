/** Calls whose every text is hostile: for tests of whatever shows or writes them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ALICE, BOB } from '../../fixtures/build/basic-call.ts';
import { Capture, EPOCH_US } from '../../fixtures/build/capture.ts';
import { SipScript } from '../../fixtures/build/sip-call.ts';

/** One line each, as a header can carry it. */
const textsOf = (owned: string): readonly string[] => [
  `]]><exec command="touch ${owned}"/>`,
  `[file name=${owned}] [$1] [field0] [authentication username=a]`,
  '\u001b[2J\u001b]0;owned\u0007\u009b31m',
  '\u202egnp.exe\u2066\u200f\u061c',
  'a\u0000b',
  '=cmd|" /C calc"!A0',
  '@SUM(1+1)*cmd',
  'x; participant P->>Q: %% {init: {"theme":"x"}} end ```',
  '| a | <img src=x onerror=alert(1)> [l](javascript:1) `c` **b**',
  '../../../../tmp/owned',
  'row:1',
  '-rf',
  '--',
  '"or" (a or b) ~x *',
];

/** Writes them into a capture in this folder: its path, and the text of each. What runs as a command makes `owned` there. */
export function hostileCapture(folder: string): {
  readonly path: string;
  readonly texts: readonly string[];
  readonly owned: string;
} {
  const owned = join(folder, 'owned');
  const texts = textsOf(owned);
  const scripts = texts.map((text, i) => {
    const party = { ...ALICE, display: text.replace(/["\\]/g, "'") };
    const call = new SipScript({ callId: text, caller: party, callee: BOB, startUs: EPOCH_US + i * 10_000_000 });
    const headers = [
      ['Subject', text],
      ['X-Trunk', text],
    ] as const;
    const invite = call.request('INVITE', 0, { headers });
    call.respond(invite, 100, 10);
    call.respond(invite, 486, 50, { reason: text, headers: [['Warning', `399 x "${text.replaceAll('"', "'")}"`]] });
    call.ack(invite, 486, 60);
    return call;
  });
  const path = join(folder, 'hostile.pcap');
  writeFileSync(path, new Capture().add(scripts.flatMap(({ messages }) => messages)).pcap());
  return { path, texts, owned };
}

/** Everything but line ends that moves a cursor, changes a colour or turns text around. */
export const STEERING =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/;
