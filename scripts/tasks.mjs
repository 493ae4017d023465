// Runs the commands of README.md and docs/*.md on the demo captures and puts what they print below them; with --check it only
// compares. A name of a page as argument leaves the others out.
//
// A block of ```console has lines that begin with "$ ": each is run by sh in a folder with demo.pcap and attack.pcap,
// and what it prints on both outputs follows. Other blocks are not run here: test/cli/commands.test.ts says what becomes of them.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const named = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)]
  .filter((page) => page.endsWith('.md') && (named.length === 0 || named.includes(page)))
  .filter((page) => readFileSync(join(root, page), 'utf8').includes('\n```console\n'));

const folder = mkdtempSync(join(tmpdir(), 'calltap-tasks-'));
try {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'calltap'), `#!/bin/sh\nexec '${process.execPath}' '${root}/dist/program/calltap.js' "$@"\n`);
  chmodSync(join(bin, 'calltap'), 0o755);
  for (const name of ['demo.pcap', 'attack.pcap'])
    copyFileSync(join(root, 'fixtures', 'demo', name), join(folder, name));
  const env = { PATH: `${bin}:${process.env.PATH}`, TZ: 'UTC', NO_COLOR: '1', LC_ALL: 'C.UTF-8' };
  const run = (command) => {
    const done = spawnSync('sh', ['-c', `(${command}) 2>&1`], { cwd: folder, env, encoding: 'utf8' });
    return done.stdout.replace(/\n+$/, '');
  };
  for (const page of pages) {
    const before = readFileSync(join(root, page), 'utf8');
    const after = before.replace(/^```console\n([\s\S]*?)\n```$/gm, (_, block) => {
      const commands = block.split('\n').filter((line) => line.startsWith('$ '));
      const shown = commands.map((line) => {
        const output = run(line.slice(2));
        return output === '' ? line : `${line}\n${output}`;
      });
      return `\`\`\`console\n${shown.join('\n')}\n\`\`\``;
    });
    if (after === before) continue;
    if (!process.argv.includes('--check')) {
      writeFileSync(join(root, page), after);
      continue;
    }
    const [was, is] = [before.split('\n'), after.split('\n')];
    const at = was.findIndex((line, i) => line !== is[i]);
    process.stderr.write(
      `${page}, line ${at + 1}:\n  page:    ${was[at]}\n  program: ${is[at]}\nrun: node scripts/tasks.mjs\n`,
    );
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}
