/** What is written from the option table: the help text, and the TOML of `--print-config`. */

import type { Effective } from './layers.ts';
import { toml } from './layers.ts';
import type { OptionSpec } from './option-spec.ts';
import { isBuiltIn, OPTION_GROUPS } from './option-spec.ts';
import { optionValueText } from './option-value.ts';
import { OPTIONS, ROWS } from './options.ts';

export const USAGE = 'calltap (FILE... | -d IFACE | -L ADDR -E) [--api ADDR] [options]';

/** Both names of an option, and its argument. */
export function flagText(spec: OptionSpec): string {
  const tail = spec.arg === undefined ? '' : spec.valueIfBare === undefined ? ` ${spec.arg}` : `[=${spec.arg}]`;
  return `${spec.short === undefined ? '   ' : `-${spec.short},`} --${spec.flag}${tail}`;
}

/** The text of `--help`: what is built in, by group. */
export function renderHelp(): string {
  const lines = [`Usage: ${USAGE}`, ''];
  for (const group of OPTION_GROUPS) {
    const specs = OPTIONS.filter((spec) => spec.group === group && isBuiltIn(spec) && spec.isHidden !== true);
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

/** The TOML that gives the same configuration, with the origin of every value that is not a default. */
export function renderConfig(effective: Effective): string {
  const { stringify } = toml();
  const sections = new Map<string, string[]>();
  for (const spec of ROWS) {
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
