// Makes the packages: .deb, .rpm and .tar.gz for amd64 and arm64, and the tarball of npm, with their checksums.
//
//   npm run package [-- --arch amd64|arm64]      one processor only; then without the tarball of npm
//
// On Debian 12. It names the packages it needs, when some are missing. Everything lies in build/packages afterwards. The
// same commit gives the same bytes.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildAddon } from './package/addons.mjs';
import { makeDeb, makeNpm, makeRpm, makeTar, packages } from './package/archives.mjs';
import { billOfMaterials } from './package/bom.mjs';
import { buildLibraries } from './package/libraries.mjs';
import { MACHINES, NODE_INSIDE, NODES, nodes } from './package/machines.mjs';
import { makeTree, runtimePackages } from './package/tree.mjs';
import { fetchNode } from './steps/node.mjs';
import { missingForPackages } from './steps/packages.mjs';
import { say, seconds } from './steps/run.mjs';

/** The processors that the command line names; all of them without --arch. */
function chosen(words) {
  const [flag, name, ...rest] = words;
  if (flag === undefined) return MACHINES;
  const found = MACHINES.filter(({ deb }) => deb === name);
  if (flag !== '--arch' || found.length === 0 || rest.length > 0)
    throw new Error(`package: usage: package.mjs [--arch ${MACHINES.map(({ deb }) => deb).join('|')}]`);
  return found;
}

async function make() {
  const machines = chosen(process.argv.slice(2));
  const missing = missingForPackages();
  if (missing.length > 0)
    throw new Error(`package: missing ${missing.join(', ')}; run: apt-get install ${missing.join(' ')}`);
  const isAll = machines.length === MACHINES.length;
  rmSync(packages, { recursive: true, force: true });
  mkdirSync(packages, { recursive: true });
  const runtime = runtimePackages();
  const made = [];
  const addons = new Map();
  for (const machine of machines) {
    const libraries = buildLibraries(machine);
    for (const node of isAll ? NODES : [NODE_INSIDE]) {
      const nodeFolder = fetchNode(nodes, machine.arch, node.version);
      addons.set(`${machine.arch} ${node.abi}`, buildAddon(machine, node, nodeFolder, libraries));
      if (node !== NODE_INSIDE) continue;
      const addon = addons.get(`${machine.arch} ${node.abi}`);
      const tree = await makeTree(machine, { nodeFolder, addon, runtime, bom: billOfMaterials(runtime) });
      made.push(makeDeb(machine, tree), makeRpm(machine, tree), makeTar(machine, tree));
    }
  }
  if (isAll) made.push(await makeNpm(({ arch }, { abi }) => addons.get(`${arch} ${abi}`)));
  const sums = made.map(
    (path) => `${createHash('sha256').update(readFileSync(path)).digest('hex')}  ${basename(path)}`,
  );
  writeFileSync(join(packages, 'SHA256SUMS'), `${sums.sort().join('\n')}\n`);
  for (const path of made) say(`package: ${basename(path)} ${(statSync(path).size / 1e6).toFixed(1)} MB`);
}

const start = performance.now();
try {
  await make();
  say(`package: build/packages (${seconds(start)})`);
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}
