// Compares the exits that calltap finds in TLS functions with objdump's, in the packages of Debian 11, 12, 13 and sid:
//
//   npm run exits [-- SUITE...]      wants apt, readelf and the objdumps of both processors; a checkout that is built
//
// Packages come through apt, with folders of its own below build/tls-exits, from where this system has its own; nothing
// is installed. Writes the table of docs/tls-exits.md when all suites are asked for. Ends with 1 where the two differ.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { archives, ownApt, updateLists } from './steps/apt.mjs';
import { root } from './steps/files.mjs';
import { capture, captureTwice, say, which } from './steps/run.mjs';

const work = join(root, 'build/tls-exits');
const SUITES = [
  { name: 'bullseye', title: 'Debian 11', more: ['bullseye-updates'], security: true },
  { name: 'bookworm', title: 'Debian 12', more: ['bookworm-updates'], security: true },
  { name: 'trixie', title: 'Debian 13', more: ['trixie-updates'], security: true },
  { name: 'sid', title: 'sid', more: [], security: false },
];
const PROCESSORS = [
  { arch: 'amd64', title: 'x86-64', objdump: ['x86_64-linux-gnu-objdump', 'objdump'] },
  { arch: 'arm64', title: 'arm64', objdump: ['aarch64-linux-gnu-objdump', 'objdump'] },
];
/** Packages whose files define the functions. */
const WANTED =
  /^(libssl(1\.1|3)(t64)?|libgnutls30(t64)?|libwolfssl\d+(\.\d+)*(t64)?|libmbedtls\d+(t64)?|libnode\d+(t64)?|nodejs)$/;

const PAGE = join(root, 'docs/tls-exits.md');

function fail(line) {
  say(`exits: ${line}`);
  process.exit(1);
}

/** Fetches the lists of one suite; the options with which apt uses them. */
function listsOf(suite, { main, security }) {
  const sources = [suite.name, ...suite.more].map((name) => `deb ${main} ${name} main`);
  if (suite.security && security !== undefined) sources.push(`deb ${security} ${suite.name}-security main`);
  const options = ownApt(join(work, suite.name), sources, ['amd64', 'arm64']);
  say(`exits: lists of ${suite.name}`);
  const failed = updateLists(options, suite.name);
  if (failed !== '') fail(`apt-get update of ${suite.name} failed\n${failed}`);
  return options;
}

/** Downloads and unpacks what is wanted: [{ name, version, folder }]. What was unpacked before is kept. */
function packagesOf(suite, arch) {
  const { options } = suite;
  const names = capture('apt-cache', [...options, 'pkgnames'])
    .output.split('\n')
    .filter((name) => WANTED.test(name))
    .sort();
  const found = [];
  for (const name of names) {
    const shown = capture('apt-cache', [...options, 'show', '--all-versions', `${name}:${arch}`]);
    // None: a name that only another package depends on. The newest is not on every mirror for both processors.
    const versions = shown.code === 0 ? [...shown.output.matchAll(/^Version: (.+)$/gm)].map((m) => m[1]) : [];
    const folderOf = (version) =>
      join(work, suite.name, 'packages', `${name}_${version.replace(/[^\w.+~-]/g, '_')}_${arch}`);
    const version = versions.find(
      (v) => existsSync(folderOf(v)) || unpack(options, `${name}:${arch}=${v}`, folderOf(v)),
    );
    if (version !== undefined) found.push({ name, version, folder: folderOf(version) });
    else if (versions.length > 0) fail(`no version of ${name}:${arch} can be downloaded`);
  }
  return found;
}

/** Whether it could be had. */
function unpack(options, name, folder) {
  const deb = `${folder}.download`;
  rmSync(deb, { recursive: true, force: true });
  mkdirSync(deb, { recursive: true });
  const r = captureTwice(name, 'apt-get', [...options, 'download', '-q', name], { cwd: deb });
  const [file] = readdirSync(deb).filter((entry) => entry.endsWith('.deb'));
  if (r.code !== 0 || file === undefined) {
    rmSync(deb, { recursive: true, force: true });
    say(`exits: ${name} cannot be downloaded: ${r.output.trim().split('\n').at(-1)}`);
    return false;
  }
  const x = capture('dpkg-deb', ['-x', join(deb, file), `${folder}.partial`]);
  if (x.code !== 0) fail(`${name} cannot be unpacked\n${x.output}`);
  const moved = capture('mv', [`${folder}.partial`, folder]);
  if (moved.code !== 0) fail(moved.output);
  rmSync(deb, { recursive: true, force: true });
  return true;
}

/** Regular ELF files below a folder. */
function elfFiles(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((path) => statSync(path).size > 64 && readFileSync(path).readUInt32BE(0) === 0x7f454c46);
}

function compareAll(compareExits, suites) {
  const results = [];
  for (const suite of suites)
    for (const { arch, title, objdump } of PROCESSORS) {
      const program = objdump.find((name) => which(name) !== null);
      for (const { name, version, folder } of packagesOf(suite, arch))
        for (const path of elfFiles(folder)) {
          const rows = compareExits(path, program);
          if (rows.length === 0) continue;
          const differing = rows.filter((row) => row.difference !== '');
          const file = path.slice(path.lastIndexOf('/') + 1);
          const counts = ['exits', 'entry', 'none'].map((kind) => rows.filter((row) => row.probes === kind).length);
          say(
            `exits: ${suite.name} ${arch} ${name} ${version} ${file}: ${counts.join(' + ')}, ${differing.length} differ`,
          );
          for (const row of differing) say(`  ${row.name}: ${row.difference}`);
          results.push({ suite, arch: title, name, version, file, rows });
        }
    }
  return results;
}

/* ---- The page ---- */

const LIBRARIES = [
  [/^libssl/, 'OpenSSL'],
  [/^libgnutls/, 'GnuTLS'],
  [/^libwolfssl/, 'wolfSSL'],
  [/^libmbedtls/, 'Mbed TLS'],
];
const libraryOf = (name) => LIBRARIES.find(([pattern]) => pattern.test(name))?.[1] ?? name;

function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** One row a file: how many functions are probed in which way. */
function fileRows(results) {
  return results.map(({ suite, arch, name, version, rows }) => {
    const count = (kind) => rows.filter((row) => row.probes === kind).length;
    const exits = rows.reduce((sum, row) => sum + row.exits, 0);
    const differing = rows.filter((row) => row.difference !== '').length;
    return [suite.title, arch, `${name} ${version}`, count('exits'), exits, count('entry'), count('none'), differing];
  });
}

/** One row a function, verdict and reason: in which releases and for which processors. */
function functionRows(results, kind) {
  const found = new Map();
  for (const { suite, arch, name, rows } of results)
    for (const row of rows) {
      if (row.probes !== kind) continue;
      const key = JSON.stringify([libraryOf(name), row.name, row.why]);
      const where = found.get(key) ?? new Map();
      where.set(suite.title, [...(where.get(suite.title) ?? []), arch]);
      found.set(key, where);
    }
  return [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, where]) => {
      const [library, name, why] = JSON.parse(key);
      const both = (archs) => (archs.length === PROCESSORS.length ? '' : ` (${archs.join(', ')})`);
      return [library, `\`${name}\``, why, [...where].map(([title, archs]) => `${title}${both(archs)}`).join(', ')];
    });
}

function page(results) {
  const rows = results.flatMap((result) => result.rows);
  const differing = rows.filter((row) => row.difference !== '').length;
  const exits = rows.reduce((sum, row) => sum + row.exits, 0);
  const none = functionRows(results, 'none');
  const heads = ['library', 'function', 'why', 'where'];
  return `# Exits of TLS functions

This page shows engineers which TLS functions calltap reads at their exits. \`npm run exits\` writes it: it fetches the TLS
libraries of Debian's releases for both processors and compares calltap's findings with objdump. Of ${exits} exits of
${rows.length} functions in ${results.length} files **${differing} differ**. Debian's node uses libssl. \`npm run test:slow\` compares a node that brings its own
OpenSSL, and the libraries of the machine.

${table(['release', 'processor', 'package', 'functions at their exits', 'exits', 'entry only', 'not attached', 'differ'], fileRows(results))}

## Functions that calltap reads only at their entry

They can leave by a jump that nothing in the file bounds. Handshakes, resets and frees need no more than their entry.
\`gnutls_record_send\` continues as \`gnutls_record_send2\` and \`SSL_write_ex\` as \`SSL_write_ex2\`, which have their own probes. Where
\`SSL_new\` is among them, only \`SSL_free\` shows that the memory of an object is used again.

${table(heads, functionRows(results, 'entry'))}

## Functions that are not attached

${none.length === 0 ? 'None in these packages.' : table(heads, none)}
`;
}

const asked = process.argv.slice(2);
const suites = SUITES.filter((suite) => asked.length === 0 || asked.includes(suite.name));
if (suites.length === 0) fail(`suites are ${SUITES.map((s) => s.name).join(', ')}`);
for (const program of ['apt-get', 'dpkg-deb', 'readelf'])
  if (which(program) === null) fail(`${program} is missing (Debian: apt, dpkg, binutils)`);
for (const { title, objdump } of PROCESSORS) {
  const isKnown = objdump.some((name) =>
    capture(name, ['-i']).output.includes(title === 'arm64' ? 'aarch64' : 'x86-64'),
  );
  if (!isKnown) fail(`no objdump for ${title}: apt-get install binutils-aarch64-linux-gnu or binutils-multiarch`);
}
const helper = join(root, 'dist/test/helpers/objdump-ranges.js');
if (!existsSync(helper)) fail('the checkout is not built: npm run build:ts');
const { compareExits } = await import(helper);
let from;
try {
  from = archives();
} catch (error) {
  fail(error.message);
}
const results = compareAll(
  compareExits,
  suites.map((suite) => ({ ...suite, options: listsOf(suite, from) })),
);
const all = results.flatMap((result) => result.rows);
const differing = all.filter((row) => row.difference !== '').length;
say(`exits: ${results.length} files, ${all.length} functions, ${differing} differ`);
if (asked.length === 0) writeFileSync(PAGE, page(results));
if (differing > 0) process.exitCode = 1;
