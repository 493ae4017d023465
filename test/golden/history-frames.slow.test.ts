/**
 * Captures and sound of calls of a ring, frame by frame and byte by byte: those that memory gave, and the frames that tshark finds by
 * the Call-ID and by the media of the call. Calls are carried in every way of the decode matrix, over three files and more.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { decodeMatrixCases } from '../../fixtures/build/decode-matrix.ts';
import { readerOf, withHistory } from '../../src/app/history.ts';
import { sessionOptions } from '../../src/app/run.ts';
import { readFormat, recordAt } from '../../src/explore/history/capture-records.ts';
import { Ring } from '../../src/explore/history/ring.ts';
import type { Explorer } from '../../src/explore/port.ts';
import { Cannot, NotHere } from '../../src/explore/refusal.ts';
import { configOf, openSession } from '../helpers/open-session.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { readRecords } from '../helpers/split-capture.ts';
import { skipWithoutTshark } from '../helpers/tshark.ts';

const DEMO = 'fixtures/demo/demo.pcap';
const OPTIONS = ['--api', '127.0.0.1:0', '--ask', '--retain-audio'];
const ALL = { filter: null, sort: { by: 'created', isDescending: true } } as const;

type Both = { readonly memory: Explorer; readonly ring: Explorer; readonly files: number };

/** What the memory of a capture answers, and what the ring does that was written of it, with an empty memory. */
async function both(t: TestContext, path: string, options: readonly string[], split: string): Promise<Both> {
  const folder = temporaryFolder(t);
  const own = [...OPTIONS, ...options];
  const session = openSession(['-I', path, ...own, '-O', join(folder, 'ring.pcapng'), '--split', split]);
  await session.read([path], () => undefined);
  session.outputs.close();
  const empty = openSession(['-I', path, ...own]);
  const config = configOf([folder, ...own]);
  const reads = readerOf(config, sessionOptions);
  const { explorer, close } = withHistory(new Ring(folder), empty.explorer, empty, config, reads);
  t.after(() => {
    close();
    empty.close();
    session.close();
  });
  const files = readdirSync(folder).filter((name) => name.endsWith('.idx')).length;
  return { memory: session.explorer, ring: explorer, files };
}

async function framesOf(explorer: Explorer, callId: string): Promise<string[]> {
  const bytes = await buffer((await explorer.capture([callId])).file);
  const format = readFormat(bytes) ?? assert.fail();
  const frames: string[] = [];
  for (let at = 0; ; ) {
    const record = recordAt(bytes, at, bytes.length, format);
    if (record === null || typeof record === 'string') return frames;
    if (record.kind === 'frame') frames.push(bytes.toString('hex', record.frameStart, record.frameEnd));
    at = record.end;
  }
}

const FIELDS = ['frame.number', 'sip.Call-ID', 'tcp.reassembled_in', 'ip.reassembled_in', 'ipv6.reassembled.in'];
const ENDS = ['ip.src', 'ip.dst', 'ipv6.src', 'ipv6.dst', 'udp.srcport', 'udp.dstport'];

/** A frame as tshark reads it: whose messages end in it, in which frames its pieces are put together, and from where to where it goes. */
type Shark = { readonly callIds: readonly string[]; readonly into: readonly number[]; readonly way: string };

function sharkFrames(path: string, args: readonly string[] = []): Map<number, Shark> {
  const fields = [...FIELDS, ...ENDS].flatMap((name) => ['-e', name]);
  const text = execFileSync('tshark', ['-2', '-r', path, ...args, '-T', 'fields', ...fields], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 1e9,
  });
  const frames = new Map<number, Shark>();
  for (const line of text.split('\n').slice(0, -1)) {
    const [number = '', ids = '', ...rest] = line.split('\t');
    const into = rest.slice(0, 3).flatMap((of) => of.split(',').filter((one) => one !== ''));
    const [src4, dst4, src6, dst6, srcPort, dstPort] = rest.slice(3);
    const way = `${src4 || `[${src6}]`}:${srcPort} ${dst4 || `[${dst6}]`}:${dstPort}`;
    frames.set(Number(number), { callIds: ids.split(','), into: into.map(Number), way });
  }
  return frames;
}

/** Numbers of the frames of a call: its messages, what these were put together of, and its media. */
function numbersOf(frames: ReadonlyMap<number, Shark>, callId: string, media: ReadonlySet<string>): number[] {
  const found = new Set<number>();
  for (const [number, { callIds, way }] of frames) if (callIds.includes(callId) || media.has(way)) found.add(number);
  for (const [number, { into }] of frames) if (into.some((other) => found.has(other))) found.add(number);
  return [...found].sort((a, b) => a - b);
}

function framesWith(path: string, text: string): number[] {
  const args = ['-r', path, '-Y', `frame contains "${text}"`, '-T', 'fields', '-e', 'frame.number'];
  const lines = execFileSync('tshark', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).split('\n');
  return lines.slice(0, -1).map(Number);
}

/** Ways of carrying a call that tshark puts together as a capture has them. */
const CARRIED: ReadonlySet<string> = new Set([
  ...['udp-ethernet', 'raw-ipv6', 'vxlan', 'gre-ip', 'hep3', 'ip-fragments', 'ip-fragments-reversed', 'ipv6-fragments'],
  ...['tcp-one-a-segment', 'tcp-several-a-segment', 'tcp-split-3', 'tcp-several-and-split', 'tcp-wrapped-sequence'],
  ...['websocket-80', 'websocket-split', 'websocket-continuation'],
]);

for (const { name, bytes, options, tshark } of decodeMatrixCases().filter((one) => CARRIED.has(one.name)))
  test(`${name}: the frames of memory, and those of tshark`, { skip: skipWithoutTshark() }, async (t) => {
    const path = join(temporaryFolder(t), 'call.pcap');
    writeFileSync(path, bytes);
    const { memory, ring } = await both(t, path, options, '1s');
    const { calls } = await memory.page(ALL, 100, '');
    assert.equal(calls.length, 1);
    const records = readRecords(path).records.map(({ data }) => data.toString('hex'));
    const shark = sharkFrames(path, tshark);
    for (const { call_id: id } of calls) {
      const found = await framesOf(ring, id);
      assert.deepEqual(found, await framesOf(memory, id));
      const numbers = found.map((one) => records.indexOf(one) + 1);
      // What stands in HEP it does not read as SIP.
      const wanted = name === 'hep3' ? framesWith(path, id) : numbersOf(shark, id, new Set());
      assert.deepEqual(numbers, wanted);
    }
  });

test('calls of the demo, with their media, over several files', { skip: skipWithoutTshark() }, async (t) => {
  const { memory, ring, files } = await both(t, DEMO, [], '100K');
  assert.ok(files > 10, `${files}`);
  const records = readRecords(DEMO).records.map(({ data }) => data.toString('hex'));
  const shark = sharkFrames(DEMO);
  let heard = 0;
  for (const { call_id: id } of (await memory.page(ALL, 100, '')).calls) {
    const found = await framesOf(ring, id);
    assert.deepEqual(found, await framesOf(memory, id), id);
    const { streams } = await memory.quality(id);
    // RTCP has the ports above.
    const media = new Set(streams.flatMap(({ src, dst }) => [`${src} ${dst}`, `${above(src)} ${above(dst)}`]));
    assert.deepEqual(
      found,
      numbersOf(shark, id, media).map((number) => records[number - 1]),
      id,
    );
    const sound = await soundOf(memory, id);
    assert.deepEqual(await soundOf(ring, id), sound, id);
    if (sound !== null) heard++;
  }
  assert.ok(heard >= 5, `${heard}`);
});

function above(socket: string): string {
  return socket.replace(/\d+$/, (port) => String(Number(port) + 1));
}

/** Null where nothing of it can be heard. */
async function soundOf(explorer: Explorer, callId: string): Promise<Buffer | null> {
  try {
    return Buffer.from((await explorer.audio(callId)).wav);
  } catch (error) {
    assert.ok(error instanceof Cannot || error instanceof NotHere, String(error));
    return null;
  }
}
