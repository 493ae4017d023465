/**
 * What STUN, TURN and ICE exchanges come to: mapped and relayed addresses name the socket behind them in either order,
 * allocations lapse or are refreshed, role conflicts are counted once, and nothing grows without a cap.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basicCall } from '../../../../fixtures/build/basic-call.ts';
import type { Endpoint } from '../../../../fixtures/build/packet.ts';
import type { Datagram } from '../../../../fixtures/build/rtp.ts';
import type { Exchange } from '../../../../fixtures/build/stun.ts';
import {
  channelNumber,
  controlling,
  errorCode,
  exchange,
  lifetime,
  METHOD,
  mapped,
  peer,
  relayed,
  username,
} from '../../../../fixtures/build/stun.ts';
import type { EndpointKey } from '../../../../src/core/ip.ts';
import { endpointKeyFromText, endpointKeyText, parseIpv4 } from '../../../../src/core/ip.ts';
import { StunTracker } from '../../../../src/ingest/media/stun-tracker.ts';
import type { Claim, EndpointIndex } from '../../../../src/store/media/endpoint-index.ts';
import { CARRIER, TrackerKit } from '../dialogs/tracker-kit.ts';

const CLIENT: Endpoint = { address: '192.168.1.10', port: 20000 };
const SERVER: Endpoint = { address: '203.0.113.5', port: 3478 };
const OUTSIDE: Endpoint = { address: '203.0.113.77', port: 61000 };
const RELAYED: Endpoint = { address: '203.0.113.5', port: 51000 };

function keyOf(e: Endpoint): EndpointKey {
  return endpointKeyFromText(e.address, e.port) ?? assert.fail(e.address);
}

class Kit {
  readonly named: string[] = [];
  /** The sections of what was named. */
  readonly claims: string[] = [];
  readonly #dialogs = new TrackerKit();
  readonly endpoints: EndpointIndex = this.#dialogs.endpoints;
  readonly tracker: StunTracker;
  #next = 0;

  constructor() {
    this.tracker = new StunTracker({
      endpoints: this.endpoints,
      name: (key, claim) => {
        const { derived, mediaType, line, sections } = claim;
        this.named.push(`${endpointKeyText(key)} ${derived}`);
        const of = sections === undefined ? '' : ` of ${sections.map((s) => s.line).join(' ')}`;
        this.claims.push(`${endpointKeyText(key)} ${mediaType} ${line}${of}`);
      },
    });
  }

  play(datagrams: readonly Datagram[]): void {
    for (const d of datagrams) {
      const addresses = new Uint8Array(32);
      const view = new DataView(addresses.buffer);
      view.setUint32(0, parseIpv4(d.src.address));
      view.setUint32(16, parseIpv4(d.dst.address));
      const ends = { addresses, srcPort: d.src.port, dstPort: d.dst.port };
      this.tracker.onPacket(d.bytes, 0, d.bytes.length, { ...CARRIER, ...ends, tsUs: d.tsUs });
    }
  }

  ask(o: Partial<Exchange>): void {
    const label = `transaction ${this.#next++}`;
    this.play(exchange({ atUs: 1e6, client: CLIENT, server: SERVER, method: METHOD.BINDING, label, answer: [], ...o }));
  }

  /** The row of a claim on `e`. */
  claim(e: Endpoint, more: Partial<Claim> = {}): number {
    return this.endpoints.add(keyOf(e), { ...claim(this.#dialogs), ...more });
  }

  /** An audio and a video section of a call, in that order. */
  sections(): readonly [audio: Claim, video: Claim] {
    const audio = claim(this.#dialogs);
    return [audio, { ...audio, mediaType: 'video', line: 1, codecs: { names: ['VP8'], formats: [] } }];
  }

  flow(): NonNullable<ReturnType<StunTracker['flowsOfHost']>[0]> {
    return this.tracker.flowsOfHost(CLIENT.address)[0] ?? assert.fail('the client asked');
  }
}

/** A claim as an SDP of some dialog makes it. */
function claim(kit = new TrackerKit()): Claim {
  const dialog = kit.play(basicCall('claimed'));
  return { dialog, fromUs: 0, codecs: { names: [], formats: [] }, mediaType: 'audio', isSrtp: false, line: 0 };
}

test('the socket behind a mapped address is named, whichever comes first', () => {
  const first = new Kit();
  first.ask({ answer: [mapped(OUTSIDE)] });
  first.tracker.onClaim(keyOf(OUTSIDE), first.claim(OUTSIDE));
  assert.deepEqual(first.named, ['192.168.1.10:20000 mapped']);
  const later = new Kit();
  later.claim(OUTSIDE);
  later.ask({ answer: [mapped(OUTSIDE)] });
  assert.deepEqual(later.named, ['192.168.1.10:20000 mapped']);
  const same = new Kit();
  same.claim(CLIENT);
  same.ask({ answer: [mapped(CLIENT)] });
  assert.deepEqual(same.named, [], 'there is no NAT');
});

test('what was derived derives nothing more', () => {
  const kit = new Kit();
  kit.ask({ answer: [mapped(OUTSIDE)] });
  kit.tracker.onClaim(keyOf(OUTSIDE), kit.claim(OUTSIDE, { derived: 'ice' }));
  assert.deepEqual(kit.named, []);
});

test('requests and answers are counted; an answer to nobody is none', () => {
  const kit = new Kit();
  kit.ask({ answer: null });
  kit.ask({ answer: [mapped(OUTSIDE)] });
  assert.deepEqual([kit.flow().requests, kit.flow().answers], [2, 1]);
  const [, answer] = exchange({
    atUs: 0,
    client: CLIENT,
    server: SERVER,
    method: METHOD.BINDING,
    label: 'never asked',
    answer: [mapped(RELAYED)],
  });
  kit.play(answer === undefined ? [] : [answer]);
  assert.equal(kit.flow().mapped, keyOf(OUTSIDE));
});

test('an allocation lapses unless it is refreshed or given back', () => {
  const allocate = (kit: Kit): void =>
    kit.ask({ method: METHOD.ALLOCATE, answer: [relayed(RELAYED), mapped(OUTSIDE), lifetime(600)] });
  const kit = new Kit();
  allocate(kit);
  const end = 1e6 + 10_000 + 600e6;
  assert.equal(kit.flow().lapsedUs(end - 1), Number.NaN);
  assert.equal(kit.flow().lapsedUs(end + 1), end);
  kit.ask({ atUs: 500e6, method: METHOD.REFRESH, answer: [lifetime(600)] });
  assert.equal(kit.flow().lapsedUs(end + 1), Number.NaN);
  kit.ask({ atUs: 900e6, method: METHOD.CHANNEL_BIND, request: [channelNumber(0x4001), peer(OUTSIDE)] });
  assert.deepEqual([...kit.flow().channels], [[0x4001, keyOf(OUTSIDE)]]);
  kit.ask({ atUs: 950e6, method: METHOD.REFRESH, answer: [errorCode(437)], isError: true });
  assert.equal(kit.flow().lapsedUs(960e6), 950e6 + 10_000, 'the server knew of no allocation any more');
  const returned = new Kit();
  allocate(returned);
  returned.ask({ atUs: 500e6, method: METHOD.REFRESH, answer: [lifetime(0)] });
  assert.equal(returned.flow().lapsedUs(end * 2), Number.NaN);
});

test('a checked pair belongs to the dialog whose fragments it names', () => {
  const kit = new Kit();
  const own = claim();
  kit.tracker.onFragment('AliC', own);
  kit.tracker.onFragment('BoBb', own);
  const check = { client: CLIENT, server: OUTSIDE, request: [username('BoBb:AliC'), controlling()] };
  kit.ask({ ...check, answer: null });
  assert.deepEqual(kit.named, [], 'an unanswered check proves nothing');
  kit.ask({ ...check, answer: [mapped(CLIENT)] });
  assert.deepEqual(kit.named, ['203.0.113.77:61000 ice', '192.168.1.10:20000 ice']);
  assert.equal(kit.tracker.flows, 0, 'a check is no question to a server');
  const other = new Kit();
  other.tracker.onFragment('AliC', own);
  other.tracker.onFragment('BoBb', claim());
  other.ask({ ...check, answer: [mapped(CLIENT)] });
  assert.deepEqual(other.named, [], 'fragments of two calls');
  kit.tracker.onDialogGone(own.dialog);
  kit.ask({ ...check, answer: [mapped(CLIENT)] });
  assert.equal(kit.named.length, 2, 'the dialog is gone');
});

test('sections that share a fragment are told apart by either end, else both stay open', () => {
  const other: Endpoint = { address: '203.0.113.88', port: 61002 };
  const kit = new Kit();
  const [audio, video] = kit.sections();
  for (const own of [audio, video]) kit.tracker.onFragment('BoBb', own);
  const check = (client: Endpoint, server: Endpoint): void =>
    kit.ask({ client, server, request: [username('BoBb:AliC'), controlling()], answer: [mapped(client)] });
  kit.endpoints.add(keyOf(OUTSIDE), video);
  check(CLIENT, OUTSIDE);
  check(OUTSIDE, { ...CLIENT, port: 20002 });
  check({ ...CLIENT, port: 7 }, other);
  assert.deepEqual(kit.claims, [
    '192.168.1.10:20000 video 1',
    '192.168.1.10:20002 video 1',
    '203.0.113.88:61002  -1 of 0 1',
    '192.168.1.10:7  -1 of 0 1',
  ]);
  kit.endpoints.add(keyOf({ ...CLIENT, port: 61002 }), audio);
  check({ ...CLIENT, port: 4 }, other);
  assert.deepEqual(kit.claims.slice(4), ['203.0.113.88:61002 audio 0', '192.168.1.10:4 audio 0'], 'the port is kept');
});

test('a fragment with more sections than a dialog may name tells nothing', () => {
  const kit = new Kit();
  const [audio] = kit.sections();
  const check = { client: CLIENT, server: OUTSIDE, request: [username('BoBb:AliC'), controlling()] };
  for (let line = 0; line < 64; line++) kit.tracker.onFragment('BoBb', { ...audio, line });
  kit.tracker.onFragment('BoBb', { ...audio, line: 63 });
  assert.equal(kit.tracker.fragmentsRefused, 0);
  kit.ask({ ...check, answer: [mapped(CLIENT)] });
  assert.equal(kit.named.length, 2);
  kit.tracker.onFragment('BoBb', { ...audio, line: 64 });
  assert.equal(kit.tracker.fragmentsRefused, 1);
  kit.ask({ ...check, answer: [mapped(CLIENT)] });
  assert.equal(kit.named.length, 2, 'what is left of it would say too much');
});

test('a role conflict counts once a check', () => {
  const kit = new Kit();
  const check = exchange({
    atUs: 0,
    client: CLIENT,
    server: OUTSIDE,
    method: METHOD.BINDING,
    label: 'conflict',
    request: [username('BoBb:AliC'), controlling()],
    answer: [errorCode(487)],
    isError: true,
  });
  const [request, refusal] = check;
  assert.ok(request !== undefined && refusal !== undefined);
  kit.play([request, request, refusal, refusal]);
  assert.equal(kit.tracker.roleConflicts, 1);
});

test('flows, transactions and fragments are capped and counted', () => {
  const kit = new Kit();
  let of = claim();
  for (let i = 0; i < 20_000; i++) {
    kit.ask({ client: { address: `10.${i >> 8}.${i & 255}.1`, port: 4000 }, answer: null });
    if (i % 50 === 0) of = claim();
    kit.tracker.onFragment(`f${i}`, of);
  }
  assert.equal(kit.tracker.flows, 8_192);
  assert.equal(kit.tracker.flowsEvicted, 20_000 - 8_192);
  assert.ok(kit.tracker.requestsEvicted > 0);
  assert.equal(kit.tracker.fragmentsEvicted, 20_000 - 16_384);
  for (let i = 0; i < 100; i++) kit.tracker.onFragment(`more ${i}`, of);
  assert.equal(kit.tracker.fragmentsRefused, 100 - 64 + 50, 'one dialog has its share');
  assert.deepEqual(kit.tracker.flowsOfHost('10.0.0.1'), [], 'the oldest went');
});
