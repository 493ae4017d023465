/**
 * What receivers reported, against tshark: cumulative loss, jitter and the round trip by the echo of a sender report
 * (RFC 3550 section 6.4), over captures with RTCP. Skipped where tshark or the captures are not there.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { capturesFolder, skipWithoutCaptures } from '../helpers/captures.ts';
import { readCaptureFile } from '../helpers/read-capture.ts';

const FILES = [
  'honeynet__forensic-challenge-4.pcap',
  'sipnab__SIP_CALL_RTP_G711.cap',
  'vitalybupt__opus.pcap',
  'goffinet__voip-extension.pcap',
  'mtaa-magum__call_transfer.voiponly.pcapng',
  'mtaa-magum__video_call.voiponly.pcapng',
];

/** tshark cuts both times to whole milliseconds and can be two off; by hand, A - LSR - DLSR of such a case was ours. */
const ROUND_TRIP_MS = 2;

type Report = { lost: number; jitter: number; roundTripMs: number | null };

function hasTshark(): boolean {
  try {
    execFileSync('tshark', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const FIELDS = ['rtcp.ssrc.identifier', 'rtcp.ssrc.cum_nr', 'rtcp.ssrc.jitter', 'rtcp.roundtrip-delay'];

/** The last report about each source: packets that hold one block only, so that figures and source belong together. */
function tsharkReports(path: string): Map<number, Report> {
  const fields = FIELDS.flatMap((f) => ['-e', f]);
  const options = ['-o', 'rtcp.show_roundtrip_calculation:TRUE', '-o', 'rtcp.roundtrip_min_threshhold:0'];
  const filter = ['-Y', '(rtcp.pt == 200 || rtcp.pt == 201) && !icmp'];
  const args = ['-r', path, ...options, ...filter, '-T', 'fields', '-E', 'occurrence=a', ...fields];
  const text = execFileSync('tshark', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const found = new Map<number, Report>();
  for (const line of text.split('\n')) {
    const [sources = '', lost = '', jitter = '', roundTrip = ''] = line.split('\t');
    if (lost === '' || lost.includes(',')) continue;
    const ssrc = Number(sources.split(',')[0]);
    // tshark shows none where it is less than a millisecond.
    const roundTripMs = /^\d+$/.test(roundTrip) ? Number(roundTrip) : null;
    found.set(ssrc, { lost: Number(lost), jitter: Number(jitter), roundTripMs });
  }
  return found;
}

const skip = skipWithoutCaptures() || (!hasTshark() && 'no tshark');

test('loss, jitter and round trip are those of tshark', { skip }, async (t) => {
  const folder = capturesFolder() ?? assert.fail('the test is skipped without captures');
  let compared = 0;
  let roundTrips = 0;
  for (const file of FILES) {
    const path = join(folder, file);
    if (!existsSync(path)) continue;
    const wanted = tsharkReports(path);
    const { session } = await readCaptureFile(t, path, ['--portrange', '1-65535']);
    for (const stream of session.streams.newestFirst()) {
      const report = wanted.get(stream.ssrc);
      const remote = stream.rtcp?.remote ?? null;
      if (report === undefined || remote === null) continue;
      const name = `${file} 0x${stream.ssrc.toString(16)}`;
      assert.equal(remote.cumulativeLost, report.lost, `${name} lost`);
      assert.equal(remote.jitterTimestampUnits, report.jitter, `${name} jitter`);
      compared++;
      const roundTrip = stream.rtcp?.roundTrip ?? null;
      if (report.roundTripMs === null || report.roundTripMs < 0 || roundTrip?.source !== 'sender_report_echo') continue;
      const off = Math.abs(roundTrip.ms - report.roundTripMs);
      assert.ok(off <= ROUND_TRIP_MS, `${name} round trip: ${roundTrip.ms} ms, tshark ${report.roundTripMs} ms`);
      roundTrips++;
    }
  }
  assert.ok(compared >= 6, `${compared} streams compared`);
  assert.ok(roundTrips >= 2, `${roundTrips} round trips compared`);
});
