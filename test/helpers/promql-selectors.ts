/** The series selectors of a PromQL expression: metric names and what their labels are matched with. */

export type Selector = {
  readonly name: string;
  /** Label and the text it is compared with, whatever the comparison. */
  readonly labels: readonly (readonly [label: string, value: string])[];
};

const KEYWORDS: ReadonlySet<string> = new Set([
  'and',
  'or',
  'unless',
  'bool',
  'by',
  'on',
  'without',
  'ignoring',
  'inf',
  'offset',
]);

/** In the order they stand in. Names of functions are no selectors, nor are grouping labels. */
export function selectorsOf(expression: string): Selector[] {
  const text = expression.replaceAll(/\b(?:by|on|without|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ');
  const found: Selector[] = [];
  const pattern =
    /(?<![\w:.$])([a-zA-Z_:][\w:]*)\s*(\(|\{((?:[^}"]|"(?:[^"\\]|\\.)*")*)\})?|\[[^\]]*\]|"(?:[^"\\]|\\.)*"/g;
  for (const [, name, follows, matchers] of text.matchAll(pattern)) {
    if (name === undefined || follows === '(' || KEYWORDS.has(name)) continue;
    const labels = [...(matchers ?? '').matchAll(/([a-zA-Z_]\w*)\s*(?:=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"/g)];
    found.push({ name, labels: labels.map(([, label, value]) => [label ?? '', value ?? ''] as const) });
  }
  return found;
}
