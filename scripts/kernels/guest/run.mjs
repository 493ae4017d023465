// Runs the plan of a guest: a command, or the checks, each for every user it is meant for; prints one line a claim.
// Checks are run by root, with TRIED_USER naming whom calltap is run by:
//
//   ok CHECK USER CLAIM: words        not ok CHECK USER CLAIM: why
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { release } from 'node:os';
import { createInterface } from 'node:readline';

const plan = JSON.parse(readFileSync('/kernels/plan.json', 'utf8'));
/** What a check may be silent for; emulation on a busy host is slow. */
const LIMIT_MS = 1_200_000;
const KEPT_BYTES = 4096;

/** Runs a script; its lines go to `onLine`. Resolves to how it ended, in words, and the last of its stderr. */
function run(words, user, onLine) {
  const child = spawn(process.execPath, words, {
    cwd: '/tmp',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TRIED_USER: user },
    detached: true,
  });
  let said = '';
  let end = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said = (said + text).slice(-KEPT_BYTES);
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    timer.refresh();
    onLine(line);
  });
  // With whatever it has started.
  const stop = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It is gone.
    }
  };
  const timer = setTimeout(() => {
    end = `nothing said for ${LIMIT_MS / 1000} s`;
    stop();
  }, LIMIT_MS);
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ end: error.message, said }));
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      stop();
      if (end === '' && signal !== null) end = `ended by ${signal}`;
      else if (end === '' && code !== 0) end = `exit code ${code}`;
      resolve({ end, said });
    });
  });
}

async function runCheck({ name, run: words }, user) {
  let claims = 0;
  let failures = 0;
  const { end, said } = await run(words, user, (line) => {
    const [, word, rest] = /^(ok|not ok) (.*)$/.exec(line) ?? [];
    if (word === undefined) return;
    claims++;
    if (word === 'not ok') failures++;
    console.log(`${word} ${name} ${user} ${rest}`);
  });
  if (end !== '' || claims === 0) {
    failures++;
    const last = said.trim().split('\n').at(-1) ?? '';
    console.log(`not ok ${name} ${user} end: ${end === '' ? 'it said nothing' : end}${last === '' ? '' : `: ${last}`}`);
  }
  return failures;
}

console.log(`kernel ${release()}`);
if (plan.command !== undefined) {
  const child = spawn('sh', ['-c', plan.command], { stdio: 'inherit' });
  process.exitCode = await new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)));
} else {
  let failures = 0;
  for (const check of plan.checks) for (const user of check.users) failures += await runCheck(check, user);
  process.exitCode = failures === 0 ? 0 : 1;
}
