// Runs the commands of docs/tasks.md on the demo captures and puts what they print below them; with --check it only compares.
//
// A block of ```console has lines that begin with "$ ": each is run by sh in a folder with demo.pcap and attack.pcap,
// and what it prints on both outputs follows. Blocks of ```text are not run: the page says which test shows them.
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const page = join(root, 'docs', 'tasks.md');

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
  const before = readFileSync(page, 'utf8');
  const after = before.replace(/^```console\n([\s\S]*?)\n```$/gm, (_, block) => {
    const commands = block.split('\n').filter((line) => line.startsWith('$ '));
    const shown = commands.map((line) => {
      const output = run(line.slice(2));
      return output === '' ? line : `${line}\n${output}`;
    });
    return `\`\`\`console\n${shown.join('\n')}\n\`\`\``;
  });
  if (after === before) process.exitCode = 0;
  else if (process.argv.includes('--check')) {
    const [was, is] = [before.split('\n'), after.split('\n')];
    const at = was.findIndex((line, i) => line !== is[i]);
    process.stderr.write(
      `docs/tasks.md, line ${at + 1}:\n  page:    ${was[at]}\n  program: ${is[at]}\nrun: node scripts/tasks.mjs\n`,
    );
    process.exitCode = 1;
  } else writeFileSync(page, after);
} finally {
  rmSync(folder, { recursive: true });
}
