// Builds every eBPF program under bpf/ into build/bpf: an object for each machine and a skeleton header to embed.
//
//   node scripts/build-bpf.mjs
//
// An object is compiled for x86_64 and arm64 alike (CO-RE, bpf/README.md); the skeleton is of one of them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { list, root } from './steps/files.mjs';
import { capture, say } from './steps/run.mjs';

const TARGETS = [
  { name: 'x86_64', define: 'x86', arch: 'x64' },
  { name: 'arm64', define: 'arm64', arch: 'arm64' },
];

/** The programs, and what they include; none in a version without eBPF. */
export function bpfSources() {
  return list('bpf', (name) => name.endsWith('.bpf.c'));
}

/** Builds all into a folder, the skeletons for a processor; returns an error text, or '' when everything was built. */
export function buildBpf(out = join(root, 'build/bpf'), arch = process.arch) {
  mkdirSync(out, { recursive: true });
  const multiarch = capture('gcc', ['-print-multiarch']).output.trim();
  for (const source of bpfSources()) {
    const name = basename(source, '.bpf.c');
    for (const target of TARGETS) {
      const object = join(out, `${name}.${target.name}.bpf.o`);
      // clang 14 refuses some bounded lengths with -mcpu=v1/v2; v3 (kernel 5.1) is below our kernel floor anyway.
      const flags = ['-g', '-O2', '-Wall', '-Wextra', '-Werror', '-target', 'bpf', '-mcpu=v3'];
      // BTF names the sources: from here, so that an object is the same wherever the checkout lies.
      flags.push('-fdebug-compilation-dir=.');
      const includes = ['-Ibpf', `-I/usr/include/${multiarch}`];
      const compiled = capture('clang', [
        ...flags,
        `-D__TARGET_ARCH_${target.define}`,
        ...includes,
        '-c',
        source,
        '-o',
        object,
      ]);
      if (compiled.code !== 0) return compiled.output;
      // Debug sections go, BTF stays: CO-RE needs it at load time.
      const stripped = capture('llvm-strip', ['-g', object]);
      if (stripped.code !== 0) return stripped.output;
      if (target.arch !== arch) continue;
      const made = capture('bpftool', ['gen', 'skeleton', object, 'name', `${name.replaceAll('-', '_')}_bpf`], {
        env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
      });
      if (made.code !== 0) return made.output;
      // What bpftool writes is not ours to correct: clang-tidy, which follows our calls into it, passes it over.
      writeFileSync(join(out, `${name}.skel.h`), `/* NOLINTBEGIN */\n${made.output}/* NOLINTEND */\n`);
    }
  }
  return '';
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (bpfSources().length === 0) say('ebpf: no eBPF programs in this version');
  const error = buildBpf();
  if (error !== '') {
    say(error.trimEnd());
    process.exitCode = 1;
  }
}
