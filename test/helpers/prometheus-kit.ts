/** What deploy/prometheus and deploy/grafana say: rules with their expressions and annotations, dashboards with their queries. */
import { readdirSync } from 'node:fs';
import { repositoryFile, repositoryRoot } from '../contract/repository.ts';
import { asJson, asRows } from './json.ts';

export const KIT = `${repositoryRoot()}/deploy/prometheus`;
export const RULE_FILES = ['calltap.rules.yml', 'calltap.alerts.yml'] as const;

export type Rule = {
  readonly kind: 'record' | 'alert';
  readonly name: string;
  readonly expression: string;
  /** As written: `{{ $value }}` is not filled in. */
  readonly annotations: Readonly<Record<string, string>>;
};

/** A text of YAML as the rule files write it: plain, or within single quotes. */
function plain(text: string): string {
  return text.startsWith("'") ? text.slice(1, -1).replaceAll("''", "'") : text;
}

/** The rules of a file. It reads the YAML that these files are written in, and no other. */
export function rulesOf(yaml: string): Rule[] {
  return yaml.split(/^(?= {6}- (?:record|alert): )/m).flatMap((block) => {
    const [, kind, name = ''] = /^ {6}- (record|alert): (\S+)\n/.exec(block) ?? [];
    if (kind !== 'record' && kind !== 'alert') return [];
    const [, one = '', more = ''] = /^ {8}expr: (.*)\n((?: {10}.*\n)*)/m.exec(block) ?? [];
    const expression = one === '|' ? more : one;
    const pairs = [...block.matchAll(/^ {10}(summary|description|docs): (.*)$/gm)];
    const annotations = Object.fromEntries(pairs.map(([, key = '', text = '']) => [key, plain(text)]));
    return [{ kind, name, expression, annotations }];
  });
}

export const RULES: readonly Rule[] = RULE_FILES.flatMap((name) =>
  rulesOf(repositoryFile(`deploy/prometheus/${name}`)),
);
export const ALERTS = RULES.filter(({ kind }) => kind === 'alert');

export type Panel = Readonly<Record<string, unknown>>;
export type Dashboard = { readonly file: string; readonly board: Readonly<Record<string, unknown>> };

/** Those that ask Prometheus; that of the store asks ClickHouse (test/store/dashboard.test.ts). */
export const DASHBOARDS: readonly Dashboard[] = readdirSync(`${repositoryRoot()}/deploy/grafana`)
  .filter((file) => file !== 'calltap-store.json')
  .map((file) => ({ file, board: asJson(JSON.parse(repositoryFile(`deploy/grafana/${file}`))) }));

export function panelsOf({ board }: Dashboard): Panel[] {
  return asRows(board['panels']);
}

export type Query = { readonly where: string; readonly expression: string };

/** Every expression of a dashboard: of panels, annotations and variables; as Grafana fills it in. */
export function queriesOf(dashboard: Dashboard): Query[] {
  const { file, board } = dashboard;
  const panels = panelsOf(dashboard).flatMap((panel) =>
    asRows(panel['targets'] ?? []).map((target) => [String(panel['title']), String(target['expr'])] as const),
  );
  const lists = ['annotations', 'templating'].flatMap((name) => asRows(asJson(board[name])['list']));
  const others = lists.flatMap((row) => {
    const of = /^label_values\((.*), \w+\)$/.exec(String(row['definition']))?.[1];
    const asked = of ?? row['expr'];
    return typeof asked === 'string' ? [[String(row['name']), asked] as const] : [];
  });
  return [...panels, ...others].map(([title, text]) => ({ where: `${file}: ${title}`, expression: filledIn(text) }));
}

function filledIn(text: string): string {
  return text
    .replaceAll('$__rate_interval', '5m')
    .replaceAll('$__range', '1h')
    .replaceAll(/\$(?:job|instance|trunk)\b/g, '.*');
}
