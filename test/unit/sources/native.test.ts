/** The addon of another Node: both versions and the remedy in one line. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../../src/core/package.ts';
import { loadRefusal, missingAddon } from '../../../src/sources/native.ts';
import { temporaryFolder } from '../../helpers/read-capture.ts';

/** What loading an addon answers whose entry is that of the interface `version`. */
function refusalOf(path: string, version: string): string {
  const addon = readFileSync(join(packageRoot(), 'build/Release/calltap.node'), 'latin1');
  const entry = `node_register_module_v${process.versions.modules}`;
  assert.ok(addon.includes(entry));
  writeFileSync(path, addon.replaceAll(entry, `node_register_module_v${version}`), 'latin1');
  try {
    createRequire(import.meta.url)(path);
  } catch (cause) {
    return loadRefusal(path, cause, '/opt/calltap');
  }
  return assert.fail('it was loaded');
}

test('an addon of another Node is named with both versions and what to do', (t) => {
  const folder = temporaryFolder(t);
  const own = `this is Node ${process.versions.node} (interface ${process.versions.modules}); run "npm run setup" in /opt/calltap`;
  assert.equal(
    refusalOf(join(folder, 'old.node'), '108'),
    `the native part was built for Node 18 (interface 108), and ${own} with this Node, or start with Node 18`,
  );
  assert.equal(
    refusalOf(join(folder, 'unknown.node'), '999'),
    `the native part was built for another Node (interface 999), and ${own} with this Node, or start with that one`,
  );
});

test('an addon that cannot be loaded for another reason says that reason', (t) => {
  const path = join(temporaryFolder(t), 'broken.node');
  writeFileSync(path, 'no ELF file');
  assert.equal(
    loadRefusal(path, new Error('invalid ELF header'), '/'),
    `cannot load the native part (${path}): Error: invalid ELF header`,
  );
});

test('a package without an addon for this Node names those that it has; a checkout is to be built', (t) => {
  const prebuilds = temporaryFolder(t);
  for (const name of ['node-115.node', 'node-127.node', 'node-137.node', 'README'])
    writeFileSync(join(prebuilds, name), '');
  assert.match(missingAddon('/x', prebuilds).message, /^this package runs on Node 20, 22, 24, and this is Node \d+\./);
  assert.match(missingAddon('/x', join(prebuilds, 'none')).message, /run "npm run setup" in \/x$/);
});
