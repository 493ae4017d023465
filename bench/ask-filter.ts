/**
 * What a filter costs over the dialogs of a capture: processor time of the thread, and the longest step between two rests
 * of the server, per filter and order, the least of several walks.
 *
 *   npm run bench -- filter CAPTURE [FILTER...]
 */
import { performance } from 'node:perf_hooks';
import { SORT_KEYS } from '../src/core/call-fields.ts';
import { chosenSteps } from '../src/explore/chosen.ts';
import type { CallsQuestion } from '../src/explore/question.ts';
import { parseFilter } from '../src/query/parse.ts';
import { openSession } from '../test/helpers/open-session.ts';
import { threadClock } from './thread-clock.ts';

const WALKS = 5;
const OPTIONS = ['--max-dialogs', '1000000', '--max-streams', '1000000', '--message-log-bytes', '4G'];
const FILTERS = [
  'from:1* code:200 state:completed',
  'method:INVITE duration>1s -code:5xx',
  'method:INVITE loss>0.1% mos<4',
  'loss>0.1%',
  'mos<4',
  'ip:192.0.2.0/24',
  'ua:nobody',
  'finding:one-way-audio',
];

type Walk = { readonly found: number; readonly cpuMs: number; readonly longestMs: number };

/** Returns the exit code. */
export async function askFilter([path, ...own]: readonly string[]): Promise<number> {
  if (path === undefined) {
    process.stderr.write('bench: filter needs a capture: npm run bench -- filter FILE [FILTER...]\n');
    return 2;
  }
  const session = openSession(['-I', path, ...OPTIONS]);
  const cpuMs = threadClock();
  const walk = (question: CallsQuestion): Walk => {
    const startMs = cpuMs();
    const steps = chosenSteps(session.evidence, question);
    for (let longestMs = 0, lastMs = performance.now(); ; ) {
      const step = steps.next();
      const nowMs = performance.now();
      longestMs = Math.max(longestMs, nowMs - lastMs);
      lastMs = nowMs;
      if (step.done === true) return { found: step.value.dialogs.length, cpuMs: cpuMs() - startMs, longestMs };
    }
  };
  const show = (name: string, question: CallsQuestion): void => {
    const walks = Array.from({ length: WALKS }, () => walk(question));
    const least = (of: (w: Walk) => number): string => Math.min(...walks.map(of)).toFixed(1);
    const longest = Math.max(...walks.map((w) => w.longestMs)).toFixed(1);
    const text = `${least((w) => w.cpuMs)} ms, longest step ${least((w) => w.longestMs)} (${longest} of ${WALKS}) ms`;
    process.stdout.write(`${name}: ${String(walks[0]?.found)} found, ${text}\n`);
  };
  await session.read([path], () => undefined);
  process.stdout.write(`${session.dialogs.size} dialogs\n`);
  for (const filter of own.length > 0 ? own : FILTERS) {
    const parsed = parseFilter(filter, { isUtc: true });
    if (parsed.ok) show(filter, { filter: parsed.filter, sort: { by: 'created', isDescending: true } });
    else process.stdout.write(`${filter}: ${JSON.stringify(parsed.error)}\n`);
  }
  for (const by of SORT_KEYS) show(`sorted by ${by}`, { filter: null, sort: { by, isDescending: true } });
  session.close();
  return 0;
}
