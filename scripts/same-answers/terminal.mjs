// Draws the screens of the terminal in tmux, as the tests do, at two sizes.
import { execFileSync, spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { EVERY_PORT } from './command-line.mjs';

export const SIZES = [
  [80, 24],
  [140, 45],
];
const LOOK_MS = 70;
/** A screen holds still when so many looks are alike. */
const LOOKS = 4;
const PATIENCE_MS = 30_000;
const GLOBAL = { encoding: 'utf8', env: { PATH: process.env.PATH, HOME: '/nonexistent', LC_ALL: 'C.UTF-8' } };

export const hasTmux = () => spawnSync('tmux', ['-V']).status === 0;

/** Keys, and what the screen is called that they lead to; each begins where the one before ended. */
const STEPS = [
  ['list', []],
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
  ['ended', ['Escape', 'Escape', 'q', 'q']],
];

let sessions = 0;

class Screen {
  #name = `same-answers-${process.pid}-${sessions++}`;

  constructor(build, args, cwd, [width, height]) {
    const words = [
      'env',
      '-i',
      'TZ=UTC',
      'LC_ALL=C.UTF-8',
      `PATH=${process.env.PATH}`,
      'TERM=screen-256color',
      process.execPath,
      build.program,
      ...args,
    ];
    const script = `${words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')}; echo "ended $?"; exec sleep 1000`;
    this.#tmux('-f', '/dev/null', 'new-session', '-d', '-x', String(width), '-y', String(height), '-c', cwd, script);
  }

  #tmux(...words) {
    return execFileSync('tmux', ['-L', this.#name, ...words], GLOBAL);
  }

  async press(key) {
    this.#tmux('send-keys', key);
    // Esc and a letter behind it would be another key.
    await sleep(key === 'Escape' ? 120 : 25);
  }

  /** Text with colours, once it holds still; `what` has to be on it. */
  async still(what = /./) {
    let [before, alike] = ['', 0];
    for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await sleep(LOOK_MS)) {
      const now = this.#tmux('capture-pane', '-p', '-e');
      alike = now === before && what.test(now) ? alike + 1 : 0;
      before = now;
      if (alike >= LOOKS) break;
    }
    return before;
  }

  close() {
    spawnSync('tmux', ['-L', this.#name, 'kill-server'], GLOBAL);
  }
}

/** Walks through all screens; colours stand as {numbers} where they begin. */
async function walk(build, args, cwd, size, normal) {
  const screens = [];
  const screen = new Screen(build, args, cwd, size);
  try {
    await screen.still(/\? |ended \d/);
    for (const [name, keys] of STEPS) {
      for (const key of keys) await screen.press(key);
      const text = (await screen.still()).replaceAll('\u001b[', '{').replaceAll('\u000f', '');
      const lines = text.split('\n').map((line) => line.replace(/(\{[\d;]*)m/g, '$1}').trimEnd());
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
  for (const [name, text] of await walk(build, ['--connect', service.base], cwd, SIZES[1], normal))
    answers.add(`terminal --connect: ${name}`, text);
}
