/**
 * A thousand calls before and after a restart: rows, documents, messages, streams, sound and capture of the ring are those that memory
 * gave. Frames have other numbers.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { readerOf, withHistory } from '../../src/app/history.ts';
import { sessionOptions } from '../../src/app/run.ts';
import { Ring } from '../../src/explore/history/ring.ts';
import type { Explorer } from '../../src/explore/port.ts';
import { Script } from '../helpers/attack.ts';
import { busyTrunk } from '../helpers/honest.ts';
import { configOf, openSession } from '../helpers/open-session.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { Recorder } from '../helpers/recorder.ts';
import { variedCalls } from '../helpers/varied-calls.ts';

const OPTIONS = ['--api', '127.0.0.1:0', '--ask', '--retain-audio'];
const ALL = { filter: null, sort: { by: 'created', isDescending: true } } as const;
const OTHERS = new Set(['frame', 'frame_ref', 'kept_in', 'ring']);

function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (key, of) => (OTHERS.has(key) ? undefined : of))) as T;
}

async function orWhy<T>(asked: () => Promise<T> | T): Promise<T | string> {
  try {
    return await asked();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Questions about every call, every tenth and every fiftieth. */
const QUESTIONS: readonly (readonly [every: number, ask: (e: Explorer, id: string) => Promise<unknown> | unknown])[] = [
  [1, (e, id) => e.call(id)],
  [1, (e, id) => e.head(id)],
  [10, (e, id) => e.messages([id], { showsSecrets: false })],
  [10, (e, id) => e.ladder([id])],
  [10, (e, id) => e.quality(id)],
  [50, (e, id) => orWhy(async () => Buffer.from((await e.audio(id)).wav).toString('base64'))],
  [50, async (e, id) => (await buffer((await e.capture([id])).file)).toString('base64')],
];

function thousandCalls(): Buffer {
  const script = new Script();
  busyTrunk(script, 0, 21);
  const recorder = new Recorder(1_741_078_800 * 1e6);
  script.play(recorder);
  return padded(Buffer.from(recorder.capture.pcap()));
}

/** With other traffic behind it: an index takes a share of the bytes of its file, and signaling alone has few. */
function padded(pcap: Buffer): Buffer {
  let last = 24;
  for (let at = last; at < pcap.length; at += 16 + pcap.readUInt32LE(at + 8)) last = at;
  const record = Buffer.alloc(16 + 1_400);
  pcap.copy(record, 0, last, last + 8);
  record.writeUInt32LE(1_400, 8);
  record.writeUInt32LE(1_400, 12);
  // A protocol of IP that nobody reads.
  record.writeUInt16BE(0x0800, 28);
  record[30] = 0x45;
  record.writeUInt16BE(1_386, 32);
  record[39] = 253;
  return Buffer.concat([pcap, ...new Array<Buffer>(20_000).fill(record)]);
}

for (const [name, capture, least] of [
  ['a thousand calls of a trunk', thousandCalls, 1_000],
  ['calls with media of all kinds', () => Buffer.from(variedCalls(11)), 10],
] as const)
  test(`${name} are answered after a restart as before`, async (t) => {
    const folder = temporaryFolder(t);
    const path = join(temporaryFolder(t), 'calls.pcap');
    writeFileSync(path, capture());
    const before = openSession(['-I', path, ...OPTIONS, '-O', join(folder, 'ring.pcapng'), '--split', '1M']);
    t.after(() => before.close());
    await before.read([path], () => undefined);
    before.outputs.close();
    const empty = openSession(['-I', path, ...OPTIONS]);
    t.after(() => empty.close());
    const after = withHistory(
      new Ring(folder),
      empty.explorer,
      empty,
      configOf([folder, ...OPTIONS]),
      readerOf(configOf([folder, ...OPTIONS]), sessionOptions),
    );
    t.after(after.close);
    const wanted = await before.explorer.page(ALL, 10_000, '');
    const found = await after.explorer.page(ALL, 10_000, '');
    assert.ok(wanted.total >= least, `${wanted.total}`);
    assert.equal(found.total, wanted.total);
    // Calls of one moment are in the order of their names there.
    const byName = (calls: typeof found.calls) => plain(calls.toSorted((a, b) => (a.call_id < b.call_id ? -1 : 1)));
    assert.deepEqual(byName(found.calls), byName(wanted.calls));
    for (const [i, { call_id: id }] of wanted.calls.entries())
      for (const [every, ask] of QUESTIONS)
        if (i % every === 0)
          assert.deepEqual(plain(await ask(after.explorer, id)), plain(await ask(before.explorer, id)), id);
  });
