/**
 * What a SIP message costs the JavaScript thread, from its record in a slab to the updated dialog: processor time of the
 * thread over the messages of a capture, by how many came before, because V8 compiles meanwhile and tables grow.
 *
 *   npm run bench -- sip CAPTURE [wire|hep] [OPTION...]      options as the program takes them
 */
import type { RecordBatch } from '../src/sources/record-batch.ts';
import { openSession } from '../test/helpers/open-session.ts';
import { HepBatch } from './hep-batch.ts';
import { threadClock } from './thread-clock.ts';

/** Messages up to here are told apart from the rest: the program is not compiled yet. */
const WARM_UP = 50_000;

type Part = { messages: number; us: number };

function show({ messages, us }: Part): string {
  return `${(us / Math.max(1, messages)).toFixed(2)} us (${messages})`;
}

/** Returns the exit code. */
export async function sipStage([path, way = 'wire', ...options]: readonly string[]): Promise<number> {
  if (path === undefined || (way !== 'wire' && way !== 'hep')) {
    process.stderr.write('usage: npm run bench -- sip CAPTURE [wire|hep] [OPTION...]\n');
    return 2;
  }
  const session = openSession(['-I', path, '-E', ...options]);
  const cpuMs = threadClock();
  const { counts } = session.ingest.tracker;
  const cold: Part = { messages: 0, us: 0 };
  const warm: Part = { messages: 0, us: 0 };
  const play = (batch: RecordBatch, count: number): void => {
    const part = counts.messages < WARM_UP ? cold : warm;
    const before = counts.messages;
    const startMs = cpuMs();
    session.ingest.onRecords(batch, count);
    part.us += (cpuMs() - startMs) * 1000;
    part.messages += counts.messages - before;
  };
  const hep = way === 'hep' ? new HepBatch(play) : null;
  session.source.onRecords((batch, count) => {
    if (hep === null) play(batch, count);
    else hep.add(batch, count);
  });
  await session.read([path], () => undefined);
  hep?.flush();
  const { size } = session.dialogs;
  const text = `${way}: first ${show(cold)}, then ${show(warm)}; ${size} dialogs kept, ${counts.messages} messages`;
  process.stdout.write(`${text}\n`);
  session.close();
  return 0;
}
