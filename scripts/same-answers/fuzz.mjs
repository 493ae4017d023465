// Makes calls from a seed: ordinary ones with media, and a stream of messages of which some are cut, changed, sent twice, late or
// missing. A seed makes the same frames each time.
import { Random } from '../../dist/fixtures/build/bytes.js';
import { Capture, EPOCH_US } from '../../dist/fixtures/build/capture.js';
import { SipScript } from '../../dist/fixtures/build/sip-call.js';
import { variedCalls } from '../../dist/test/helpers/varied-calls.js';

const CALLS = 40;
const METHODS = ['INVITE', 'REGISTER', 'OPTIONS', 'SUBSCRIBE', 'MESSAGE', 'PUBLISH', 'INFO', 'NOTIFY', 'REFER'];
const CODES = [180, 183, 200, 202, 302, 401, 403, 404, 407, 408, 480, 486, 487, 488, 500, 503, 603];

const party = (user, network, n) => {
  const address = `${network}.${1 + (n % 250)}`;
  return { user, sip: { address, port: 5060 }, rtp: { address, port: 20_000 + n * 2 } };
};

/** One dialog of random steps. */
function dialog(random, i, startUs) {
  const [caller, callee] = [
    party(`u${random.below(12)}`, '192.0.2', random.below(6)),
    party(`v${random.below(12)}`, '198.51.100', random.below(6)),
  ];
  const call = new SipScript({ callId: `fuzz-${i}@same`, caller, callee, startUs });
  const method = random.below(3) > 0 ? 'INVITE' : METHODS[random.below(METHODS.length)];
  let atMs = 0;
  let open = call.request(method, atMs);
  for (let step = 1 + random.below(6); step > 0; step--) {
    atMs += 5 + random.below(4_000);
    const dice = random.below(10);
    const code = CODES[random.below(CODES.length)];
    if (dice < 5) call.respond(open, code, atMs);
    else if (dice < 6 && method === 'INVITE') call.ack(open, code, atMs);
    else if (dice < 7 && method === 'INVITE') call.respond(call.cancel(open, atMs), 200, atMs + 3);
    else if (dice < 9) call.respond(call.request('BYE', atMs), 200, atMs + 20);
    else open = call.request(METHODS[random.below(METHODS.length)], atMs);
  }
  return call.messages;
}

/** What happens to a datagram on its way: mostly nothing. */
function spoiled(random, datagram) {
  const bytes = Uint8Array.from(datagram.bytes);
  switch (random.below(24)) {
    case 0:
      return [];
    case 1:
      return [datagram, { ...datagram, tsUs: datagram.tsUs + 500_000 }];
    case 2:
      return [{ ...datagram, bytes: bytes.subarray(0, 20 + random.below(Math.max(1, bytes.length - 20))) }];
    case 3: {
      for (let n = 1 + random.below(6); n > 0; n--) bytes[random.below(bytes.length)] = random.below(256);
      return [{ ...datagram, bytes }];
    }
    case 4:
      return [{ ...datagram, tsUs: datagram.tsUs + random.below(8_000_000) }];
    default:
      return [datagram];
  }
}

/** Datagrams in the order of their times, from `startUs` on. */
export function fuzzedDatagrams(seed, startUs = EPOCH_US) {
  const random = new Random(seed);
  const all = Array.from({ length: CALLS }, (_, i) => dialog(random, i, startUs + random.below(90_000) * 1000)).flat();
  return all.flatMap((one) => spoiled(random, one)).sort((a, b) => a.tsUs - b.tsUs);
}

/** As a file: an even seed has calls with media, an odd one none. */
export function fuzzedCapture(seed) {
  if (seed % 2 === 0) return variedCalls(seed);
  const capture = new Capture();
  capture.add(fuzzedDatagrams(seed));
  return capture.pcap();
}
