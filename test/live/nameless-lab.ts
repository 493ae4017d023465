/** Probes by given offsets, and what must be seen of programs whose every message names its connection. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type { TestContext } from 'node:test';
import { TLS_FLAG } from '../../src/sources/records.ts';
import { withElf } from '../../src/sources/tls/elf.ts';
import { buildIdOf } from '../../src/sources/tls/elf-notes.ts';
import { lookForSites } from '../../src/sources/tls/look.ts';
import type { TlsSite } from '../../src/sources/tls/native-tls.ts';
import type { TlsOffsets } from '../../src/sources/tls/offsets.ts';
import type { TlsEvent, TlsLab } from './tls-kernel-lab.ts';
import { runPeer, startPeer } from './tls-kernel-lab.ts';

/** Sites as the list of offsets has them; each read or write has its proof, numbered from 1. */
export function givenSites(path: string, offsets: TlsOffsets): TlsSite[] {
  const byPath = offsets.byPath({ ino: statSync(path).ino, name: basename(path) });
  const found = withElf(path, (image) => {
    const given = byPath ?? offsets.byBuildId.get(buildIdOf(image.source) ?? '') ?? null;
    assert.notEqual(given, null, `no offsets are given for this build of ${path}`);
    return lookForSites(image, given, { proc: '', path });
  });
  assert.ok('libraries' in found && found.refusal === '', JSON.stringify(found));
  return found.libraries
    .flatMap((library) => library.sites)
    .map(({ kind, offset, exits, needsProof }, i) => ({ kind, offset, exits, proof: needsProof ? i + 1 : 0 }));
}

export type Seen = {
  /** Seen at both ends in both directions together. */
  messages: number;
  readonly wrong: string[];
  /** Messages whose address was never proven, right or not. */
  unproven: number;
  /** Events that do not begin where the one before ended. */
  gaps: number;
};

/** One fewer than the longest mark has: `X-Port: 65535;`. */
const MARK_CHARS = 13;

/** Compares the address of each message with the port that its text names, once the address is proven. */
export class Sightings {
  readonly #serverPort: string;
  readonly #waiting = new Map<string, string[]>();
  /** Of each direction: where it has got to, and its last characters, in which a mark may begin. */
  readonly #ways = new Map<string, { readonly offset: number; readonly tail: string }>();
  readonly #seen: Seen = { messages: 0, wrong: [], unproven: 0, gaps: 0 };

  constructor(serverPort: string) {
    this.#serverPort = serverPort;
  }

  /** Events in the order in which they came. */
  add(events: readonly TlsEvent[]): void {
    for (const e of events) this.#take(e);
  }

  result(): Seen {
    const unproven = [...this.#waiting.values()].reduce((n, ports) => n + ports.length, 0);
    return { ...this.#seen, unproven };
  }

  #take(e: TlsEvent): void {
    if (e.kind === 'close') return;
    const key = `${e.pid} ${e.conn}`;
    const ports = this.#waiting.get(key) ?? [];
    if (e.kind === 'data') {
      const way = `${key} ${e.written}`;
      const before = this.#ways.get(way) ?? { offset: 0, tail: '' };
      if (e.offset !== before.offset) this.#seen.gaps++;
      const text = before.tail + e.bytes.toString('latin1');
      let end = 0;
      for (const m of text.matchAll(/X-Port: (\d+);/g)) {
        this.#seen.messages++;
        ports.push(m[1] ?? '');
        end = m.index + m[0].length;
      }
      const tail = text.slice(Math.max(end, text.length - MARK_CHARS));
      this.#ways.set(way, { offset: e.offset + e.bytes.length, tail });
    }
    const isProven = e.ipVersion !== 0 && (e.flags & TLS_FLAG.WEAK_TUPLE) === 0;
    if (!isProven) {
      this.#waiting.set(key, ports);
      return;
    }
    this.#waiting.delete(key);
    const ends = [e.local, e.remote].map((end) => end.slice(end.lastIndexOf(':') + 1));
    for (const port of ports) {
      if (ends.includes(port) && ends.includes(this.#serverPort)) continue;
      this.#seen.wrong.push(`${e.local} ${e.remote} for ${port}`);
    }
  }
}

export type Peers = {
  /** Prints "port PORT". */
  readonly server: readonly string[];
  readonly client: (port: string) => readonly string[];
};

/** Events are taken out of the lab so often: all together are more than memory. */
const TAKE_MS = 20;

/** One conversation, to the end of the client. Fails when a peer does. */
export async function runPeers(
  t: Pick<TestContext, 'after'>,
  lab: TlsLab,
  { server, client }: Peers,
  folder: string,
): Promise<Seen> {
  const { child, match } = await startPeer(t, server, /port (\d+)/, folder);
  const port = match[1] ?? '';
  const seen = new Sightings(port);
  const take = (): void => seen.add(lab.events.splice(0));
  const timer = setInterval(take, TAKE_MS);
  t.after(() => clearInterval(timer));
  await runPeer(client(port), folder);
  await lab.settle();
  clearInterval(timer);
  take();
  assert.equal(child.exitCode ?? child.signalCode, null, 'the server has ended');
  child.kill('SIGKILL');
  return seen.result();
}
