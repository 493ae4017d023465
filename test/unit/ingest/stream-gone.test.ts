/** Observers see each stream that was shown when it gives its place to another one, and no candidate. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Capture, EPOCH_US } from '../../../fixtures/build/capture.ts';
import { rtpStream, voice } from '../../../fixtures/build/rtp.ts';
import { Hooks } from '../../../src/actions/hooks/event-hooks.ts';
import type { Stream } from '../../../src/store/media/stream.ts';
import { configOf, openSession } from '../../helpers/open-session.ts';
import { temporaryFolder } from '../../helpers/read-capture.ts';

const STREAMS = 300;
const PLACES = 40;
/** A stream has so many packets; a candidate two. */
const PACKETS = 60;

/** An observer that a session takes. */
class Watcher extends Hooks {
  readonly gone: number[] = [];

  onStreamGone(stream: Stream): void {
    assert.ok(stream.isAccepted && stream.windowCount === 1, `${stream.ssrc}`);
    this.gone.push(stream.ssrc);
  }
}

test('a stream that was shown is seen once when it goes, with its facts', async (t) => {
  const datagrams = Array.from({ length: STREAMS }, (_, n) => {
    const [src, dst] = ['198.51.100.7', '198.51.100.8'].map((address) => ({ address, port: 10_000 + 2 * n }));
    assert.ok(src !== undefined && dst !== undefined);
    const plan = voice({ payloadType: 0, count: n % 3 === 0 ? 2 : PACKETS });
    return rtpStream({ src, dst, ssrc: n, startUs: EPOCH_US + n * 1_300_000 }, plan).datagrams;
  }).flat();
  const file = join(temporaryFolder(t), 'streams.pcap');
  writeFileSync(file, new Capture().add(datagrams).pcap());
  const argv = ['-I', file, '--max-streams', String(PLACES)];
  const watcher = new Watcher(configOf(argv), () => undefined);
  const session = openSession(argv, {}, { hooks: watcher });
  t.after(() => session.close());
  await session.read([file], () => undefined);
  const left = [...session.streams.fromNewest()].map(({ ssrc }) => ssrc);
  const shown = Array.from({ length: STREAMS }, (_, n) => n).filter((n) => n % 3 !== 0);
  assert.deepEqual(
    [...watcher.gone, ...left].sort((a, b) => a - b),
    shown,
  );
  assert.ok(watcher.gone.length > STREAMS / 2, `${watcher.gone.length}`);
});
