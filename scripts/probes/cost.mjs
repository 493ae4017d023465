// What probes cost a program: 1,000 requests a second on 20 connections, each sent when it is due, without probes and with.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../steps/files.mjs';

const { runPeer, startPeer } = await import(join(root, 'dist/test/live/tls-kernel-lab.js'));

/** Pairs of runs; the median counts. */
const PAIRS = 8;
const PACED = { connections: 20, messages: 250 };
/** Before what else runs on this machine: an answer is late by what the probes do, and by nothing else. */
const FIRST = ['chrt', '-f', '5'];

export const COST_HEAD = ['half came within, µs', '99 of 100 within, µs', 'processor time of a call, µs'];

/** How often the threads of a process are looked at: those of a connection end with it. */
const LOOK_MS = 50;

/** Nanoseconds that all threads of a process were on a processor, those included that have ended. */
class ProcessorTime {
  #byThread = new Map();
  #pid;
  #timer;

  constructor(pid) {
    this.#pid = pid;
    this.#look();
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  /** Until now; then no more. */
  end() {
    clearInterval(this.#timer);
    this.#look();
    return [...this.#byThread.values()].reduce((sum, { first, last }) => sum + last - first, 0);
  }

  #look() {
    for (const tid of readdirSync(`/proc/${this.#pid}/task`)) {
      try {
        const ns = Number(readFileSync(`/proc/${this.#pid}/task/${tid}/schedstat`, 'utf8').split(' ')[0]);
        // What a thread did before the first look of all is not asked for.
        const first = this.#timer === undefined ? ns : 0;
        this.#byThread.set(tid, { first: this.#byThread.get(tid)?.first ?? first, last: ns });
      } catch {
        // It has ended.
      }
    }
  }
}

/**
 * One paced run: how late half and 99 of a hundred answers were, in µs, and the server's µs for each read or write. Its client
 * takes CONNECTIONS MESSAGES paced and prints `late HALF MOST`.
 */
async function paced({ server, client }, folder, observe) {
  const ends = [];
  const { child, match } = await startPeer(
    { after: (end) => ends.push(end) },
    [...FIRST, ...server],
    /port (\d+)/,
    folder,
  );
  const { connections, messages } = PACED;
  const lab = observe?.(child.pid);
  const time = new ProcessorTime(child.pid);
  const said = await runPeer([...FIRST, ...client(match[1], [connections, messages, 'paced'].map(String))], folder);
  const spent = time.end();
  lab?.close();
  for (const end of ends) end();
  const [, half, most] = /late (\d+) (\d+)/.exec(said) ?? [];
  return { half: Number(half), most: Number(most), call: spent / 1000 / (2 * connections * messages) };
}

const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

/**
 * Cells for COST_HEAD, each without probes and with. `observe` attaches to the server and returns the lab; `client(port, how)` gives a
 * command line with the words `how`.
 */
export async function costCells(peers, folder, observe) {
  const pairs = [];
  for (let i = 0; i < PAIRS; i++) {
    const bare = await paced(peers, folder);
    pairs.push([bare, await paced(peers, folder, observe)]);
  }
  const each = (side, what) => median(pairs.map((pair) => pair[side][what]));
  return ['half', 'most', 'call'].map((what, i) => {
    const two = [each(0, what), each(1, what)];
    return two.map((n) => (i < 2 ? n : n.toFixed(1))).join(', ');
  });
}
