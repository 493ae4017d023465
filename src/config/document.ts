/** What is written from the option table: the help text, docs/cli.md, and the TOML of `--print-config`. */

import { needsOf } from './conflicts.ts';
import type { Effective } from './layers.ts';
import { toml } from './layers.ts';
import type { OptionSpec } from './option-spec.ts';
import { isBuiltIn, OPTION_GROUPS } from './option-spec.ts';
import { optionValueText } from './option-value.ts';
import { OPTIONS } from './options.ts';

const USAGE = 'calltap (-I FILE | -d IFACE | -L ADDR -E) [--api ADDR] [options]';

function flagText(spec: OptionSpec): string {
  const tail = spec.arg === undefined ? '' : spec.valueIfBare === undefined ? ` ${spec.arg}` : `[=${spec.arg}]`;
  return `${spec.short === undefined ? '   ' : `-${spec.short},`} --${spec.flag}${tail}`;
}

/** The text of `--help`: what is built in, by group. */
export function renderHelp(): string {
  const lines = [`Usage: ${USAGE}`, ''];
  for (const group of OPTION_GROUPS) {
    const specs = OPTIONS.filter((spec) => spec.group === group && isBuiltIn(spec));
    if (specs.length === 0) continue;
    lines.push(`${group}:`);
    for (const spec of specs) {
      const note = spec.default === undefined ? '' : ` [${spec.default}]`;
      lines.push(`  ${flagText(spec).padEnd(31)} ${spec.help}${note}`);
    }
    lines.push('');
  }
  const later = OPTIONS.filter((spec) => !isBuiltIn(spec)).map((spec) => `--${spec.flag}`);
  lines.push('Not built in this version:', ...wrap(later, 76, '  '), '');
  return lines.join('\n');
}

function requires({ flag }: OptionSpec): string {
  const needs = needsOf(flag).map((name) => `\`${name}\``);
  return needs.length === 0 ? '' : ` Requires ${needs.join(' or ')}.`;
}

function wrap(words: readonly string[], width: number, indent: string): string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of words) {
    if (line.length + word.length + 1 > width && line !== indent) {
      lines.push(line);
      line = indent;
    }
    line += line === indent ? word : ` ${word}`;
  }
  if (line !== indent) lines.push(line);
  return lines;
}

/** docs/cli.md. */
export function renderCliDoc(): string {
  const out = [
    '# Command line',
    '',
    'This page lists every option, for operators: its environment variable, its key in the configuration file and its',
    'default. It is generated from `src/config/options.ts`; do not edit it by hand.',
    '',
    `    ${USAGE}`,
    '',
    'calltap takes an option from the command line, else from the environment, else from the TOML file of `--config`, else',
    'it uses the default. A key of the file that is not on this page is an error.',
    'A mistake is one line on standard error that names the option, the reason and the remedy, and exit code 2.',
    'Exit codes: 0 done, 1 the work failed, 2 the command line or the configuration is wrong. Standard output',
    'carries data only.',
    '',
    'Addresses are `host:port`; without a host they mean 127.0.0.1, and port 0 picks a free port. Port ranges',
    'are lists such as `5060-5061,5080`. Sizes take the suffixes `k`, `M` and `G` (powers of 1024). Environment',
    'variables that are empty count as unset.',
    '',
    'Secrets have no key in the file: give them in the environment or in a file of their own, since the command line',
    'is visible to every user of the machine. calltap never prints them, not even with `--print-config`.',
    '',
  ];
  for (const group of OPTION_GROUPS) {
    out.push(`## ${group}`, '');
    out.push('| Option | Environment | Configuration key | Default | Meaning |', '|---|---|---|---|---|');
    for (const spec of OPTIONS.filter((each) => each.group === group)) {
      const cells = [
        `\`${flagText(spec).trim()}\`${spec.repeatable === true ? ' (repeatable)' : ''}`,
        spec.env === undefined ? '' : `\`${spec.env}\``,
        spec.toml === undefined ? '' : `\`${spec.toml}\``,
        spec.default === undefined ? '' : `\`${spec.default}\``,
        `${spec.help}${requires(spec)}${spec.refusal === undefined ? '' : ' Not built in this version.'}`,
      ];
      out.push(`| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`);
    }
    out.push('');
  }
  return out.join('\n');
}

/** The TOML that gives the same configuration, with the origin of every value that is not a default. */
export function renderConfig(effective: Effective): string {
  const { stringify } = toml();
  const sections = new Map<string, string[]>();
  for (const spec of OPTIONS) {
    const entry = effective.get(spec.flag);
    if (entry === undefined || spec.toml === undefined) continue;
    const [section = '', key = ''] = spec.toml.split('.');
    const values = entry.values.map((value) => (typeof value === 'object' ? optionValueText(value) : value));
    const value = spec.repeatable === true ? values : values[0];
    const line = stringify({ [key]: value }).trim();
    const note = entry.origin === 'default' ? '' : `  # ${entry.origin}`;
    sections.set(section, [...(sections.get(section) ?? []), `${line}${note}`]);
  }
  const secrets = OPTIONS.filter((spec) => spec.type.kind === 'secret' && effective.has(spec.flag)).map(
    (spec) => `# --${spec.flag} is given (${effective.get(spec.flag)?.origin}) and not shown\n`,
  );
  return [...sections]
    .map(([name, lines]) => `[${name}]\n${lines.join('\n')}\n`)
    .concat(secrets.length === 0 ? [] : [secrets.join('')])
    .join('\n');
}
