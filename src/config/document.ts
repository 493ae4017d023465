/** The texts of help, and what is written from the option table: the reference of `--help`, and the TOML of `--print-config`. */

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

const EXAMPLES = `Capture on all interfaces, as root; Ctrl-C ends it and prints the calls:
  calltap -d any
Read a file, a folder or a pattern:
  calltap calls.pcap
Find the calls that failed:
  calltap calls.pcap --filter state:Failed
Explain the first of them; a Call-ID in place of row:1 names any call:
  calltap calls.pcap --filter state:Failed --call-report row:1
Look through calls, ladders and messages on the terminal; -d any works too:
  calltap -i calls.pcap
Serve the API, and the console at http://127.0.0.1:8080/console/:
  calltap -d any --api 127.0.0.1:8080 --console
`;

const SCREEN = `calltap shows the SIP calls of a capture or of this host, and what is wrong.

Usage: ${USAGE}

${EXAMPLES}
Read more:
  calltap                   the interfaces of this host
  calltap --help            every option, by group
  calltap --help filter     the language of filters, on one page
  calltap --help findings   what each finding means, and where to look next
  man calltap               the options on a page; docs/tasks.md has tasks
`;

/** The text that `-h` or `--help` asks for; `-h` without a topic is one screen. */
export function renderHelp(argv: readonly string[]): string {
  const next = argv[argv.indexOf('-h') + 1];
  return argv.includes('-h') && next !== 'options' ? SCREEN : renderReference();
}

/** What is built in, by group. */
function renderReference(): string {
  const lines = [`Usage: ${USAGE}`, '', EXAMPLES];
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
