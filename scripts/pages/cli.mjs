// docs/cli.md, written from the option table.

function requires({ needs = [] }, nameOf) {
  const names = needs.map((flag) => `\`${nameOf(flag)}\``);
  return names.length === 0 ? '' : ` Requires ${names.join(' or ')}.`;
}

function refused({ refusal }) {
  return refusal === undefined ? '' : ' Not built in this version.';
}

function hidden({ isHidden }) {
  return isHidden === true ? ' The help leaves it out: only habits of sngrep need it.' : '';
}

const KEYS_ALONE = [
  'A site chooses these figures once: they are keys of the configuration file alone.',
  '',
  '| Configuration key | Value | Default | Meaning |',
  '|---|---|---|---|',
];

/** Written by hand. */
const WENT = [
  '## Options that went, and what to write instead',
  '',
  'Whoever still writes one of these gets a line that says the same, and exit code 2.',
  '',
  '| Gone | Write instead |',
  '|---|---|',
  '| `--diag-NAME VALUE`, such as `--diag-no-media 5` | `no_media = 5` under `[diagnosis]` in a file, and `--config FILE` ([Diagnosis](#diagnosis)) |',
  '| `CALLTAP_DIAG_NAME` in the environment | the same |',
  '| `--diag-one-way-stop`, `diagnosis.one_way_stop` | nothing; `diagnosis.media_stop` decides when media has stopped |',
  '| `--uprobe-offset /opt/sbc:SSL_read=0x10,SSL_write=0x20` | the line `/opt/sbc SSL_read=0x10 SSL_write=0x20` in a file, and `--uprobe-offsets FILE` |',
  '| `capture.uprobe_offset` | the same file, and `uprobe_offsets = "FILE"` under `[capture]` |',
  '',
];

export function cliPage({ OPTIONS, ROWS, OPTION_GROUPS, USAGE, flagText, nameOf }) {
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
    const keys = ROWS.filter((each) => each.group === group && each.isKeyOnly === true);
    if (keys.length > 0) {
      out.push(
        ...KEYS_ALONE,
        ...keys.map((key) => `| \`${key.toml}\` | ${key.arg} | \`${key.default}\` | ${key.help} |`),
        '',
      );
      continue;
    }
    out.push('| Option | Environment | Configuration key | Default | Meaning |', '|---|---|---|---|---|');
    for (const spec of OPTIONS.filter((each) => each.group === group)) {
      const cells = [
        `\`${flagText(spec).trim()}\`${spec.repeatable === true ? ' (repeatable)' : ''}`,
        spec.env === undefined ? '' : `\`${spec.env}\``,
        spec.toml === undefined ? '' : `\`${spec.toml}\``,
        spec.default === undefined ? '' : `\`${spec.default}\``,
        `${spec.help}${requires(spec, nameOf)}${refused(spec)}${hidden(spec)}`,
      ];
      out.push(`| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`);
    }
    out.push('');
  }
  out.push(...WENT);
  return out.join('\n');
}
