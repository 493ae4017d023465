/** The mirror against real sockets: what arrives, and what an absent or slow collector costs. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { describe, it, type TestContext } from 'node:test';
import { HepOut, type HepOutCarrier, type HepOutOptions } from '../../../../src/actions/hep-out/hep-out.ts';
import { ORIGINS } from '../../../../src/core/words.ts';
import * as CHUNK from '../../../../src/decode/hep/chunks.ts';
import type { HepPacket } from '../../../../src/decode/hep/packet.ts';
import { chunkText, endsOf, hepOf, payloadOf as text } from '../../../helpers/hep-packet.ts';
import { asJson } from '../../../helpers/json.ts';
import { freePort, untilHolds } from '../../../helpers/patience.ts';

async function collector(
  t: TestContext,
  type: 'udp4' | 'udp6' = 'udp4',
): Promise<{ port: number; packets: HepPacket[] }> {
  const socket = createSocket(type);
  const packets: HepPacket[] = [];
  socket.on('message', (b) => packets.push(hepOf(b)));
  await new Promise<void>((resolve) => socket.bind(0, type === 'udp4' ? '127.0.0.1' : '::1', resolve));
  t.after(() => socket.close());
  return { port: socket.address().port, packets };
}

async function mirror(t: TestContext, port: number, options: Partial<HepOutOptions> = {}): Promise<HepOut> {
  const out = new HepOut({
    collectors: [{ transport: 'udp', host: '127.0.0.1', port }],
    failsOver: false,
    tls: {},
    agentId: 2001,
    ...options,
  });
  t.after(() => out.close());
  await out.start();
  return out;
}

const carrier: HepOutCarrier = {
  tsUs: 1_700_000_000_123_456,
  origin: 0,
  ipVersion: 4,
  addresses: Uint8Array.from({ length: 32 }, (_, i) => i),
  srcOff: 0,
  dstOff: 16,
  srcPort: 5_060,
  dstPort: 5_070,
  vlan: 0,
  dscp: 255,
  tcpFlags: 0,
};
const invite = Buffer.from('....INVITE sip:b@x SIP/2.0\r\n\r\n....');
const SENDER_REPORT = Buffer.from(
  [
    '81c8000c',
    ...['11223344', 'e5e6e7e8', '80000000', '00010203', '00000064', '00003e80'],
    ...['55667788', '40fffffe', '00012345', '00000050', 'e7e88000', '00010000'],
  ].join(''),
  'hex',
);
const NO_XR = {
  ...{ type: 0, id: 0, fraction_lost: 0, fraction_discard: 0, burst_density: 0, gap_density: 0 },
  ...{ burst_duration: 0, gap_duration: 0, round_trip_delay: 0, end_system_delay: 0 },
};
const SDES = Buffer.from('81ca0003' + '11223344' + '0103612e62' + '000000', 'hex');

describe('HEP mirror', { timeout: 120_000 }, () => {
  it('sends what a probe read where that is asked for, and where its addresses are known', async (t) => {
    const to = await collector(t);
    const probed = { ...carrier, origin: ORIGINS.indexOf('uprobe') };
    const silent = await mirror(t, to.port);
    silent.mirrorSip(invite, 4, invite.length - 4, probed, 6);
    assert.equal(silent.counters.get('fromUprobe'), 1);
    const out = await mirror(t, to.port, { sendsUprobe: true });
    out.mirrorSip(invite, 4, invite.length - 4, { ...probed, ipVersion: 0 }, 6);
    assert.equal(out.counters.get('fromUprobe'), 1);
    out.mirrorSip(invite, 4, invite.length - 4, { ...probed, srcPort: 5_061 }, 6);
    await untilHolds(() => to.packets.length > 0);
    assert.deepEqual(
      to.packets.map((p) => [p.srcPort, text(p)]),
      [[5_061, 'INVITE sip:b@x SIP/2.0\r\n\r\n']],
    );
  });

  it('sends SIP as it was captured', async (t) => {
    const to = await collector(t);
    const out = await mirror(t, to.port, { authKey: 'key', nodeName: 'edge-1' });
    out.mirrorSip(invite, 4, invite.length - 4, carrier, 6);
    await untilHolds(() => to.packets.length === 1);
    const p = to.packets[0] ?? assert.fail();
    assert.equal(text(p), 'INVITE sip:b@x SIP/2.0\r\n\r\n');
    assert.deepEqual(
      [p.protocolType, p.proto, p.agentId, p.tsUs, p.srcPort, p.dstPort, p.ipVersion, chunkText(p.bytes, CHUNK.NODE)],
      [1, 6, 2001, carrier.tsUs, 5_060, 5_070, 4, 'edge-1'],
    );
    assert.equal(Buffer.from(p.authKey ?? []).toString(), 'key');
    assert.deepEqual(endsOf(p), [
      [0, 1, 2, 3],
      [16, 17, 18, 19],
    ]);
    await untilHolds(() => out.counters.get('sent') === 1);
    assert.equal(out.waitingBytes, 0);
  });

  it('over IPv6', async (t) => {
    const to = await collector(t, 'udp6');
    const out = await mirror(t, to.port, { collectors: [{ transport: 'udp', host: '::1', port: to.port }] });
    out.mirrorSip(invite, 4, 30, { ...carrier, ipVersion: 6 }, 17);
    await untilHolds(() => to.packets.length === 1);
    assert.deepEqual(endsOf(to.packets[0] ?? assert.fail())[1], [...carrier.addresses.subarray(16)]);
  });

  it('sends RTCP as JSON with its Call-ID', async (t) => {
    const to = await collector(t);
    const out = await mirror(t, to.port);
    out.mirrorRtcp(Buffer.concat([SENDER_REPORT, SDES]), 0, SENDER_REPORT.length + SDES.length, carrier, 'call@x');
    await untilHolds(() => to.packets.length === 1);
    const p = to.packets[0] ?? assert.fail();
    assert.deepEqual([p.protocolType, p.proto, p.correlationId], [5, 17, 'call@x']);
    assert.deepEqual(JSON.parse(text(p)), {
      sender_information: {
        ntp_timestamp_sec: 0xe5e6e7e8,
        ntp_timestamp_usec: 0x80000000,
        rtp_timestamp: 0x10203,
        packets: 100,
        octets: 16_000,
      },
      ssrc: 0x11223344,
      type: 200,
      report_count: 1,
      report_blocks: [
        {
          source_ssrc: 0x55667788,
          fraction_lost: 64,
          packets_lost: -2,
          highest_seq_no: 0x12345,
          ia_jitter: 80,
          lsr: 0xe7e88000,
          dlsr: 65_536,
        },
      ],
      report_blocks_xr: NO_XR,
      sdes_ssrc: 0x11223344,
    });
    out.mirrorRtcp(SENDER_REPORT, 0, SENDER_REPORT.length, carrier);
    await untilHolds(() => to.packets.length === 2);
    assert.equal(to.packets[1]?.correlationId, null);
  });

  it('sends a receiver report with zeros of a sender, and what an extended report says of the call', async (t) => {
    const to = await collector(t);
    const out = await mirror(t, to.port);
    const receiver = '81c90007' + '11223344' + SENDER_REPORT.toString('hex').slice(56);
    const voip = '80cf000a' + '11223344' + '07000008' + '55667788' + '0a0b0c0d' + '00100020' + '00300040';
    const bytes = Buffer.from(`${receiver}${voip}${'00000010'}${'5a7f2a2b'}${'00000028'}${'00500060'}`, 'hex');
    out.mirrorRtcp(bytes, 0, bytes.length, carrier, 'call@x');
    await untilHolds(() => to.packets.length === 1);
    const json = asJson(JSON.parse(text(to.packets[0] ?? assert.fail())));
    assert.deepEqual(json['sender_information'], {
      ...{ ntp_timestamp_sec: 0, ntp_timestamp_usec: 0, rtp_timestamp: 0, packets: 0, octets: 0 },
    });
    assert.deepEqual([json['type'], json['ssrc'], json['report_count'], json['sdes_ssrc']], [201, 0x11223344, 1, 0]);
    assert.deepEqual(json['report_blocks_xr'], {
      ...{ type: 7, id: 0x55667788, fraction_lost: 10, fraction_discard: 11, burst_density: 12, gap_density: 13 },
      ...{ burst_duration: 16, gap_duration: 32, round_trip_delay: 48, end_system_delay: 64 },
    });
  });

  it('counts what it does not send', async (t) => {
    const to = await collector(t);
    const out = await mirror(t, to.port);
    out.mirrorSip(invite, 0, 9, { ...carrier, origin: 1 }, 17);
    out.mirrorRtcp(SENDER_REPORT, 0, 28, { ...carrier, origin: 1 });
    out.mirrorRtcp(SDES, 0, SDES.length, carrier);
    out.mirrorRtcp(invite, 0, 20, carrier);
    out.mirrorSip(new Uint8Array(65_500), 0, 65_500, carrier, 17);
    assert.deepEqual(
      (['fromHep', 'rtcpSkipped', 'tooLong', 'sent'] as const).map((n) => out.counters.get(n)),
      [2, 2, 1, 0],
    );
    out.mirrorSip(new Uint8Array(60_000), 0, 60_000, carrier, 17);
    await untilHolds(() => out.counters.get('sent') === 1);
    out.close();
    out.close();
    out.mirrorSip(invite, 0, 9, carrier, 17);
    assert.equal(out.waitingBytes, 0);
  });

  it('waits for a collector that is not there, and sends when it comes', async (t) => {
    const gone = await freePort();
    const told: (string | null)[] = [];
    const out = await mirror(t, gone, { onTrouble: (_collector, reason) => told.push(reason) });
    const { counters } = out;
    out.mirrorSip(invite, 4, 20, carrier, 17);
    await untilHolds(() => counters.get('connectionRefused') === 1);
    assert.deepEqual(told, ['nobody listens there']);
    for (let i = 0; i < 100; i++) out.mirrorSip(invite, 4, 20, carrier, 17);
    const back = createSocket('udp4');
    const got: HepPacket[] = [];
    back.on('message', (b) => got.push(hepOf(b)));
    await new Promise<void>((resolve) => back.bind(gone, '127.0.0.1', resolve));
    t.after(() => back.close());
    const sip = () => got.filter((p) => p.end > p.start);
    await untilHolds(() => sip().length === 100);
    await untilHolds(() => counters.get('sent') === 101);
    // What asks whether somebody listens is a packet without a payload.
    assert.ok(got.length > 100);
    assert.deepEqual(told, ['nobody listens there', null]);
    assert.equal(counters.get('sendErrors'), 0);
    assert.equal(out.waitingBytes, 0);
  });

  it('a name without an address, and an address without a route, are no reason to fail', async (t) => {
    for (const [host, reason] of [
      ['collector.invalid', /^the host cannot be resolved$/],
      // Broadcasts need a permission that this socket does not ask for: connect(2) refuses as it does without a route.
      ['255.255.255.255', /^it cannot be reached \(E[A-Z]+\)$/],
    ] as const) {
      const told: (string | null)[] = [];
      const out = await mirror(t, 9060, {
        collectors: [{ transport: 'udp', host, port: 9060 }],
        onTrouble: (_collector, why) => told.push(why),
      });
      assert.match(told.join(), reason);
      out.mirrorSip(invite, 4, 20, carrier, 17);
      await out.drain(1);
      assert.ok(out.waitingBytes > 0);
      out.close();
      assert.equal(out.counters.get('unsentAtEnd'), 1);
    }
  });

  it('never queues without a bound: every message is sent, dropped or counted', async (t) => {
    const to = await collector(t);
    const out = await mirror(t, to.port);
    const body = new Uint8Array(8_000);
    const n = 20_000;
    let most = 0;
    for (let i = 0; i < n; i++) {
      out.mirrorSip(body, 0, body.length, carrier, 17);
      most = Math.max(most, out.waitingBytes);
    }
    assert.ok(most <= 9 * 1024 * 1024);
    await out.drain(60_000);
    assert.equal(out.waitingBytes, 0);
    const { counters } = out;
    assert.equal(counters.get('sent') + counters.get('queueFull'), n);
    assert.ok(counters.get('queueFull') > 0);
  });
});
