// Who runs a check: root, or the user of the shipped unit with the rights that the unit gives it.
import { readdirSync, readFileSync } from 'node:fs';

/** Where the program, its unit and the demo capture are: of the checkout, or of the package that the guest has. */
export const { place } = JSON.parse(readFileSync('/kernels/plan.json', 'utf8'));
/** Who runs calltap in this check; the check itself is root. */
const user = process.env.TRIED_USER ?? 'root';

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
  const [, value] = /^LimitMEMLOCK=(\w+)$/m.exec(readFileSync(place.unit, 'utf8')) ?? [];
  if (value !== 'infinity') throw new Error(`the unit has LimitMEMLOCK=${value}, which this check does not know`);
  return 'unlimited';
}

/** Drop-ins that a check names behind a plus: `unit+X` is the unit with calltap.service.d/X.conf. */
function unitFiles(names) {
  const shipped = readdirSync(place.dropIns);
  return [
    place.unit,
    ...names.map((name) => {
      if (!shipped.includes(`${name}.conf`)) throw new Error(`the unit has no drop-in ${name}`);
      return `${place.dropIns}/${name}.conf`;
    }),
  ];
}

/** The capabilities of the user, without `cap_`. */
function rights() {
  const [, ...dropIns] = user.split('+');
  return capabilities(unitFiles(dropIns));
}

/** Whether the user who is tried has a capability. */
export function hasRight(name) {
  return user === 'root' || rights().includes(name);
}

/** The words that run `words` as the user who is tried: root, unit, unit+DROP-IN. */
export function asUser(words) {
  if (user === 'root') return words;
  const set = rights()
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
