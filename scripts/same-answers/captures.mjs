// The captures that are asked about: those of the repository, those that are given, and those that a seed makes.
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fuzzedCapture } from './fuzz.mjs';
import { sha256 } from './normal.mjs';

const CAPTURE = /\.(pcap|pcapng|cap|bin)(\.gz)?$/;
/** One in so many is looked at closely. */
const ONE_IN = 8;

/** { name, path, isClose }: the name is that of the file as the program is given it. */
function below(folder, isClose) {
  const names = statSync(folder).isDirectory()
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((n) => CAPTURE.test(n))
        .sort()
        .map((n) => join(folder, n))
    : [folder];
  return names.map((path) => ({
    name: path === folder ? basename(path) : relative(folder, path).replaceAll('/', '__'),
    path,
    isClose: isClose || Number.parseInt(sha256(basename(path)).slice(0, 8), 16) % ONE_IN === 0,
  }));
}

/** One of each name; a second one gets a number before it. */
function withNames(captures) {
  const seen = new Map();
  return captures.map((one) => {
    const n = seen.get(one.name) ?? 0;
    seen.set(one.name, n + 1);
    return n === 0 ? one : { ...one, name: `${n + 1}-${one.name}` };
  });
}

/** All captures of the repository in one folder, which is read as one capture. */
function together(captures, folder) {
  const path = join(folder, 'together');
  mkdirSync(path, { recursive: true });
  for (const one of captures) copyFileSync(one.path, join(path, one.name));
  return { name: 'together', path, isClose: true };
}

export function capturesOf(root, given, { every, seeds, fixtures }, folder) {
  const gone = given.find((path) => !existsSync(path));
  if (gone !== undefined) throw new Error(`${gone} is not there; give files or folders of captures`);
  const made = seeds.map((seed) => {
    const path = join(folder, `fuzzed-${seed}.pcap`);
    writeFileSync(path, fuzzedCapture(seed));
    return { name: basename(path), path, isClose: true };
  });
  const own = fixtures ? ['demo', 'pcap', 'hops'].map((part) => join(root, 'fixtures', part)) : [];
  const ofRoot = withNames(
    own.filter((path) => existsSync(path)).flatMap((path) => below(path, every || path.endsWith('demo'))),
  );
  const all = ofRoot.length === 0 ? made : [...made, together(ofRoot, folder), ...ofRoot];
  return withNames([...all, ...given.flatMap((path) => below(path, every))]);
}
