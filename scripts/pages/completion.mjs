// Shell completions, written from the option table.

const HEAD = '# Generated from src/config/options.ts; do not edit it by hand.';

/** What a value is completed with. */
function kindOf(spec) {
  if (spec.type.kind === 'choice') return 'choice';
  if (spec.arg === 'IFACE') return 'interface';
  return spec.arg === 'FILE' || spec.arg === 'PATH' ? 'file' : 'none';
}

function names(spec) {
  return [...(spec.short === undefined ? [] : [`-${spec.short}`]), `--${spec.flag}`];
}

function choices(spec) {
  return spec.type.kind === 'choice' ? spec.type.values : [];
}

/** deploy/completion/calltap.bash. */
export function bashCompletion({ OPTIONS, isBuiltIn }) {
  const known = OPTIONS.filter(isBuiltIn);
  const byKind = (kind) =>
    known
      .filter((spec) => spec.arg !== undefined && kindOf(spec) === kind)
      .flatMap(names)
      .join('|');
  const cases = [
    `    ${byKind('file')})`,
    '      COMPREPLY=($(compgen -f -- "$word"))',
    '      compopt -o filenames 2>/dev/null',
    '      return ;;',
    `    ${byKind('interface')})`,
    '      COMPREPLY=($(compgen -W "any $(command ls /sys/class/net 2>/dev/null)" -- "$word"))',
    '      return ;;',
    ...known
      .filter((spec) => kindOf(spec) === 'choice')
      .flatMap((spec) => [
        `    ${names(spec).join('|')})`,
        `      COMPREPLY=($(compgen -W "${choices(spec).join(' ')}" -- "$word"))`,
        '      return ;;',
      ]),
    `    ${byKind('none')})`,
    '      return ;;',
  ];
  return [
    HEAD,
    '# shellcheck shell=bash disable=SC2207',
    '_calltap() {',
    `  local word="$2" before="$3"`,
    '  COMPREPLY=()',
    '  case "$before" in',
    ...cases,
    '  esac',
    `  COMPREPLY=($(compgen -W "${known.flatMap(names).join(' ')}" -- "$word"))`,
    '}',
    'complete -F _calltap calltap',
    '',
  ].join('\n');
}

/** deploy/completion/_calltap, for a folder on zsh's fpath. */
export function zshCompletion({ OPTIONS, isBuiltIn }) {
  const known = OPTIONS.filter(isBuiltIn);
  const quote = (text) => text.replaceAll("'", "'\\''").replaceAll(/[[\]:]/g, '\\$&');
  const lines = known.map((spec) => {
    const all = names(spec);
    const repeat = spec.repeatable === true ? '*' : '';
    const exclusive = spec.repeatable === true || all.length === 1 ? '' : `(${all.join(' ')})`;
    const action = { file: '_files', interface: '_net_interfaces', choice: `(${choices(spec).join(' ')})`, none: ' ' };
    const value = spec.arg === undefined ? '' : `:${quote(spec.arg)}:${action[kindOf(spec)]}`;
    const help = `[${quote(spec.help)}]${value}`;
    if (all.length === 1) return `  '${repeat}${all[0]}${help}'`;
    return `  '${exclusive}${repeat}'{${all.join(',')}}'${help}'`;
  });
  return ['#compdef calltap', HEAD, '', '_arguments -s -S \\', `${lines.join(' \\\n')}`, ''].join('\n');
}

/** deploy/completion/calltap.fish. */
export function fishCompletion({ OPTIONS, isBuiltIn }) {
  const quote = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const values = {
    file: '-r -F',
    interface: "-x -a 'any (command ls /sys/class/net 2>/dev/null)'",
    none: '-x',
  };
  const lines = OPTIONS.filter(isBuiltIn).map((spec) => {
    const short = spec.short === undefined ? '' : ` -s ${spec.short}`;
    const kind = kindOf(spec);
    const value = kind === 'choice' ? `-x -a ${quote(choices(spec).join(' '))}` : values[kind];
    const takes = spec.arg === undefined || spec.valueIfBare !== undefined ? '' : ` ${value}`;
    return `complete -c calltap${short} -l ${spec.flag}${takes} -d ${quote(spec.help)}`;
  });
  return [HEAD, 'complete -c calltap -f', ...lines, ''].join('\n');
}
