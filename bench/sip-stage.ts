/**
 * What a SIP message costs the JavaScript thread, from its record in a slab to the updated dialog: processor time of the
 * thread over the messages of a capture, by how many came before, because V8 compiles meanwhile and tables grow.
 *
 *   npm run bench -- sip CAPTURE [wire|hep] [OPTION...]      options as the program takes them
 */
import { CaptureSession } from '../src/app/capture-session.ts';
import { hurry } from '../src/app/hurry.ts';
import { rehearse } from '../src/app/rehearsal.ts';
import { sessionOptions } from '../src/app/run.ts';
import { loadConfig } from '../src/config/config.ts';
import type { RecordBatch } from '../src/sources/record-batch.ts';
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
  const loaded = loadConfig({ argv: ['-I', path, '-E', ...options], env: {} });
  if (!loaded.ok) throw new Error('the options must parse');
  const session = new CaptureSession(sessionOptions(loaded.value.config));
  // As the program runs that reads a file; by HEP it is a server.
  if (way === 'wire') hurry();
  const cpuMs = threadClock();
  const { counts } = session.tracker;
  const cold: Part = { messages: 0, us: 0 };
  const warm: Part = { messages: 0, us: 0 };
  const play = (batch: RecordBatch, count: number): void => {
    const part = counts.messages < WARM_UP ? cold : warm;
    const before = counts.messages;
    const startMs = cpuMs();
    session.ingest.onRecords(batch, count);
    session.tracker.sweep(session.ingest.nowUs);
    part.us += (cpuMs() - startMs) * 1000;
    part.messages += counts.messages - before;
  };
  const hep = way === 'hep' ? new HepBatch(play) : null;
  session.source.onRecords((batch, count) => {
    if (hep === null) play(batch, count);
    else hep.add(batch, count);
  });
  const rehearsal = (): void => {
    const startMs = cpuMs();
    rehearse(session.options);
    cold.us += (cpuMs() - startMs) * 1000;
  };
  await session.read([path], () => undefined, way === 'wire' ? rehearsal : undefined);
  hep?.flush();
  const { size } = session.dialogs;
  const text = `${way}: first ${show(cold)}, then ${show(warm)}; ${size} dialogs kept, ${counts.messages} messages`;
  process.stdout.write(`${text}\n`);
  session.close();
  return 0;
}
