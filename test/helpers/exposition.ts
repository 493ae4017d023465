/**
 * Reads a metrics page strictly by the Prometheus text format 0.0.4, and fails on every line that is not of it.
 */
import assert from 'node:assert/strict';

export type Sample = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
};
export type Family = { type: string; help: string; readonly samples: Sample[] };

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? ([+-]?(?:\d[\d.e+-]*|Inf)|NaN)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/y;

function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const found = LABEL.exec(text);
    assert.ok(found !== null, `labels ${text}`);
    const [, name = '', value = ''] = found;
    assert.ok(!(name in labels), `label ${name} twice`);
    labels[name] = value;
  }
  return labels;
}

/** Families by name; a sample without its family's TYPE line, or given twice, is a failure. */
export function readExposition(text: string): Map<string, Family> {
  assert.ok(text.endsWith('\n'), 'the last line ends');
  const families = new Map<string, Family>();
  const seen = new Set<string>();
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const note = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line);
    if (note !== null) {
      const [, kind, name = '', rest = ''] = note;
      const family = families.get(name) ?? { type: '', help: '', samples: [] };
      families.set(name, family);
      if (kind === 'HELP') family.help = rest;
      else {
        assert.equal(family.type, '', `${name} has one type`);
        assert.match(rest, /^(counter|gauge|histogram|summary|untyped)$/);
        family.type = rest;
      }
      continue;
    }
    const found = SAMPLE.exec(line);
    assert.ok(found !== null, `no line of the format: ${line}`);
    const [, name = '', labels = '', value = ''] = found;
    const family = families.get(name) ?? families.get(name.replace(/_(bucket|count|sum)$/, ''));
    assert.ok(family !== undefined && family.type !== '', `${name} has a type`);
    assert.ok(!seen.has(`${name}{${labels}}`), `${line} twice`);
    seen.add(`${name}{${labels}}`);
    family.samples.push({ name, labels: labelsOf(labels), value: value === '+Inf' ? Infinity : Number(value) });
  }
  return families;
}

/** What is wrong with a histogram: buckets must rise, end in +Inf and agree with the count. */
export function histogramFaults(name: string, family: Family): string[] {
  const faults: string[] = [];
  const buckets = family.samples.filter((s) => s.name === `${name}_bucket`);
  let before = 0;
  let bound = -Infinity;
  for (const { labels, value } of buckets) {
    const le = labels['le'] === '+Inf' ? Infinity : Number(labels['le']);
    if (!(le > bound)) faults.push(`${name}: bound ${labels['le']} does not rise`);
    if (value < before) faults.push(`${name}: bucket ${labels['le']} falls`);
    before = value;
    bound = le;
  }
  const count = family.samples.find((s) => s.name === `${name}_count`)?.value;
  if (bound !== Infinity) faults.push(`${name}: no +Inf bucket`);
  if (count !== before) faults.push(`${name}: count ${count}, last bucket ${before}`);
  if (!family.samples.some((s) => s.name === `${name}_sum`)) faults.push(`${name}: no sum`);
  return faults;
}
