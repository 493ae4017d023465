// Runs other programs for the scripts: quiet when they succeed, their output on stderr when they fail.
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { root } from './files.mjs';

/** One short line of progress; stdout stays clean for data. */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/** Path of a program on PATH (and the sbin folders a plain user's PATH leaves out), or null. */
export function which(program) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin', '/sbin'];
  for (const folder of folders) {
    if (folder === '') continue;
    try {
      accessSync(join(folder, program), constants.X_OK);
      return join(folder, program);
    } catch {
      // Not in this folder.
    }
  }
  return null;
}

/** Runs to the end with captured output: { code, output }. A program that cannot start has code 127. */
export function capture(program, args, options = {}) {
  const r = spawnSync(program, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  });
  if (r.error) return { code: 127, output: `${program}: ${r.error.message}` };
  return { code: r.status ?? 128, output: `${r.stdout ?? ''}${r.stderr ?? ''}` };
}

const AGAIN_MS = 5000;

/** Says that what asks a registry has failed, and waits: whoever calls this tries once more. */
export function sayAgain(what, output) {
  say(`${what}: failed (${output.trim().split('\n').at(-1)}); once more in ${AGAIN_MS / 1000} s`);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, AGAIN_MS);
}

/** Like capture(), for what asks a registry: one that fails is run a second time. */
export function captureTwice(what, program, args, options = {}) {
  const first = capture(program, args, options);
  if (first.code === 0) return first;
  sayAgain(what, first.output);
  return capture(program, args, options);
}

/** Runs with our own stdout and stderr; returns the exit code. */
export function pass(program, args, options = {}) {
  const r = spawnSync(program, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], ...options });
  if (r.error) say(`${program}: ${r.error.message}`);
  return r.status ?? 128;
}

/** Like pass(), and keeps the last `bytes` of what was written: resolves to { code, output }. */
export function tee(program, args, bytes = 1 << 16, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let output = '';
    const keep = (stream) => (chunk) => {
      stream.write(chunk);
      output = (output + chunk).slice(-bytes);
    };
    child.stdout.setEncoding('utf8').on('data', keep(process.stdout));
    child.stderr.setEncoding('utf8').on('data', keep(process.stderr));
    child.on('error', (error) => resolve({ code: 127, output: `${program}: ${error.message}` }));
    child.on('close', (code) => resolve({ code: code ?? 128, output }));
  });
}

/** The npm that runs us, or the one on PATH: program and leading arguments. */
export function npm() {
  const path = process.env.npm_execpath;
  return path?.endsWith('.js') ? [process.execPath, [path]] : ['npm', []];
}

/** Seconds since `start` (performance.now), for the progress lines. */
export function seconds(start) {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}
