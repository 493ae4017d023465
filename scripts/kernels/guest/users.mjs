// Who runs a check: root, or the user of the shipped unit with the rights that the unit gives it.
import { readdirSync, readFileSync } from 'node:fs';

const DEPLOY = '/calltap/deploy';

/** AmbientCapabilities of a unit's files, as systemd adds them up: an empty one begins anew. */
function capabilities(paths) {
  let names = [];
  for (const path of paths) {
    for (const [, value] of readFileSync(path, 'utf8').matchAll(/^AmbientCapabilities=(.*)$/gm))
      names = value.trim() === '' ? [] : [...names, ...value.trim().split(/\s+/)];
  }
  return names.map((name) => name.toLowerCase().replace(/^cap_/, ''));
}

/** Drop-ins that a check names behind a plus: `unit+tls` is the unit with deploy/calltap.service.d/tls.conf. */
function unitFiles(names) {
  const folder = `${DEPLOY}/calltap.service.d`;
  const shipped = readdirSync(folder);
  return [
    `${DEPLOY}/calltap.service`,
    ...names.map((name) => {
      if (!shipped.includes(`${name}.conf`)) throw new Error(`the unit has no drop-in ${name}`);
      return `${folder}/${name}.conf`;
    }),
  ];
}

/** The words that run `words` as `user`: root, unit, unit+DROP-IN. */
export function asUser(user, words) {
  if (user === 'root') return words;
  const [, ...dropIns] = user.split('+');
  const rights = capabilities(unitFiles(dropIns)).map((name) => `+${name}`);
  const set = rights.join(',');
  return [
    'setpriv',
    ...['--reuid', 'calltap', '--regid', 'calltap', '--clear-groups', '--no-new-privs'],
    ...['--inh-caps', `-all,${set}`, '--ambient-caps', `-all,${set}`, '--bounding-set', `-all,${set}`],
    ...words,
  ];
}
