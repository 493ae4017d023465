// Tries programs of Debian's releases as peers of SIP over TLS: each is installed in a root of its release, talks to a
// partner, and calltap observes it as shipped. Every message must be seen, read and written, with its addresses.
//
//   npm run tls-coverage                              all, as root; writes the table of docs/tls-coverage.md
//   npm run tls-coverage -- --release sid --program Kamailio --program janus
//   npm run tls-coverage -- --folder DIR              keeps the roots there instead of the system's temporary folder
//   npm run tls-coverage -- --jobs 1                  tries one program at a time instead of three
//
// It needs mmdebstrap, ip, openssl, readelf, a checkout that is built (npm test) and 5 GB. docs/development.md says how long
// it takes. Ends with 1 where a program could not be installed or run, and where a message or an address is missing
// although calltap says that the program can be observed.
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root as checkout } from './steps/files.mjs';
import { writePart } from './steps/page.mjs';
import { rootAt } from './steps/root.mjs';
import { say, seconds, which } from './steps/run.mjs';
import { cells, isWhole } from './tls-coverage/account.mjs';
import { PROGRAMS } from './tls-coverage/programs.mjs';
import { install, installNode, RELEASES, releaseRoot } from './tls-coverage/releases.mjs';

const HEAD = '| program | version | release | read | written | addresses | TLS | found by | probes |';

function asked() {
  const { values } = parseArgs({
    options: {
      release: { type: 'string', multiple: true, default: RELEASES },
      program: { type: 'string', multiple: true, default: [] },
      folder: { type: 'string', default: join(tmpdir(), 'calltap-tls-coverage') },
      jobs: { type: 'string', default: '3' },
    },
  });
  const unknown = values.release.find((name) => !RELEASES.includes(name));
  if (unknown !== undefined) throw new Error(`there is no release ${unknown}; known are ${RELEASES.join(', ')}`);
  const isMeant = ({ name }) => values.program.length === 0 || values.program.some((part) => name.includes(part));
  const programs = PROGRAMS.filter(isMeant);
  if (programs.length === 0) throw new Error(`no program is called so; known are ${names(PROGRAMS)}`);
  return { ...values, programs, jobs: Math.max(1, Number(values.jobs) || 1) };
}

const names = (programs) => programs.map(({ name }) => name).join(', ');

/** What is missing here, in one line; '' when nothing is. */
function missing() {
  if (process.getuid() !== 0) return 'run it as root';
  const lacks = ['mmdebstrap', 'ip', 'openssl', 'readelf', 'unshare'].filter((program) => which(program) === null);
  if (lacks.length > 0) return `install ${lacks.join(', ')}`;
  const isBuilt = ['test/live/lab.js', 'program/calltap.js'].every((file) => existsSync(join(checkout, 'dist', file)));
  return isBuilt ? '' : 'run `npm run build` first';
}

/** What is to be tried in a release: [{ program, release, root, version, words }]; `words` where it is not to be tried. */
function prepared(folder, release, programs) {
  const root = releaseRoot(folder, release);
  const all = programs.map((program) => {
    const { version, absent, reason } = install(root, program.packages);
    const row = { program, release, root, version };
    if (absent) return { ...row, words: 'not in this release', isFault: false };
    if (reason !== undefined) return { ...row, words: reason, isFault: true };
    const { can } = program;
    const isAble = can === undefined || can.says.test(root.must(can.line));
    return isAble ? row : { ...row, words: can.else, isFault: false };
  });
  say(
    `tls-coverage: ${release}: ${all.filter(({ words }) => words === undefined).length} of ${all.length} to be tried`,
  );
  return all;
}

/** The same of Nodes, which npm brings. */
function preparedNodes(folder, programs) {
  return programs.map((program) => {
    const { version, node, reason } = installNode(folder, program.npm);
    const row = { program, release: 'npm', root: rootAt('/'), version, node };
    return reason === undefined ? row : { ...row, words: reason, isFault: true };
  });
}

/** The row of one program in one release; whether something is wrong with it. */
async function tried(observe, { program, release, root, version, node, words, isFault }) {
  const start = performance.now();
  const row = (...rest) => `| ${[program.name, version ?? '', release, ...rest].join(' | ')} |`;
  const nothing = (why) => row('', '', '', '', why, '');
  if (words !== undefined) return { row: nothing(words), isFault };
  let line = '';
  let isWrong = true;
  try {
    const { count, tls, found, probes, why } = await observe({ root, program, node });
    // calltap never said that it sees a program whose TLS it names as one that it cannot observe.
    isWrong = why !== '' || (probes !== '' && !isWhole(count)) || (probes === '' && tls === '');
    line = row(...cells(count), tls, why === '' ? found : `${found}; ${why}`, probes);
  } catch (error) {
    line = nothing(`not run: ${error.message.split('\n')[0]}`);
  }
  say(`tls-coverage: ${line} (${seconds(start)})${isWrong ? ' WRONG' : ''}`);
  return { row: line, isFault: isWrong };
}

/** Runs `each` over a list, so many at a time; the results in the list's order. */
async function pooled(list, jobs, each) {
  const results = [];
  const rest = list.entries();
  const work = async () => {
    for (const [i, item] of rest) results[i] = await each(item);
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return results;
}

try {
  const { release: releases, programs, folder, jobs } = asked();
  const lacks = missing();
  if (lacks !== '') throw new Error(lacks);
  const start = performance.now();
  const { observe } = await import('./tls-coverage/observe.mjs');
  const ofDebian = programs.filter(({ npm }) => npm === undefined);
  const all = releases.flatMap((release) => prepared(folder, release, ofDebian));
  if (releases.length === RELEASES.length)
    all.push(
      ...preparedNodes(
        folder,
        programs.filter(({ npm }) => npm !== undefined),
      ),
    );
  const ordered = programs.flatMap((program) => all.filter((row) => row.program === program));
  const results = await pooled(ordered, jobs, (row) => tried(observe, row));
  const rows = results.map(({ row }) => row);
  if (programs.length === PROGRAMS.length && releases.length === RELEASES.length)
    writePart('tls-coverage', [HEAD, HEAD.replace(/[^|]+/g, ' --- '), ...rows]);
  process.stdout.write(`${[HEAD, ...rows].join('\n')}\n`);
  say(`tls-coverage: ${rows.length} rows, ${results.filter(({ isFault }) => isFault).length} wrong, ${seconds(start)}`);
  process.exitCode = results.some(({ isFault }) => isFault) ? 1 : 0;
} catch (error) {
  say(`tls-coverage: ${error.message}`);
  process.exitCode = 2;
}
