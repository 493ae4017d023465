/**
 * A capture cut off at any byte ends with what was whole of it and a clear status: no crash, no hang, no made-up frame.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { packageRoot } from '../../src/core/package.ts';
import { capturesFolder, skipWithoutCaptures } from '../helpers/captures.ts';
import { readTo } from './truth-facts.ts';

/** A file up to this size is cut at every byte, a larger one at so many places. */
const EVERY_BYTE_UP_TO = 800;
const PLACES = 30;
const MAGIC_BYTES = 4;
const FILE_HEADER_BYTES = 24;
const RECORD_HEADER_BYTES = 16;

let scratch = '';

type Outcome = { readonly end: string; readonly frames: number; readonly messages: number; readonly streams: number };

async function readBytes(bytes: Uint8Array): Promise<Outcome> {
  const path = join(scratch, 'cut.pcap');
  writeFileSync(path, bytes);
  const { session, end } = await readTo(path, ['--portrange', '1-65535', '--ws-portrange', '1-65535', '-E']);
  const outcome = {
    end: end.end === 'refused' ? end.error.code : end.end,
    frames: end.end === 'refused' ? 0 : end.frames,
    messages: session.ingest.tracker.counts.messages,
    streams: session.streams.size,
  };
  session.close();
  return outcome;
}

/** Ends of the records of a little-endian pcap file of microseconds, the file header's end first. */
function recordEnds(pcap: Buffer): number[] {
  assert.equal(pcap.readUInt32LE(0), 0xa1b2c3d4);
  const ends = [FILE_HEADER_BYTES];
  for (let at = FILE_HEADER_BYTES; at < pcap.length; ) {
    at += RECORD_HEADER_BYTES + pcap.readUInt32LE(at + 8);
    ends.push(at);
  }
  return ends;
}

function* cuts(length: number): Generator<number> {
  const step = length <= EVERY_BYTE_UP_TO ? 1 : Math.ceil(length / PLACES);
  for (let n = 0; n < length; n += step) yield n;
  yield length;
}

describe('captures cut off', () => {
  before(() => {
    scratch = mkdtempSync(join(tmpdir(), 'calltap-cut-'));
  });
  after(() => {
    rmSync(scratch, { recursive: true, force: true });
  });

  const own: readonly (readonly [string, number])[] = [
    ['fixtures/pcap/call-message.pcap', Number.POSITIVE_INFINITY],
    ['fixtures/pcap/call-busy.pcap', Number.POSITIVE_INFINITY],
    ['fixtures/demo/demo.pcap', 40_000],
  ];
  for (const [file, head] of own) {
    it(`${file}: the records before the cut, and whether it fell inside one`, { timeout: 180_000 }, async () => {
      const whole = readFileSync(join(packageRoot(), file));
      const ends = recordEnds(whole);
      const used = whole.subarray(0, Math.min(whole.length, head));
      for (const n of cuts(used.length)) {
        const got = await readBytes(used.subarray(0, n));
        const frames = Math.max(0, ends.filter((e) => e <= n).length - 1);
        const end = n < MAGIC_BYTES ? 'CAPTURE_FORMAT_UNKNOWN' : ends.includes(n) ? 'ok' : 'truncated';
        assert.deepEqual({ end: got.end, frames: got.frames }, { end, frames }, `cut at ${n}`);
      }
    });
  }

  it('fixtures/pcap/call-busy.pcap: every packet cut to the same length, as a snapshot length does', async () => {
    const whole = readFileSync(join(packageRoot(), 'fixtures/pcap/call-busy.pcap'));
    const ends = recordEnds(whole);
    const longest = Math.max(...ends.slice(1).map((e, i) => e - (ends[i] ?? 0) - RECORD_HEADER_BYTES));
    const full = await readBytes(whole);
    for (let snap = 0; snap <= longest; snap += 3) {
      const parts: Buffer[] = [whole.subarray(0, FILE_HEADER_BYTES)];
      for (const [i, end] of ends.slice(1).entries()) {
        const at = ends[i] ?? 0;
        const header = Buffer.from(whole.subarray(at, at + RECORD_HEADER_BYTES));
        const kept = Math.min(snap, end - at - RECORD_HEADER_BYTES);
        header.writeUInt32LE(kept, 8);
        parts.push(header, whole.subarray(at + RECORD_HEADER_BYTES, at + RECORD_HEADER_BYTES + kept));
      }
      const got = await readBytes(Buffer.concat(parts));
      assert.equal(got.end, 'ok', `snapshot length ${snap}`);
      assert.equal(got.frames, full.frames, `snapshot length ${snap}`);
      assert.ok(got.messages <= full.messages, `snapshot length ${snap} gave ${got.messages} messages`);
    }
  });

  const foreign = [
    'pcapng-test__le-test201.pcapng',
    'zeek__pcapng-multi-interface.pcapng',
    'suricata-verify__sip-tcp.pcap',
    'derived__invite-opus-bye.cut.pcap.gz',
    'sngrep__ipv6frag.pcap',
  ];
  for (const file of foreign) {
    it(`${file}: never more than the whole file holds`, { skip: skipWithoutCaptures(), timeout: 180_000 }, async () => {
      const whole = readFileSync(join(capturesFolder() ?? '', file));
      const full = await readBytes(whole);
      let before = 0;
      for (const n of cuts(whole.length)) {
        const got = await readBytes(whole.subarray(0, n));
        assert.match(got.end, /^(ok|truncated|corrupt|CAPTURE_FORMAT_UNKNOWN)$/, `cut at ${n}`);
        assert.ok(got.frames >= before && got.frames <= full.frames, `cut at ${n}: ${got.frames} frames`);
        assert.ok(got.messages <= full.messages, `cut at ${n}: ${got.messages} messages of ${full.messages}`);
        before = got.frames;
      }
      assert.equal(before, full.frames);
    });
  }
});
