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

/** LimitMEMLOCK of the shipped unit, in words of a shell. */
function lockedMemory() {
  const [, value] = /^LimitMEMLOCK=(\w+)$/m.exec(readFileSync(`${DEPLOY}/calltap.service`, 'utf8')) ?? [];
  if (value !== 'infinity') throw new Error(`the unit has LimitMEMLOCK=${value}, which this check does not know`);
  return 'unlimited';
}

/** Drop-ins that a check names behind a plus: `unit+X` is the unit with deploy/calltap.service.d/X.conf. */
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

/** The capabilities of a user, without `cap_`. */
function rightsOf(user) {
  const [, ...dropIns] = user.split('+');
  return capabilities(unitFiles(dropIns));
}

/** Whether the user who is tried has a capability. */
export function hasRight(name) {
  const user = process.env.TRIED_USER ?? 'root';
  return user === 'root' || rightsOf(user).includes(name);
}

/** The words that run `words` as `user`: root, unit, unit+DROP-IN. */
export function asUser(user, words) {
  if (user === 'root') return words;
  const set = rightsOf(user)
    .map((name) => `+${name}`)
    .join(',');
  return [
    // The unit's: before 5.11 maps count as locked memory.
    ...['sh', '-c', `ulimit -l ${lockedMemory()}; exec "$@"`, 'sh'],
    // By its path: the shell has one of its own, which knows less.
    '/usr/bin/setpriv',
    ...['--reuid', 'calltap', '--regid', 'calltap', '--clear-groups', '--no-new-privs'],
    ...['--inh-caps', `-all,${set}`, '--ambient-caps', `-all,${set}`, '--bounding-set', `-all,${set}`],
    ...words,
  ];
}
