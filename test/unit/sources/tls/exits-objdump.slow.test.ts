/** The exits that calltap finds are those of objdump, for every probed function of the TLS libraries of this machine. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { compareExits } from '../../../helpers/objdump-ranges.ts';

const FOLDERS = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib64'];
const isTls = (name: string): boolean => /^lib(ssl|gnutls|wolfssl|mbedtls|node)\.so\.\d+$/.test(name);

const files = FOLDERS.filter((folder) => existsSync(folder))
  .flatMap((folder) =>
    readdirSync(folder)
      .filter(isTls)
      .map((name) => join(folder, name)),
  )
  .concat(process.execPath)
  .map((path) => realpathSync(path));
const hasObjdump = ['objdump', 'readelf'].every((program) => spawnSync(program, ['--version']).status === 0);

for (const file of new Set(files))
  test(`${file}: calltap and objdump agree`, { skip: hasObjdump ? false : 'no objdump (binutils)' }, (t) => {
    const rows = compareExits(file);
    // Only a node that brings its own OpenSSL defines the functions.
    if (rows.length === 0) return t.diagnostic('defines no TLS functions');
    for (const row of rows) assert.equal(row.difference, '', row.name);
    const seen = rows.filter((row) => row.probes === 'exits').map((row) => row.name);
    for (const direction of [/read|recv/, /write|send/])
      assert.ok(
        seen.some((name) => direction.test(name)),
        `${direction}: no function has known exits`,
      );
  });
