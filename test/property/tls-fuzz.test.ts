/**
 * Real libraries and programs, damaged, read as discovery reads them. Reading each ends, no site lies outside of the file, no
 * turn of the main thread takes long, and nothing but files is opened. CALLTAP_FUZZ_ELF sets how many (`npm run fuzz:elf`
 * reads 10,000), CALLTAP_FUZZ_SEED where they begin.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { withElf } from '../../src/sources/tls/elf.ts';
import { debugLinkOf } from '../../src/sources/tls/elf-notes.ts';
import { TOO_LONG } from '../../src/sources/tls/look.ts';
import { ProgramReader } from '../../src/sources/tls/program-reader.ts';
import { openRegular } from '../../src/sources/tls/regular-file.ts';
import { systemLibraries } from '../../src/sources/tls/starts.ts';
import { manyGoTables, manyNotes, withDebugLink } from '../helpers/hostile-elf.ts';
import { mutated, partsOf, randomOf } from '../helpers/mutated-elf.ts';
import { MOST_TURN_MS, mainThreadMs } from '../helpers/turn-watch.ts';
import { elfFile } from '../unit/sources/tls/elf-file.ts';
import { CHECKED, goFile } from '../unit/sources/tls/go-file.ts';

const FILES = Number(process.env['CALLTAP_FUZZ_ELF'] ?? 300);
const SEED = Number(process.env['CALLTAP_FUZZ_SEED'] ?? 48);
const LARGEST = 8 * 1024 * 1024;
const CODE = [0x55, 0xc3];

/** Those of this machine, and some of the test's own where it has none. */
function originals(): { name: string; bytes: Buffer }[] {
  const paths = [
    ...systemLibraries(),
    '/usr/local/go/bin/gofmt',
    '/usr/bin/python3',
    '/usr/sbin/kamailio',
    '/usr/bin/openssl',
  ];
  const real = paths.filter((path) => existsSync(path)).map((path) => ({ name: path, bytes: readFileSync(path) }));
  const go = goFile({ version: 'go1.26.1', functions: [['crypto/tls.(*Conn).Read', CHECKED]] });
  return [
    ...real.filter(({ bytes }) => bytes.length <= LARGEST),
    { name: 'go', bytes: go },
    {
      name: 'symbols',
      bytes: elfFile({
        functions: [
          { name: 'SSL_read', code: CODE },
          { name: 'SSL_write', code: CODE },
        ],
      }),
    },
    { name: 'linked', bytes: withDebugLink('pipe.debug') },
    { name: 'notes', bytes: manyNotes(64) },
    { name: 'tables', bytes: manyGoTables() },
  ];
}

test('damaged files of this machine are read to an end, in short turns, and nothing else is opened', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'calltap-fuzz-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const files = originals().map((file) => ({ ...file, parts: partsOf(file.bytes) }));
  const path = join(folder, 'damaged.so');
  const links = new Set(['pipe.debug']);
  for (const { bytes } of files) {
    writeFileSync(path, bytes);
    const found = withElf(path, ({ source }) => ({ link: debugLinkOf(source) }));
    if ('link' in found && found.link !== null) links.add(found.link);
  }
  // Where a debug file may lie is a pipe, and who writes into it waits for a reader.
  const writers = [...links].map((link) => {
    assert.equal(spawnSync('mkfifo', [join(folder, link)]).status, 0);
    const writer = spawn('sh', ['-c', 'echo eaten > "$0"', join(folder, link)], { stdio: 'ignore' });
    t.after(() => writer.kill('SIGKILL'));
    return writer;
  });
  let [longest, before, unread, sites] = [0, mainThreadMs(), 0, 0];
  const timer = setInterval(() => {
    const now = mainThreadMs();
    longest = Math.max(longest, now - before);
    before = now;
  }, 2);
  const reader = new ProgramReader({ byBuildId: new Map(), mostMs: 300_000 });
  t.after(() => {
    clearInterval(timer);
    reader.close();
  });
  const random = randomOf(SEED);
  for (let i = 0; i < FILES; i++) {
    const file = files[i % files.length] ?? assert.fail();
    const bytes = mutated(file.bytes, file.parts, random);
    const where = `file ${i} of seed ${SEED}, of ${file.name}`;
    writeFileSync(path, bytes);
    const opened = openRegular(path, { follow: false });
    // A file that was cut to nothing has no blocks.
    if ('reason' in opened) continue;
    const given = { by: 'option', key: path, functions: new Map([['SSL_read', random(0x50_0000)]]) } as const;
    const job = { fd: opened.fd, place: { proc: '', path }, given: random(4) === 0 ? given : null };
    const found = await reader.read(job);
    closeSync(opened.fd);
    assert.ok(found.unread === '' || found.unread === TOO_LONG, `${where}: ${found.unread}`);
    if (found.unread !== '') unread++;
    for (const site of found.libraries.flatMap((library) => library.sites)) {
      sites++;
      for (const at of [site.offset, ...(site.exits ?? [])]) assert.ok(at >= 0 && at < bytes.length, `${where}: ${at}`);
    }
  }
  t.diagnostic(`${FILES} files, ${sites} sites, ${unread} too long; longest turn ${longest.toFixed(0)} ms`);
  assert.ok(sites > 0);
  assert.ok(longest < MOST_TURN_MS, `${longest} ms`);
  for (const writer of writers) assert.equal(writer.exitCode, null, 'nobody has opened the pipe');
});
