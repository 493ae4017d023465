/**
 * Two hours of a host that calls out over two carriers and is called from one of them, with one minute in which a carrier refuses
 * all calls. The same capture each time.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hangUp, sdpBody } from '../../fixtures/build/basic-call.ts';
import { Random } from '../../fixtures/build/bytes.ts';
import { Capture, EPOCH_US } from '../../fixtures/build/capture.ts';
import { talk } from '../../fixtures/build/case-kit.ts';
import { CODEC, sdp } from '../../fixtures/build/sdp.ts';
import type { Party } from '../../fixtures/build/sip-call.ts';
import { SipScript } from '../../fixtures/build/sip-call.ts';

const MINUTES = 120;
/** In which acme refuses all, and how many. */
const FAILING_MINUTE = 97;
const REFUSED = 11;
const MINUTE_US = 60e6;
/** Each call of so many is heard. */
const HEARD_EVERY = 12;

/** Options that give the carriers their names. */
export const BUSY_TRUNKS = [
  '--trunk',
  '203.0.113.10=acme',
  '--trunk',
  '203.0.113.20=bravo',
  '--trunk-local',
  '192.0.2.0/24',
];

function party(user: string, address: string, rtpPort = 20_000): Party {
  return { user, sip: { address, port: 5060 }, rtp: { address, port: rtpPort } };
}

export type BusyHours = {
  readonly path: string;
  /** The first moment of the minute in which all calls over acme failed, and the Call-IDs of those. */
  readonly failingAt: string;
  readonly failing: readonly string[];
};

/** Writes the capture into this folder; `name` is what the callers of the failing minute are called. */
export function busyHours(folder: string, name = '2001'): BusyHours {
  const random = new Random(58);
  const capture = new Capture();
  const failing: string[] = [];
  let n = 0;
  const call = (
    minute: number,
    carrier: string,
    isIn: boolean,
    outcome: number,
    caller = `2${random.below(20) + 100}`,
  ): void => {
    const [own, far] = [party(caller, '192.0.2.10', 20_000 + 4 * n), party(`+4420${n}`, carrier, 40_000 + 4 * n)];
    const [from, to] = isIn ? [far, own] : [own, far];
    const startUs = EPOCH_US + minute * MINUTE_US + random.below(38_000) * 1_000;
    const script = new SipScript({ callId: `busy-${n++}@example.com`, caller: from, callee: to, startUs });
    const offer = ({ rtp }: Party) => ({ body: sdpBody(sdp({ media: rtp, codecs: [CODEC.PCMU] })) });
    const invite = script.request('INVITE', 0, offer(from));
    script.respond(invite, 100, 10);
    const rings = 100 + random.below(2_000);
    if (outcome === 200) {
      script.respond(invite, 180, rings);
      script.respond(invite, 200, rings + 1_500, offer(to));
      script.ack(invite, 200, rings + 1_520);
      hangUp(script, rings + 5_000 + random.below(9_000));
      if (n % HEARD_EVERY === 0) {
        const lost = new Set(Array.from({ length: 40 }, (_, i) => i * 3 + 2));
        const net = carrier.endsWith('20') && minute > 60 ? { impairment: { lost } } : {};
        capture.add(talk(script, from, to, { fromMs: rings + 1_560, ...net }).datagrams);
        capture.add(talk(script, to, from, { fromMs: rings + 1_560 }).datagrams);
      }
    } else {
      script.respond(invite, outcome, rings);
      script.ack(invite, outcome, rings + 10);
    }
    if (minute === FAILING_MINUTE && outcome === 503) failing.push(`busy-${n - 1}@example.com`);
    capture.add(script.messages);
  };
  for (let minute = 0; minute < MINUTES; minute++) {
    const calls = 2 + random.below(4) + Math.floor(minute / 40);
    const isFailing = minute === FAILING_MINUTE;
    for (let i = 0; i < calls; i++) {
      const carrier = random.below(3) === 0 ? '203.0.113.20' : '203.0.113.10';
      if (isFailing && carrier.endsWith('10')) continue;
      call(minute, carrier, carrier.endsWith('20') && random.below(2) === 0, random.below(6) === 0 ? 486 : 200);
    }
    if (isFailing) for (let i = 0; i < REFUSED; i++) call(minute, '203.0.113.10', false, 503, name);
  }
  const path = join(folder, 'busy.pcap');
  writeFileSync(path, capture.pcap());
  return { path, failingAt: new Date((EPOCH_US + FAILING_MINUTE * MINUTE_US) / 1000).toISOString(), failing };
}
