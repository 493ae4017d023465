/** An old call is answered from its spans of the files as memory answered it, and nothing but the spans is read. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { SmallCaptures } from '../../../../src/explore/history/small-captures.ts';
import type { ChunkedFile } from '../../../../src/explore/history/spans.ts';
import { planOf } from '../../../../src/explore/history/spans.ts';
import { wantedOf } from '../../../../src/explore/history/wanted.ts';
import type { Explorer } from '../../../../src/explore/port.ts';
import { NotHere } from '../../../../src/explore/refusal.ts';
import { SCENES } from '../../../golden/scenes/all.ts';
import { captureOf } from '../../../golden/scenes/scene.ts';
import { openSession } from '../../../helpers/open-session.ts';
import { readCaptureFile, temporaryFolder } from '../../../helpers/read-capture.ts';
import { ringOf } from '../../../helpers/ring-of-files.ts';
import type { MadeRow } from '../../../helpers/rows-of-calls.ts';
import { rowsOfCalls } from '../../../helpers/rows-of-calls.ts';

const DEMO = 'fixtures/demo/demo.pcap';
/** As whoever serves /ask with audio. */
const OPTIONS = ['--api', '127.0.0.1:0', '--ask', '--retain-audio'];

type OldCall = Pick<MadeRow, 'call' | 'document'>;

function smallCaptures(t: TestContext, options: readonly string[] = OPTIONS): SmallCaptures {
  const captures = new SmallCaptures(async (paths) => {
    const session = openSession([...paths.flatMap((path) => ['-I', path]), ...options]);
    await session.read(paths, () => undefined);
    return { figures: session.figures, saver: session.outputs, close: () => session.close() };
  });
  t.after(() => captures.close());
  return captures;
}

function ask<T>(
  captures: SmallCaptures,
  files: readonly ChunkedFile[],
  { call, document }: OldCall,
  question: (explorer: Explorer) => Promise<T> | T,
): Promise<T> {
  const wanted = [wantedOf(call, document)];
  const key = String(call.row['call_id']);
  return captures.ask(
    { key, plan: () => planOf(files, wanted), wanted },
    () => false,
    ({ explorer }) => question(explorer),
  );
}

const OF_FRAMES = new Set(['frame', 'frame_ref', 'created_at_frame']);

/** Without the numbers of frames, which are those of another file. */
function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (key, of) => (OF_FRAMES.has(key) ? undefined : of))) as T;
}

const STYLE = { width: null, color: false, isUtc: true };

/** Each question about one call, as something to be compared. */
const QUESTIONS: Readonly<Record<string, (e: Explorer, id: string) => Promise<unknown> | unknown>> = {
  call: (e, id) => e.call(id),
  head: (e, id) => e.head(id),
  messages: (e, id) => e.messages([id], { showsSecrets: false }),
  ladder: (e, id) => e.ladder([id]),
  quality: (e, id) => e.quality(id),
  lint: (e, id) => e.lint(id),
  // Legs are other calls.
  report: async (e, id) =>
    [...(await e.text([id], 'text', STYLE))].filter((line) => !/^(?:Other|Probable) leg/.test(line)),
  sipp: (e, id) => orRefusal(() => e.sipp(id, false)),
  audio: (e, id) => orRefusal(async () => (await e.audio(id)).wav.length),
  capture: async (e, id) => (await e.capture([id])).bytes,
  frames: async (e, id) => framesOf(await buffer((await e.capture([id])).file)),
};

async function orRefusal(asked: () => Promise<unknown> | unknown): Promise<unknown> {
  try {
    return await asked();
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}

/** The frames of a pcapng, by their bytes, in order. */
function framesOf(bytes: Buffer): string[] {
  const frames: string[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readUInt32LE(at + 4))
    if (bytes.readUInt32LE(at) === 6)
      frames.push(bytes.toString('hex', at + 28, at + 28 + bytes.readUInt32LE(at + 20)));
  return frames;
}

async function assertAlike(t: TestContext, path: string, files: number, options = OPTIONS): Promise<number> {
  const { session } = await readCaptureFile(t, path, options);
  const ring = ringOf(path, temporaryFolder(t), files);
  const captures = smallCaptures(t, options);
  const all = await rowsOfCalls(session);
  for (const one of all) {
    const id = String(one.call.row['call_id']);
    for (const [name, question] of Object.entries(QUESTIONS)) {
      const wanted = await question(session.explorer, id);
      const found = await ask(captures, ring, one, (explorer) => question(explorer, id));
      assert.deepEqual(plain(found), plain(wanted), `${path} ${id}: ${name}`);
    }
  }
  captures.close();
  session.close();
  return all.length;
}

test('every question about every call of the demo, which lie in three files', async (t) => {
  assert.equal(await assertAlike(t, DEMO, 3), 21);
});

test('calls of other scenes', async (t) => {
  const folder = temporaryFolder(t);
  for (const [i, scene] of SCENES.entries()) {
    if (i % 50 !== 0) continue;
    const path = join(folder, `${i}.pcap`);
    writeFileSync(path, captureOf(scene));
    await assertAlike(t, path, 2);
  }
});

test('nothing but the chunks of a call is read, and what they hold of it', async (t) => {
  const { session } = await readCaptureFile(t, DEMO, OPTIONS);
  const ring = ringOf(DEMO, temporaryFolder(t), 3);
  const all = await rowsOfCalls(session);
  const size = ring.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const one of all) {
    const captures = smallCaptures(t);
    const wanted = [wantedOf(one.call, one.document)];
    const { files, bytes } = planOf(ring, wanted);
    const most = wanted.some(({ mediaTimes }) => mediaTimes.length > 0) ? 0.7 : 0.02;
    assert.ok(bytes < size * most, `${bytes} of ${size}`);
    const frames = await captures.ask(
      { key: '', plan: () => planOf(ring, wanted), wanted },
      () => false,
      (s) => s.frames,
    );
    assert.ok(frames >= Number(one.document['msg_count']));
    // Beside the spans the head of each file.
    assert.ok(captures.bytesRead <= bytes + files.length * 256, `${captures.bytesRead} read, ${bytes} in spans`);
    captures.close();
  }
});

test('what is gone, replaced or too much is said, and the rest is answered', async (t) => {
  const { session } = await readCaptureFile(t, DEMO, OPTIONS);
  const ring = ringOf(DEMO, temporaryFolder(t), 3);
  const all = await rowsOfCalls(session);
  const busy = all.find(({ call }) => call.row['call_id'] === 'busy@pbx.example.com') ?? assert.fail();
  const wanted = [wantedOf(busy.call, busy.document)];
  const [own] = planOf(ring, wanted).files;
  const lacksOf = async (change: (path: string) => void): Promise<readonly string[]> => {
    const path = own?.path ?? '';
    const before = readFileSync(path);
    change(path);
    const captures = smallCaptures(t);
    const asked = { key: '', plan: () => planOf(ring, wanted), wanted };
    try {
      return await captures.ask(
        asked,
        () => false,
        ({ lacks }) => lacks,
      );
    } catch (error) {
      assert.ok(error instanceof NotHere);
      return [error.message];
    } finally {
      writeFileSync(path, before);
    }
  };
  assert.match((await lacksOf((path) => rmSync(path)))[0] ?? '', /ring\.pcap\.\d+: it is gone/);
  assert.match((await lacksOf((path) => writeFileSync(path, gzipSync(readFileSync(path)))))[0] ?? '', /compressed/);
  assert.match((await lacksOf((path) => truncateSync(path, 100)))[0] ?? '', /shorter than its index says/);
  assert.match((await lacksOf((path) => writeFileSync(path, randomBytes(90_000))))[0] ?? '', /not a capture/);
  assert.deepEqual(await lacksOf(() => undefined), []);
  const { lacks, bytes } = planOf(ring, wanted, 2_048);
  assert.ok(bytes <= 2_048);
  assert.match(lacks[0] ?? '', /^Frames are missing: /);
  const heard = all.find(({ call }) => call.row['call_id'] === 'transfer@pbx.example.com') ?? assert.fail();
  const most = 100 * 1024;
  const half = planOf(ring, [wantedOf(heard.call, heard.document)], most);
  assert.ok(half.bytes <= most);
  assert.match(half.lacks[0] ?? '', /^The media of the call is not shown: /);
});
