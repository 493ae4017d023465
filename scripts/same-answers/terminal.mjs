// Draws the screens of the terminal in tmux, as the tests do, at two sizes.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { endWithUs } from './build.mjs';
import { EVERY_PORT } from './command-line.mjs';
import { withLooks } from './looks.mjs';

export const SIZES = [
  [80, 24],
  [140, 45],
];
const START_MS = 60_000;
const STARTED_CALM_MS = 800;
const CALM_MS = 150;
/** A service answers in slices, and rests between them. */
const CALM_BESIDE_MS = 600;
const BETWEEN_KEYS_MS = 25;
const ESCAPE_MS = 120;
const LOOK_MS = 8;
const GLOBAL = { encoding: 'utf8', env: { PATH: process.env.PATH, HOME: '/nonexistent', LC_ALL: 'C.UTF-8' } };

export const hasTmux = () => spawnSync('tmux', ['-V']).status === 0;

/** Keys, and what the screen is called that they lead to; each begins where the one before ended. */
const STEPS = [
  ['list', ['g']],
  ['help of the list', ['?']],
  ['call', ['Escape', 'Enter']],
  ['message', ['j', 'j', 'Enter']],
  ['message scrolled', ['J', 'J', 'J']],
  ['legs in one ladder', ['Escape', 'x']],
  ['times', ['w', 'w']],
  ['report', ['r']],
  ['help of a call', ['?']],
  ['two messages', ['Escape', 'Escape', 'g', 'Space', 'j', 'Space']],
  ['how it sounded', ['Escape', 'v']],
  ['another window', ['l', 'l']],
  ['newest failure', ['Escape', 'Escape', 'Escape', 'e']],
  ['findings', ['Escape', 'Escape', 'F']],
  ['registrations', ['Escape', 'R']],
  ['attackers', ['Escape', 'S']],
  ['trunks', ['Escape', 'T']],
  ['minutes of a trunk', ['Enter']],
  ['streams or what t says', ['Escape', 'Escape', 't']],
  ['sorted by MOS', ['Escape', 'Escape', 'o', 'm']],
  ['turned round', ['z']],
  ['day and minute', ['w']],
  ['two calls', ['g', 'Space', 'j', 'Space']],
  ['filter with completion', ['Escape', 'Escape', 'Escape', '/', 's', 't', 'a', 'Tab']],
  ['filter of failures', ['F', 'a', 'Tab', 'Enter']],
  ['filter that is wrong', ['/', 'C-u', 'f', 'r', 'm', ':', '1', 'Enter']],
  ['filter that finds none', ['C-u', 'c', 'a', 'l', 'l', 'i', 'd', ':', 'n', 'o', 'n', 'e', 'Enter']],
  ['log', ['Escape', 'L']],
  ['ended', ['Escape', 'Escape', 'Escape', 'q']],
];

let sessions = 0;

/** Empty where it is gone. */
function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Whether a thread of the program runs, or waits for a processor. */
function isWorking(pid) {
  let threads = [];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    // It has ended, or it is not known yet.
  }
  return threads.some((thread) => / [RD] /.test(readText(`/proc/${pid}/task/${thread}/stat`).replace(/^.*\)/, '')));
}

/** A program in tmux. One client in control mode sends the keys and hears when the program writes. */
class Screen {
  #name = `same-answers-${process.pid}-${sessions++}`;
  #client;
  /** Who waits for the answer to a command, in order; the first answer is that to the attachment. */
  #waiting = [() => undefined];
  #wroteMs = performance.now();
  #pids = [];

  constructor(build, args, cwd, [width, height], beside) {
    this.#pids = [...beside];
    const words = ['env', '-i', 'TZ=UTC', 'LC_ALL=C.UTF-8', `PATH=${process.env.PATH}`, 'TERM=screen-256color'];
    const command = [...words, process.execPath, build.program, ...args].map(
      (word) => `'${word.replaceAll("'", `'\\''`)}'`,
    );
    const script = `${command.join(' ')}; echo "ended $?"; exec sleep 1000`;
    const tmux = ['-L', this.#name, '-f', '/dev/null'];
    execFileSync(
      'tmux',
      [...tmux, 'new-session', '-d', '-x', `${width}`, '-y', `${height}`, '-c', cwd, script],
      GLOBAL,
    );
    this.#client = spawn('tmux', [...tmux, '-C', 'attach', '-f', 'ignore-size'], { env: GLOBAL.env });
    this.#client.stdin.on('error', () => undefined);
    createInterface({ input: this.#client.stdout }).on('line', (line) => this.#hear(line));
  }

  #block = null;

  #hear(line) {
    const [word, , number] = line.split(' ');
    if (this.#block !== null && (word === '%end' || word === '%error') && number === this.#block.number) {
      this.#waiting.shift()?.(this.#block.lines.join('\n'));
      this.#block = null;
    } else if (this.#block !== null) this.#block.lines.push(line);
    else if (word === '%begin') this.#block = { number, lines: [] };
    else if (word === '%output') this.#wroteMs = performance.now();
  }

  #tell(command) {
    return new Promise((done) => {
      this.#waiting.push(done);
      this.#client.stdin.write(`${command}\n`);
    });
  }

  async press(key) {
    await this.#tell(`send-keys ${key}`);
    // Esc and a letter behind it would be another key.
    if (key === 'Escape') await sleep(ESCAPE_MS);
    await this.#calm(BETWEEN_KEYS_MS);
  }

  /** Waits until the program has neither written nor worked for so long; a busy machine only makes this longer. */
  async #calm(ms) {
    for (let sinceMs = performance.now(); performance.now() - sinceMs < ms; await sleep(LOOK_MS))
      if (this.#pids.some(isWorking) || this.#wroteMs > sinceMs) sinceMs = performance.now();
  }

  /** Text with colours, once the program is calm. */
  async still() {
    await this.#calm(this.#pids.length > 1 ? CALM_BESIDE_MS : CALM_MS);
    return this.#tell('capture-pane -p -e');
  }

  /** Waits for the last line of the first screen, or for an end, and for what is still read. */
  async started() {
    for (const end = performance.now() + START_MS; performance.now() < end; await sleep(50))
      if (/Show|ended \d/.test(await this.#tell('capture-pane -p'))) break;
    const shell = await this.#tell("display-message -p '#{pane_pid}'");
    this.#pids.push(readText(`/proc/${shell}/task/${shell}/children`).trim().split(' ')[0]);
    await this.#calm(STARTED_CALM_MS);
  }

  #end = () => spawnSync('tmux', ['-L', this.#name, 'kill-server'], GLOBAL);
  #forget = endWithUs(this.#end);

  close() {
    this.#forget();
    this.#end();
  }
}

/** Walks through all screens; `beside` are programs that work for this one. */
async function walk(build, args, cwd, size, normal, beside = []) {
  const screens = [];
  const screen = new Screen(build, args, cwd, size, beside);
  try {
    await screen.started();
    for (const [name, keys] of STEPS) {
      for (const key of keys) await screen.press(key);
      const text = await screen.still();
      // The last line has notices, which go after some seconds: too few where another program answers.
      const lines = withLooks(text.trimEnd()).slice(0, beside.length > 0 ? -1 : undefined);
      screens.push([`${name} (${keys.join(' ')})`, normal.text(lines.join('\n'))]);
      if (/^ended \d/m.test(text)) break;
    }
  } finally {
    screen.close();
  }
  return screens;
}

export async function askTerminal(build, file, cwd, normal, answers) {
  const args = ['-i', file, ...EVERY_PORT, '--kill-scanner', '--retain-audio'];
  const walks = await Promise.all(SIZES.map((size) => walk(build, args, cwd, size, normal)));
  for (const [i, size] of SIZES.entries())
    for (const [name, text] of walks[i]) answers.add(`terminal ${size.join('x')}: ${name}`, text);
}

/** The same screens over a running service. */
export async function askTerminalConnected(build, service, cwd, normal, answers) {
  for (const [name, text] of await walk(build, ['--connect', service.base], cwd, SIZES[1], normal, [service.pid]))
    answers.add(`terminal --connect: ${name}`, text);
}
