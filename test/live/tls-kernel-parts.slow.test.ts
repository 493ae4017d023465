/** Messages and upgrades that come in parts, under the SIP-only filter: all of them, and none of what is beside them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TRANSPORTS } from '../../src/core/words.ts';
import { DecodeCounters } from '../../src/decode/counters.ts';
import { TlsStreams } from '../../src/decode/tls/streams.ts';
import { contentLength } from '../../src/protocols/sip/scanner/scan.ts';
import { emptyPacket } from '../../src/sources/packet.ts';
import { TLS_FLAG } from '../../src/sources/records.ts';
import {
  attachLibrary,
  certificateFolder,
  kernelSkip,
  openLab,
  peerPath,
  privateLibssl,
  runPeer,
  type TlsLab,
} from './tls-kernel-lab.ts';

const COUNT = 20;

/** What the agent makes of the events: `uprobe` way, start line and transport of each message. */
function messagesOf(lab: TlsLab): string[] {
  const seen: string[] = [];
  const streams = new TlsStreams(
    {
      onMessage: (b, start, end, packet, isWritten) => {
        const text = Buffer.from(b.subarray(start, end)).toString('latin1');
        assert.ok(!packet.isSnapped && text.endsWith('\r\n\r\n'), text);
        seen.push(`${TRANSPORTS[packet.transport]} ${isWritten ? 'written' : 'read'} ${text.slice(0, 7)}`);
        return true;
      },
      onVerdict: () => {},
      contentLength,
    },
    new DecodeCounters(),
  );
  for (const e of lab.data()) {
    streams.data({
      packet: { ...emptyPacket(), tsUs: e.tsUs, srcPort: 1, dstPort: 2 },
      idLow: Number(e.conn & 0xffffffffn),
      idHigh: Number(e.conn >> 32n),
      pid: e.pid,
      isWritten: e.written,
      isShared: false,
      isUndecided: (e.flags & TLS_FLAG.UNDECIDED) !== 0,
      isUpgrade: (e.flags & TLS_FLAG.UPGRADE) !== 0,
      offset: e.offset,
      bytes: e.bytes,
      start: 0,
      end: e.bytes.length,
    });
  }
  streams.finish();
  assert.equal(streams.counters.gaps, 0);
  return seen;
}

/** Requests and answers, each at both ends. */
function assertAll(seen: readonly string[], transport: string): void {
  const counts = new Map<string, number>();
  for (const name of seen) counts.set(name, (counts.get(name) ?? 0) + 1);
  const names = ['written OPTIONS', 'read OPTIONS', 'written SIP/2.0', 'read SIP/2.0'];
  assert.deepEqual(
    Object.fromEntries(counts),
    Object.fromEntries(names.map((name) => [`${transport} ${name}`, COUNT])),
  );
}

test('parts', { skip: kernelSkip() }, async (t) => {
  const folder = certificateFolder(t);
  const libssl = privateLibssl(folder);
  const best = openLab(t, { sipOnly: true });
  attachLibrary(best, libssl);
  let lab = best;
  async function parts(mode: string, size: number): Promise<void> {
    await lab.again();
    await runPeer(['python3', peerPath('tls_parts.py'), mode, String(size), String(COUNT)], folder);
    await lab.settle();
    assert.ok(lab.data().every((e) => !e.bytes.includes('SECRET')));
  }

  for (const first of [1, 5, 7, 11]) {
    await t.test(`a first record of ${first} ${first === 1 ? 'byte' : 'bytes'}, behind line ends`, async (s) => {
      await parts('sip', first);
      s.diagnostic(JSON.stringify(lab.counters()));
      assertAll(messagesOf(lab), 'TLS');
    });
  }

  for (const first of [1, 3, 5, 9, 17]) {
    await t.test(`a WebSocket frame whose first record is ${first} bytes`, async () => {
      await parts('frames', first);
      assertAll(messagesOf(lab), 'WSS');
    });
  }

  for (const cookie of [0, 900, 4096, 12_000]) {
    await t.test(`an upgrade with a cookie of ${cookie} bytes, read in parts`, async (s) => {
      await parts('upgrade', cookie);
      s.diagnostic(JSON.stringify(lab.counters()));
      assertAll(messagesOf(lab), 'WSS');
      assert.equal(lab.counter('upgrades'), 2);
    });
  }

  await t.test('an upgrade with a cookie of 12000 bytes, as on the oldest kernels', async (s) => {
    lab = openLab(s, { sipOnly: true, force: { oldHelpers: true } });
    attachLibrary(lab, libssl);
    await parts('upgrade', 12_000);
    assertAll(messagesOf(lab), 'WSS');
    lab = best;
  });

  await t.test('a head beyond 16 KB is given up and counted', async () => {
    await parts('upgrade', 17_000);
    assert.equal(lab.counter('heads_over'), 2);
  });
});
