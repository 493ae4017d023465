// Builds the addon for a processor and a release of Node, with its libraries inside; the host's own build stays.
import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildBpf } from '../build-bpf.mjs';
import { bpfInputs } from '../steps/ebpf.mjs';
import { digest, list, root } from '../steps/files.mjs';
import { capture, say, seconds } from '../steps/run.mjs';
import { work } from './machines.mjs';

/** What node-gyp reads. The build has a folder of its own: node-gyp knows one build folder below the project. */
const COPIED = ['binding.gyp', 'package.json', 'native', 'bpf', 'scripts', 'node_modules/nan'];

function isNative(name) {
  return /\.(c|cc|h)$/.test(name);
}

/** The path of the addon, stripped. `nodeFolder` is of fetchNode(), `libraries` of buildLibraries(). Throws what failed. */
export function buildAddon({ arch, cc }, { version, abi }, nodeFolder, libraries) {
  const out = join(work, 'addons', `linux-${arch}`, `node-${abi}.node`);
  const made = `${out}.made`;
  const sources = [...list('native', isNative), ...bpfInputs(), 'binding.gyp', 'scripts/package/addons.mjs'];
  const stamp = digest(sources, version, readFileSync(join(libraries, 'made'), 'utf8'));
  if (existsSync(out) && existsSync(made) && readFileSync(made, 'utf8') === stamp) return out;
  const start = performance.now();
  mkdirSync(join(work, 'addons', `linux-${arch}`), { recursive: true });
  const bpf = join(work, 'bpf', arch);
  const error = buildBpf(bpf, arch);
  if (error !== '') throw new Error(`eBPF programs: ${error.trimEnd()}`);
  const at = join(work, 'addons', 'build');
  rmSync(at, { recursive: true, force: true });
  for (const path of COPIED) cpSync(join(root, path), join(at, path), { recursive: true });
  const words = [
    join(root, 'node_modules/node-gyp/bin/node-gyp.js'),
    'rebuild',
    '--silent',
    `--nodedir=${nodeFolder}`,
    `--arch=${arch}`,
    '--',
    '-Debpf=yes',
    `-Dstatic_libs=${libraries}`,
    `-Dbpf_dir=${bpf}`,
  ];
  // No path of this machine in what is built, and the same names in the same order each time.
  const flags = `-ffile-prefix-map=${at}=. -frandom-seed=calltap`;
  const tools = { CC: `${cc}gcc`, CXX: `${cc}g++`, AR: `${cc}gcc-ar`, LINK: `${cc}g++` };
  // The linker's own number is a digest of paths too, before they are stripped.
  const link = `-Wl,--build-id=0x${createHash('sha1').update(stamp).digest('hex')}`;
  const env = { ...process.env, ...tools, CFLAGS: flags, CXXFLAGS: flags, LDFLAGS: link };
  for (const name of Object.keys(env)) if (/^npm_config_nodedir$/i.test(name)) delete env[name];
  const built = capture(process.execPath, words, { cwd: at, env });
  if (built.code !== 0) throw new Error(`addon for ${arch}, Node ${version}: failed\n${built.output.trimEnd()}`);
  copyFileSync(join(at, 'build/Release/calltap.node'), out);
  const stripped = capture(`${cc}strip`, ['--strip-unneeded', '--remove-section=.comment', out]);
  if (stripped.code !== 0) throw new Error(stripped.output);
  rmSync(at, { recursive: true });
  writeFileSync(made, stamp);
  say(`package: addon for ${arch}, Node ${version} (${seconds(start)})`);
  return out;
}
