// deploy/calltap.toml, the configuration file of the packages, written from the option table.

/** What the service of the packages starts with; every other line is a comment. */
const ACTIVE = {
  'capture.device': '["any"]',
  // Of a day, where the disk has room.
  'capture.output': '"/var/lib/calltap/ring.pcapng"',
  'capture.split': '"10min"',
  'capture.keep': '"24h"',
  'api.listen': '"127.0.0.1:8080"',
  'api.ask': 'true',
  'api.key_file': '"/etc/calltap/key"',
};

/** The default as TOML, else what stands for the value: the name that the help gives it. */
function example({ type, arg, repeatable, default: usual }) {
  if (type.kind === 'bool') return 'true';
  const isPlain = usual !== undefined && /^-?\d+(\.\d+)?$/.test(usual);
  const text = isPlain ? usual : JSON.stringify(usual ?? arg);
  return repeatable === true ? `[${text}]` : text;
}

export function sampleConfig({ ROWS, isBuiltIn }) {
  const rows = ROWS.filter((spec) => spec.toml !== undefined && isBuiltIn(spec));
  const sections = new Map();
  for (const spec of rows) {
    const [section, key] = spec.toml.split('.');
    const active = ACTIVE[spec.toml];
    const line = active === undefined ? `#${key} = ${example(spec)}` : `${key} = ${active}`;
    sections.set(section, [...(sections.get(section) ?? []), `# ${spec.help}\n${line}`]);
  }
  return [
    '# Options of the calltap service (systemctl restart calltap after a change; calltap(1) explains each).',
    '# A line that begins with "#" and a name shows a default, or in capitals what belongs there. Remove the "#" to change it.',
    '# Check the file: calltap --config /etc/calltap.toml --print-config',
    '# Secrets have no line here: the key of the API is in /etc/calltap/key; for others put NAME=value lines into',
    '# /etc/calltap.env (mode 600).',
    '#',
    '# calltap keeps what was captured for 24 hours in /var/lib/calltap, and an index of calls beside it (history.md). A call of',
    '# G.711 takes 25 kB a second with both directions: 10 calls at a time around the clock are 21 GB, 100 are 214 GB. Where the disk',
    '# has less, the oldest files go, so that a twentieth of it stays free. All packets are in them, sound too: comment output,',
    '# split and keep out where none may be kept.',
    ...[...sections].map(([name, lines]) => `\n[${name}]\n${lines.join('\n\n')}`),
    '',
  ].join('\n');
}
