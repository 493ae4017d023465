// The manual page, written from the option table in the man macros of roff (man(7)).

/** Text that roff prints as it is. */
function plain(text) {
  const safe = text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    // Nobody finds the name of a variable that is hyphenated.
    .replaceAll(/\b[A-Z]+(?:_[A-Z]+)+\b/g, '\\%$&');
  return /^[.']/.test(safe) ? `\\&${safe}` : safe;
}

function term(spec) {
  if (spec.isKeyOnly === true) return `\\fB${plain(spec.toml)}\\fR = \\fI${plain(spec.arg)}\\fR`;
  const names = [...(spec.short === undefined ? [] : [`-${spec.short}`]), `--${spec.flag}`].map(plain);
  const bold = names.map((name) => `\\fB${name}\\fR`).join(', ');
  if (spec.arg === undefined) return bold;
  const arg = `\\fI${plain(spec.arg)}\\fR`;
  return spec.valueIfBare === undefined ? `${bold} ${arg}` : `${bold}[=${arg}]`;
}

function notes(spec, nameOf) {
  const out = [];
  const { needs = [] } = spec;
  if (needs.length > 0) out.push(`Requires ${needs.map(nameOf).join(' or ')}.`);
  if (spec.repeatable === true) out.push('Repeatable.');
  if (spec.default !== undefined) out.push(`Default: ${spec.default}.`);
  if (spec.env !== undefined) out.push(`Environment: ${spec.env}.`);
  if (spec.isKeyOnly === true) out.push('A key of the file alone.');
  else if (spec.toml !== undefined) out.push(`Key of the file: ${spec.toml}.`);
  return out;
}

/** docs/calltap.1. */
export function manualPage({ ROWS, OPTION_GROUPS, isBuiltIn, nameOf }) {
  const out = [
    '.\\" Generated from src/config/options.ts; do not edit it by hand.',
    '.TH CALLTAP 1 "" "calltap" "User Commands"',
    '.SH NAME',
    'calltap \\- SIP dialogs and RTP streams of a capture, over HTTP',
    '.SH SYNOPSIS',
    '.B calltap',
    '.RB [ \\-I',
    '.IR FILE ...]',
    '.RB [ \\-d',
    '.IR IFACE ...]',
    '.RB [ \\-\\-api',
    '.IR ADDR ]',
    '.RI [ OPTION ...]',
    '.SH DESCRIPTION',
    plain(
      'calltap reads SIP and RTP from capture files, interfaces or HEP, and shows the calls in it: as a table, as JSON, ',
    ),
    plain('as a report of one call, or over an HTTP API that it serves until a signal ends it.'),
    '.PP',
    plain(
      'calltap takes an option from the command line, else from the environment, else from the TOML file of --config, ',
    ),
    plain(
      'else it uses the default. A mistake is one line on standard error that names the option, the reason and the remedy.',
    ),
    '.SH OPTIONS',
  ];
  for (const group of OPTION_GROUPS) {
    const specs = ROWS.filter((spec) => spec.group === group && isBuiltIn(spec));
    if (specs.length === 0) continue;
    out.push(`.SS ${plain(group)}`);
    for (const spec of specs) out.push('.TP', term(spec), plain(spec.help), ...notes(spec, nameOf).map(plain));
  }
  out.push(
    '.SH EXIT STATUS',
    '.TP',
    '.B 0',
    'Done.',
    '.TP',
    '.B 1',
    'The work failed.',
    '.TP',
    '.B 2',
    'The command line or the configuration is wrong.',
    '.SH FILES',
    'calltap uses only the files that options name.',
    '.SH EXAMPLES',
    '.EX',
    plain('calltap -I calls.pcap'),
    plain('calltap -I calls.pcap --api 127.0.0.1:8080'),
    plain('calltap --mint-token --api-signing-key-file api.key --token-scope metrics'),
    '.EE',
  );
  return `${out.join('\n')}\n`;
}
