// Runs the attack tools of PyPI, in their newest version, at a registrar that the built checkout watches:
//
//   npm run attack-tools          as root; wants Debian's kamailio, fail2ban and python3-venv
//
// They are installed into build/attack-tools. `npm run test:slow` does the same with the tools that Debian has.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './steps/files.mjs';
import { capture, pass, say } from './steps/run.mjs';

const venv = join(root, 'build/attack-tools');
const python = join(venv, 'bin/python3');
const PACKAGES = ['sipvicious==0.3.8', 'sippts'];
/** What the test knows how to call. */
const USED = 'sipvicious';

function install() {
  if (!existsSync(python)) {
    const made = capture('python3', ['-m', 'venv', venv]);
    if (made.code !== 0) return `attack-tools: no virtual environment; install python3-venv\n${made.output}`;
  }
  for (const name of PACKAGES) {
    const module = name.split('=')[0];
    const has = () => capture(python, ['-c', `import ${module}`]).code === 0;
    const done = has() ? { code: 0 } : capture(python, ['-m', 'pip', 'install', '--quiet', name]);
    if (has()) say(`attack-tools: ${name}`);
    else if (module === USED) return `attack-tools: ${name} does not install\n${done.output}`;
    else
      say(`attack-tools: ${name} ${done.code === 0 ? 'installs without its modules' : 'does not install'}; left out`);
  }
  return '';
}

const why = install();
if (why !== '') {
  say(why);
  process.exitCode = 1;
} else {
  const test = join(root, 'dist/test/live/attack-tools.slow.test.js');
  const env = { ...process.env, CALLTAP_ATTACK_TOOLS: venv };
  process.exitCode = pass(process.execPath, ['--test', '--test-reporter=spec', test], { env });
}
