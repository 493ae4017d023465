/**
 * The questions of `npm run bench -- store`: those that docs/fleet.md has times of. Each is asked of another call, hour or day
 * every time, so that little of the answer before helps.
 */
import { NO_NAMES } from '../src/core/names.ts';
import { Store } from '../src/explore/clickhouse/store.ts';
import type { StoreExplorer } from '../src/explore/clickhouse/store-explorer.ts';
import { createStoreExplorer } from '../src/explore/clickhouse/store-explorer.ts';
import { StoreReaders } from '../src/explore/clickhouse/store-reader.ts';
import { questionOf } from '../src/explore/question.ts';
import { storePlace } from '../test/helpers/fake-store.ts';
import type { TestStore } from '../test/helpers/store.ts';
import { SAID, SHARED_NUMBER } from './store-calls.ts';
import { command } from './store-copies.ts';

const HOUR_SEC = 3_600;
const DAY_SEC = 24 * HOUR_SEC;
const DAYS = 10;
const PAGE = 50;

/** Calls to ask for: answered ones, and pairs of legs. */
type Samples = {
  readonly single: readonly string[];
  readonly legs: readonly string[];
  readonly contacts: readonly string[];
};

/** Resolves to how much it found. */
type Ask = (n: number) => Promise<number>;

/** Returns a row of the table: the question, the most that it found, and its times in ms. */
export async function askAll(store: TestStore, times: number, only: RegExp): Promise<string[]> {
  const nowUs = ((await newestHour(store)) + HOUR_SEC) * 1e6 - 1;
  const readers = new StoreReaders(
    new Store(storePlace(store.url), { user: null, password: null, ca: null }, 'calltap'),
  );
  try {
    const explorer = createStoreExplorer(readers, { names: NO_NAMES, callIdHeaders: [], nowUs: () => nowUs });
    const samples = await samplesOf(store, times);
    const lines: string[] = [];
    for (const [name, ask] of questions(explorer, samples, nowUs))
      if (only.test(name)) lines.push(await timed(store, name, ask, times));
    return lines;
  } finally {
    readers.close();
  }
}

async function timed(store: TestStore, name: string, ask: Ask, times: number): Promise<string> {
  const taken: number[] = [];
  let found = 0;
  for (let n = 0; n < times; n++) {
    // A condition that was asked before is answered from memory where parts are not merged by FINAL.
    await command(store, 'SYSTEM CLEAR QUERY CONDITION CACHE');
    const startMs = performance.now();
    found = Math.max(found, await ask(n));
    taken.push(performance.now() - startMs);
  }
  taken.sort((a, b) => a - b);
  const within = (part: number): string => (taken[Math.ceil(part * times) - 1] ?? 0).toFixed(0);
  const line = `| ${name} | ${found} | ${within(0.5)} | ${within(0.99)} |`;
  process.stderr.write(`bench: ${line}\n`);
  return line;
}

async function newestHour(store: TestStore): Promise<number> {
  const [row] = (await store.rows('SELECT toUnixTimestamp(max(hour)) AS at FROM calls')) as { at: number }[];
  return row?.at ?? 0;
}

async function samplesOf(store: TestStore, times: number): Promise<Samples> {
  const sample = async (column: string, where: string): Promise<string[]> => {
    const query = `SELECT ${column} AS text FROM calls WHERE method = 'INVITE' AND state = 'Completed' AND ${where}
      ORDER BY cityHash64(call_id) LIMIT ${times}`;
    return ((await store.rows(query)) as { text: string }[]).map(({ text }) => text);
  };
  const isSecondLeg = `endsWith(call_id, '@192.0.2.10')`;
  const newest = '(SELECT max(hour) FROM calls)';
  return {
    single: await sample('call_id', `NOT ${isSecondLeg}`),
    legs: await sample('call_id', isSecondLeg),
    contacts: await sample('from_user', `hour = ${newest}`),
  };
}

const text = (us: number): string => new Date(us / 1000).toISOString();

function questions(explorer: StoreExplorer, { single, legs, contacts }: Samples, nowUs: number): [string, Ask][] {
  const at = (list: readonly string[], n: number): string => list[n % list.length] ?? '';
  const span = (sec: number, n: number): string => {
    const untilUs = nowUs - (n % DAYS) * DAY_SEC * 1e6;
    return `since:${text(untilUs - sec * 1e6 + 1e3)} until:${text(untilUs)}`;
  };
  const page = async (filter: string, sort = '-created'): Promise<number> =>
    (await explorer.page(questionOf(filter, sort, true), PAGE, ''))?.total ?? 0;
  const findings = async (filter: string): Promise<number> =>
    (await explorer.findings(questionOf(filter, 'created', true)))?.calls ?? 0;
  const overview = async (sec: number, n: number): Promise<number> => {
    const untilUs = nowUs - (n % DAYS) * DAY_SEC * 1e6;
    const asked = { since: text(untilUs - sec * 1e6 + 1), until: text(untilUs) };
    return (await explorer.overview(asked)).span?.figures.attempts ?? 0;
  };
  const ladder = async (callIds: readonly string[]): Promise<number> =>
    (await explorer.ladder(callIds))?.steps.length ?? 0;
  const report = async (callId: string): Promise<number> =>
    [...((await explorer.text([callId], 'text', { width: 120, color: false, isUtc: true })) ?? [])].length;
  return [
    ['the newest hour', () => page('')],
    ['its failed calls', () => page('state:failed')],
    ['a Call-ID over all days, as a filter', (n) => page(`callid:${at(single, n)}`)],
    ['its document', async (n) => Object.keys((await explorer.call(at(single, n))) ?? {}).length],
    ['a number that many calls have, over all days', () => page(`number:${SHARED_NUMBER}`)],
    ['calls with a code 5xx of a day', (n) => page(`code:5xx ${span(DAY_SEC, n)}`)],
    ['a day by post-dial delay', (n) => page(span(DAY_SEC, n), '-pdd')],
    [
      'ten days by state and trunk',
      () => page(`state:completed trunk:${SAID.carrier} since:${text(nowUs - DAYS * DAY_SEC * 1e6)}`),
    ],
    ['trunks of a day, with quantiles', async () => (await explorer.trunks({}))?.trunks.length ?? 0],
    ['the overview of an hour', (n) => overview(HOUR_SEC, n)],
    ['the overview of a day', (n) => overview(DAY_SEC, n)],
    ['findings and ratios of an hour', (n) => findings(span(HOUR_SEC, n))],
    ['findings and ratios of a day', (n) => findings(span(DAY_SEC, n))],
    ['the ladder of a call', (n) => ladder([at(single, n)])],
    [
      'the ladder of a call with its legs',
      async (n) => ladder([at(legs, n), ...((await explorer.legs(at(legs, n)))?.callIds ?? [])]),
    ],
    ['two calls compared', async (n) => Object.keys((await explorer.compare(at(single, n), at(legs, n))) ?? {}).length],
    ['a report', (n) => report(at(single, n))],
    ['a text in the messages of an hour', (n) => page(`text:"${SAID.text}" ${span(HOUR_SEC, n)}`)],
    ['a user agent of an hour', (n) => page(`ua:"${SAID.agent}" ${span(HOUR_SEC, n)}`)],
    ['a domain of an hour', (n) => page(`domain:${SAID.domain} ${span(HOUR_SEC, n)}`)],
    ['an address of an hour', (n) => page(`ip:${SAID.address} ${span(HOUR_SEC, n)}`)],
    ['a Contact of the newest hour', (n) => page(`contact:${at(contacts, n)}`)],
    ['a user agent of the failed calls of a day', (n) => page(`ua:"${SAID.agent}" state:failed ${span(DAY_SEC, n)}`)],
  ];
}
