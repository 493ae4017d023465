/**
 * The text of a family, in the format of Prometheus (text format 0.0.4), or in OpenMetrics 1.0 for exemplars.
 * OpenMetrics names a counter without `_total`.
 */
import type { BucketSnapshot, Exemplar } from '../../core/counters.ts';
import type { MetricSample } from '../../view/metrics/family.ts';
import type { MetricRow } from '../../view/metrics/table.ts';

export type MetricsFormat = 'text' | 'openmetrics';

export const CONTENT_TYPES: Readonly<Record<MetricsFormat, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};
/** What stands after the last family. */
export const ENDS: Readonly<Record<MetricsFormat, string>> = { text: '', openmetrics: '# EOF\n' };

const TOTAL = /_total$/;
/** OpenMetrics allows so many characters of labels in an exemplar, names included. */
const EXEMPLAR_CHARS = 128;

/** Every family has its head, also one without samples. */
export function familyText(
  name: string,
  row: MetricRow,
  samples: Iterable<MetricSample>,
  format: MetricsFormat,
): string {
  const isOpen = format === 'openmetrics';
  const isCounter = row.type === 'counter';
  const known = isOpen && isCounter ? name.replace(TOTAL, '') : name;
  const help = isOpen ? escaped(row.help) : row.help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  let text = `# HELP ${known} ${help}\n# TYPE ${known} ${row.type}\n`;
  for (const { labels, value } of samples) {
    const inside = labelsText(row.labels, labels);
    if (typeof value === 'number') text += `${name}${inside === '' ? '' : `{${inside}}`} ${numberText(value)}\n`;
    else if (row.type === 'summary') text += sumText(name, inside === '' ? '' : `{${inside}}`, value);
    else text += histogramText(name, row.bounds ?? [], inside, value, isOpen);
  }
  return text;
}

function histogramText(
  name: string,
  bounds: readonly number[],
  inside: string,
  { counts, sum, count, exemplars }: BucketSnapshot,
  isOpen: boolean,
): string {
  const before = inside === '' ? '' : `${inside},`;
  const own = inside === '' ? '' : `{${inside}}`;
  let text = '';
  let below = 0;
  for (let i = 0; i <= bounds.length; i++) {
    below += counts[i] ?? 0;
    const bound = bounds[i];
    const le = bound === undefined ? '+Inf' : boundText(bound, isOpen);
    const exemplar = isOpen ? (exemplars?.[i] ?? null) : null;
    const n = bound === undefined ? count : below;
    text += `${name}_bucket{${before}le="${le}"} ${n}${exemplar === null ? '' : exemplarText(exemplar)}\n`;
  }
  return text + sumText(name, own, { sum, count });
}

function sumText(name: string, own: string, { sum, count }: Pick<BucketSnapshot, 'sum' | 'count'>): string {
  return `${name}_sum${own} ${numberText(sum)}\n${name}_count${own} ${count}\n`;
}

/** OpenMetrics writes a whole bound as a float. */
function boundText(bound: number, isOpen: boolean): string {
  return isOpen && Number.isInteger(bound) ? `${bound}.0` : String(bound);
}

function exemplarText({ callId, value }: Exemplar): string {
  const name = 'call_id';
  if (name.length + [...callId].length > EXEMPLAR_CHARS) return '';
  return ` # {${name}="${escaped(callId)}"} ${numberText(value)}`;
}

function labelsText(names: readonly string[], values: readonly string[]): string {
  let text = '';
  for (let i = 0; i < names.length; i++) text += `${i === 0 ? '' : ','}${names[i]}="${escaped(values[i] ?? '')}"`;
  return text;
}

const SPECIAL = /[\\"\n]/;

function escaped(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value === Number.POSITIVE_INFINITY ? '+Inf' : value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}
