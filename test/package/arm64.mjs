// The arm64 package on this machine: its Node and addon under an emulator of the processor, with Debian's libraries.
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { archives, ownApt, updateLists } from '../../scripts/steps/apt.mjs';
import { judge } from '../../scripts/steps/root.mjs';
import { capture, captureTwice } from '../../scripts/steps/run.mjs';
import { folder } from './root.mjs';

/** What the package depends on, of Debian 12. */
const LIBRARIES = ['libc6', 'libstdc++6', 'libgcc-s1'];
const EMULATOR = 'qemu-aarch64-static';

const must = (program, words, expected) => judge(words.join(' '), capture(program, words), expected);

/** A folder with the libraries, fetched once. */
function libraries() {
  const at = join(folder, 'arm64-libraries');
  if (existsSync(join(at, 'usr'))) return at;
  const options = ownApt(join(folder, 'arm64-apt'), [`deb ${archives().main} bookworm main`], ['amd64', 'arm64']);
  const failed = updateLists(options, 'bookworm');
  if (failed !== '') throw new Error(failed.trimEnd());
  const downloads = join(folder, 'arm64-downloads');
  rmSync(downloads, { recursive: true, force: true });
  mkdirSync(downloads, { recursive: true });
  const words = [...options, '-q', 'download', ...LIBRARIES.map((name) => `${name}:arm64`)];
  const got = captureTwice('libraries of arm64', 'apt-get', words, { cwd: downloads });
  if (got.code !== 0) throw new Error(got.output.trimEnd());
  for (const file of readdirSync(downloads)) must('dpkg-deb', ['-x', join(downloads, file), at]);
  return at;
}

/** The demo, the report of the host and an error, as a user of arm64 would see them. */
export function arm64(deb) {
  const root = join(folder, 'arm64-root');
  rmSync(root, { recursive: true, force: true });
  must('cp', ['-a', libraries(), root]);
  must('dpkg-deb', ['-x', deb, root]);
  const lib = join(root, 'usr/lib/calltap');
  const run = (words, expected) =>
    must(EMULATOR, ['-L', root, join(lib, 'bin/node'), join(lib, 'dist/program/calltap.js'), ...words], expected);
  run(['--version'], /^calltap /);
  run(['-I', join(lib, 'fixtures/demo/demo.pcap')], /Completed +INVITE/);
  run(['-I', join(lib, 'fixtures/demo/demo.pcap'), '--json'], /"diagnosis"/);
  rmSync(root, { recursive: true });
}
