// Builds libbpf, libelf and zlib as archives that an addon can contain, from the sources of Debian 12: its own archives
// are not position-independent. An addon with them needs no library but those of libc and the compiler.
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { archives, ownApt, updateLists } from '../steps/apt.mjs';
import { digest } from '../steps/files.mjs';
import { capture, captureTwice, say, seconds } from '../steps/run.mjs';
import { work } from './machines.mjs';

const RELEASE = 'bookworm';
const SOURCES = join(work, 'sources');
const LIBRARIES = ['zlib', 'elfutils', 'libbpf'];

/** What libbpf's users include. */
const BPF_HEADERS = /^(bpf|btf|libbpf\w*|bpf_\w+)\.h$/;

/** Runs one command of a build; throws its last lines. */
function run(what, program, args, options) {
  const { code, output } = capture(program, args, options);
  if (code !== 0) throw new Error(`${what}: failed\n${output.trimEnd().split('\n').slice(-12).join('\n')}`);
}

/** Fetches and unpacks the sources; signatures of the archive are checked by apt. */
function fetchSources() {
  if (LIBRARIES.every((name) => folderOf(name) !== null)) return;
  mkdirSync(SOURCES, { recursive: true });
  const from = archives();
  const lines = [`deb-src ${from.main} ${RELEASE} main`];
  if (from.security !== undefined) lines.push(`deb-src ${from.security} ${RELEASE}-security main`);
  const options = ownApt(join(work, 'apt'), lines);
  const failed = updateLists(options, `${RELEASE} (sources)`);
  if (failed !== '') throw new Error(failed.trimEnd());
  const words = [...options, '-q', 'source', '--download-only', ...LIBRARIES];
  const got = captureTwice('sources', 'apt-get', words, { cwd: SOURCES });
  if (got.code !== 0) throw new Error(got.output.trimEnd());
  for (const file of readdirSync(SOURCES).filter((name) => name.endsWith('.dsc')))
    run(file, 'dpkg-source', ['-q', '--no-check', '-x', file], { cwd: SOURCES });
}

/** The unpacked source of a library below `at`, or null. */
function folderOf(name, at = SOURCES) {
  if (!existsSync(at)) return null;
  const found = readdirSync(at, { withFileTypes: true }).find((e) => e.isDirectory() && e.name.startsWith(`${name}-`));
  return found === undefined ? null : join(at, found.name);
}

/** Names and Debian versions of what is linked in, for the bill of materials. */
export function linkedLibraries() {
  const files = readdirSync(SOURCES).filter((name) => name.endsWith('.dsc'));
  return LIBRARIES.map((name) => {
    const file = files.find((entry) => entry.startsWith(`${name}_`)) ?? '';
    return { name, version: file.slice(name.length + 1, -'.dsc'.length) };
  });
}

/** Builds the three for a processor, once: the folder with include/ and lib/. Throws what failed. */
export function buildLibraries({ arch, triplet, cc }) {
  fetchSources();
  const out = join(work, 'libraries', arch);
  const stamp = digest(['scripts/package/libraries.mjs'], ...linkedLibraries().map((l) => `${l.name} ${l.version}`));
  const made = join(out, 'made');
  if (existsSync(made) && capture('grep', ['-q', stamp, made]).code === 0) return out;
  const start = performance.now();
  const build = join(work, 'libraries', `${arch}-build`);
  for (const folder of [out, build]) rmSync(folder, { recursive: true, force: true });
  for (const folder of [join(out, 'include/bpf'), join(out, 'lib'), build]) mkdirSync(folder, { recursive: true });
  for (const name of LIBRARIES)
    cpSync(folderOf(name), join(build, name), { recursive: true, preserveTimestamps: true });
  const tools = { CC: `${cc}gcc`, AR: `${cc}gcc-ar` };
  // No path of this machine in what is built.
  const flags = `-O2 -g0 -fPIC -ffile-prefix-map=${build}=.`;
  const env = { ...process.env, ...tools, CFLAGS: flags, CPPFLAGS: `-I${out}/include`, LDFLAGS: `-L${out}/lib` };
  const take = (from, to) => cpSync(join(build, from), join(out, to));

  const zlib = { cwd: join(build, 'zlib'), env: { ...env, CHOST: triplet } };
  run('zlib', './configure', ['--static'], zlib);
  run('zlib', 'make', ['libz.a'], zlib);
  for (const header of ['zlib.h', 'zconf.h']) take(`zlib/${header}`, `include/${header}`);
  take('zlib/libz.a', 'lib/libz.a');

  const elf = { cwd: join(build, 'elfutils'), env };
  const without = ['--disable-debuginfod', '--disable-libdebuginfod', '--disable-nls', '--without-bzlib'];
  run('libelf', './configure', ['-q', `--host=${triplet}`, ...without, '--without-lzma', '--without-zstd'], elf);
  for (const [folder, target] of Object.entries({ lib: 'libeu.a', libelf: 'libelf.a' }))
    run('libelf', 'make', ['-s', '-C', folder, target], elf);
  for (const header of ['libelf.h', 'gelf.h']) take(`elfutils/libelf/${header}`, `include/${header}`);
  take('elfutils/libelf/libelf.a', 'lib/libelf.a');

  const bpf = { cwd: join(build, 'libbpf/src'), env: { ...process.env } };
  const words = ['BUILD_STATIC_ONLY=1', 'NO_PKG_CONFIG=1', 'OBJDIR=out', `EXTRA_CFLAGS=${flags} -I${out}/include`];
  run('libbpf', 'make', ['-s', ...Object.entries(tools).map(([k, v]) => `${k}=${v}`), ...words, 'out/libbpf.a'], bpf);
  for (const header of readdirSync(bpf.cwd).filter((name) => BPF_HEADERS.test(name)))
    take(`libbpf/src/${header}`, `include/bpf/${header}`);
  take('libbpf/src/out/libbpf.a', 'lib/libbpf.a');

  rmSync(build, { recursive: true });
  writeFileSync(made, `${stamp}\n`);
  say(`package: libbpf, libelf and zlib for ${arch} (${seconds(start)})`);
  return out;
}
