/** How often a diagnosis is right: what it says of calls is held against what is true of them, name by name. */

/** One call as one tap saw it. */
export type Judged = {
  /** Where it comes from: a program, or a capture. */
  readonly origin: string;
  /** What was done, for who reads of a wrong judgement. */
  readonly note: string;
  /** Made without a fault: whatever is said of it and may not be is a false alarm. */
  readonly isHealthy: boolean;
  /** Null where the capture has no such call: all that had to be said of it is missed. */
  readonly said: readonly string[] | null;
  readonly must: readonly string[];
  /** May be said, and need not: neither right nor wrong. `*`: nothing is known of the call. */
  readonly may: readonly string[];
};

export type Row = {
  readonly name: string;
  readonly right: number;
  readonly falseAlarms: number;
  readonly missed: number;
};

export type Wrong = { readonly kind: 'false alarm' | 'missed'; readonly name: string; readonly call: Judged };

export type Score = {
  readonly calls: number;
  readonly rows: readonly Row[];
  readonly wrong: readonly Wrong[];
  /** Names that had to be said and that the program has no word for, with how many calls have them. */
  readonly unspoken: ReadonlyMap<string, number>;
  readonly healthy: { readonly calls: number; readonly alarmed: number };
};

/** `words`: all that the program can say. `final:503` counts in the row `final`, and must have the right code. */
export function score(calls: readonly Judged[], words: readonly string[]): Score {
  const counts = new Map(words.map((name) => [name, { right: 0, falseAlarms: 0, missed: 0 }]));
  const wrong: Wrong[] = [];
  const unspoken = new Map<string, number>();
  const healthy = { calls: 0, alarmed: 0 };
  for (const call of calls) {
    const said = new Set(call.said ?? []);
    const known = new Set([...call.must, ...call.may]);
    for (const name of call.must) {
      const count = counts.get(rowOf(name));
      if (count === undefined) unspoken.set(name, (unspoken.get(name) ?? 0) + 1);
      else if (said.has(name)) count.right++;
      else if (!call.may.includes(name)) {
        count.missed++;
        wrong.push({ kind: 'missed', name, call });
      }
    }
    const alarms = call.may.includes('*') ? [] : [...said].filter((name) => !known.has(name));
    for (const name of alarms) {
      const count = counts.get(rowOf(name));
      if (count !== undefined) count.falseAlarms++;
      wrong.push({ kind: 'false alarm', name, call });
    }
    if (!call.isHealthy || call.must.length > 0) continue;
    healthy.calls++;
    if (alarms.length > 0) healthy.alarmed++;
  }
  const rows = [...counts].map(([name, count]) => ({ name, ...count }));
  return { calls: calls.length, rows, wrong, unspoken, healthy };
}

function rowOf(name: string): string {
  return name.startsWith('final:') ? 'final' : name;
}

/** How many calls each origin gave, and how many of them are healthy. */
export function originText(calls: readonly Judged[]): string {
  const origins = new Map<string, { all: number; healthy: number }>();
  for (const { origin, isHealthy } of calls) {
    const { all, healthy } = origins.get(origin) ?? { all: 0, healthy: 0 };
    origins.set(origin, { all: all + 1, healthy: healthy + (isHealthy ? 1 : 0) });
  }
  const rows = [...origins].sort(([, a], [, b]) => b.all - a.all);
  return [
    '| made by | calls | healthy |',
    '|---|---|---|',
    ...rows.map(([origin, { all, healthy }]) => `| ${origin} | ${all} | ${healthy} |`),
  ].join('\n');
}

/** As a page shows it. */
export function scoreText({ calls, rows, wrong, unspoken, healthy }: Score): string {
  const used = rows.filter(({ right, falseAlarms, missed }) => right + falseAlarms + missed > 0);
  const unused = rows.filter((row) => !used.includes(row)).map(({ name }) => `\`${name}\``);
  return [
    `${healthy.alarmed} of ${healthy.calls} healthy calls have a false alarm (${percent(healthy.alarmed, healthy.calls)}).`,
    '',
    '| finding | found, true | found, not true | missed | neither | precision | recall |',
    '|---|---|---|---|---|---|---|',
    ...used.map(({ name, right, falseAlarms, missed }) => {
      const neither = calls - right - falseAlarms - missed;
      const figures = [right, falseAlarms, missed, neither].join(' | ');
      return `| ${name} | ${figures} | ${percent(right, right + falseAlarms)} | ${percent(right, right + missed)} |`;
    }),
    ...(unused.length === 0 ? [] : ['', `Neither right nor wrong in any call: ${unused.join(', ')}.`]),
    ...(unspoken.size === 0
      ? []
      : ['', `The program has no word for: ${[...unspoken].map(([name, n]) => `${name} (${n})`).join(', ')}.`]),
    '',
    ...(wrong.length === 0 ? ['Nothing is wrong.'] : ['What is wrong:', '']),
    ...wrong.map(
      ({ kind, name, call }) => `- ${kind}: \`${name}\` in ${call.origin}${call.note === '' ? '' : `. ${call.note}`}`,
    ),
  ].join('\n');
}

function percent(part: number, all: number): string {
  return all === 0 ? '-' : `${((100 * part) / all).toFixed(1)} %`;
}
