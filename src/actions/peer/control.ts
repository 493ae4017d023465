/**
 * Asks the peer's control program: which arguments each question has, and what its answer or its failure means.
 *
 * Nothing of the program is known before a question is asked, and nothing is kept between two of them.
 */

import type { Static, TObject, TProperties, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { PeerStatusFacts as StatusFacts } from '../../contract/index.ts';
import { BannedRow, DroppedRow, LabelRow, PeerAction, PeerStatusFacts } from '../../contract/index.ts';
import { faults } from '../../core/faults.ts';
import { Places } from '../../core/places.ts';
import type { ChildEnd } from './child.ts';
import { runChild } from './child.ts';
import { locatePeer } from './locate.ts';

/** Characters of all rows of one answer of a control program; rows beyond are withheld like those beyond the row cap. @cap */
const PEER_ROW_CHARS = 8 * 1024 * 1024;

/** Control programs that run at once. @cap */
const PEER_AT_ONCE = 4;

/** The JSON object of one line of the control program, with the agreed keys only, or null. A key more is left out. */
export type LineReader<T> = (line: string) => T | null;

/** `schema` is an object schema of the contract, all of whose keys are required. */
export function lineReader<T extends TSchema & Pick<TObject<TProperties>, 'properties'>>(
  schema: T,
): LineReader<Static<T>> {
  const validator = Compile(schema);
  const keys = Object.keys(schema.properties);
  return (line) => {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return null;
    }
    if (!validator.Check(value) || typeof value !== 'object' || value === null) return null;
    const given = new Map<string, unknown>(Object.entries(value));
    // The keys and the types of their values were just checked.
    return Object.fromEntries(keys.map((key) => [key, given.get(key)])) as Static<T>;
  };
}

/** Milliseconds of one question, from when it is asked: waiting for its turn is part of it. */
const LIMIT_MS = 10_000;

export type PeerOutcome<T> =
  | { readonly kind: 'absent'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly stderr: string }
  | { readonly kind: 'answer'; readonly peerCtl: string; readonly value: T };

/** `total` rows were returned by the program; `rows` are the first of them. */
export type PeerRows<T> = { readonly rows: readonly T[]; readonly total: number };

export type PeerControl = {
  status(): Promise<PeerOutcome<StatusFacts>>;
  banned(maxRows: number): Promise<PeerOutcome<PeerRows<BannedRow>>>;
  dropped(maxRows: number): Promise<PeerOutcome<PeerRows<DroppedRow>>>;
  labels(maxRows: number): Promise<PeerOutcome<PeerRows<LabelRow>>>;
  /** `ttlSecs` 0 is forever; null leaves it to the program. */
  ban(ip: string, ttlSecs: number | null): Promise<PeerOutcome<PeerAction>>;
  unban(ip: string): Promise<PeerOutcome<PeerAction>>;
  /** Kills what still runs; questions under way fail. */
  close(): void;
};

export type PeerOptions = {
  /** `--peer-ctl` and `--peer-db`. */
  readonly ctl: string | null;
  readonly db: string | null;
  readonly searchPath: string;
  /** Shorter for tests. */
  readonly limitMs?: number;
};

type PeerSaid = { readonly end: ChildEnd; readonly peerCtl: string };
type PeerSilent = Exclude<PeerOutcome<never>, { kind: 'answer' }>;

export function createPeerControl(options: PeerOptions): PeerControl {
  const { ctl, db, searchPath, limitMs = LIMIT_MS } = options;
  // Who waits has a limit of its own, so the line needs none.
  const places = new Places(PEER_AT_ONCE, Number.POSITIVE_INFINITY);
  /** Each ends one program that runs, or one that waits for its place. */
  const running = new Set<() => void>();
  let isClosed = false;
  const read = {
    status: lineReader(PeerStatusFacts),
    banned: lineReader(BannedRow),
    dropped: lineReader(DroppedRow),
    label: lineReader(LabelRow),
    action: lineReader(PeerAction),
  };

  /** A place to run in, which the function gives back; null when none was free within `ms`, or when all ends. */
  function enter(ms: number): Promise<(() => void) | null> {
    return new Promise((resolve) => {
      let isGone = false;
      const giveUp = (): void => {
        isGone = true;
        resolve(null);
      };
      const limit = setTimeout(giveUp, Math.max(0, ms));
      running.add(giveUp);
      const taken = (leave: (() => void) | null): void => {
        clearTimeout(limit);
        running.delete(giveUp);
        if (isGone) leave?.();
        else resolve(leave);
      };
      faults.run('route', () => places.enter(() => isGone).then(taken));
    });
  }

  async function ask(args: readonly string[], onLine: (line: string) => boolean): Promise<PeerSaid | PeerSilent> {
    const endMs = performance.now() + limitMs;
    const file = await locatePeer(ctl, searchPath);
    if (file === null) return { kind: 'absent', reason: absence(ctl) };
    const leave = isClosed ? null : await enter(endMs - performance.now());
    if (leave === null) {
      return failed(isClosed ? 'The service is ending.' : 'Other calls kept the peer program busy for ten seconds.');
    }
    try {
      if (isClosed) return failed('The service is ending.');
      const end = await runChild({
        file,
        args: db === null ? args : [...args, '--db', db],
        limitMs: Math.max(1, endMs - performance.now()),
        onLine,
        onStart: (kill) => running.add(kill),
        onEnd: (kill) => running.delete(kill),
      });
      return { end, peerCtl: file };
    } finally {
      leave();
    }
  }

  /** The one object that the program prints; `isRefusal` says which of them an exit code of 1 may come with. */
  async function one<T>(
    args: readonly string[],
    reader: LineReader<T>,
    isRefusal: (value: T) => boolean,
  ): Promise<PeerOutcome<T>> {
    let value: T | null = null;
    const asked = await ask(args, (line) => {
      if (value !== null) return false;
      value = reader(line);
      return value !== null;
    });
    if (!('end' in asked)) return asked;
    const { end, peerCtl } = asked;
    const got = value as T | null; // Set in the callback, which the compiler does not follow.
    const isRefused = end.how === 'code' && end.code === 1 && end.badLine === null && got !== null && isRefusal(got);
    const fault = isRefused ? null : faultOf(end);
    if (fault !== null) return failed(fault, end.stderr);
    if (got === null) return failed('The peer program printed no answer.', end.stderr);
    return { kind: 'answer', peerCtl, value: got };
  }

  /** The rows that the program prints, one a line; none is an answer too. */
  async function rows<T>(
    args: readonly string[],
    reader: LineReader<T>,
    maxRows: number,
  ): Promise<PeerOutcome<PeerRows<T>>> {
    const kept: T[] = [];
    let total = 0;
    let room = PEER_ROW_CHARS;
    const asked = await ask(args, (line) => {
      const row = reader(line);
      if (row === null) return false;
      total++;
      room -= line.length;
      if (kept.length < maxRows && room >= 0) kept.push(row);
      return true;
    });
    if (!('end' in asked)) return asked;
    const fault = faultOf(asked.end);
    if (fault !== null) return failed(fault, asked.end.stderr);
    return { kind: 'answer', peerCtl: asked.peerCtl, value: { rows: kept, total } };
  }

  const isRefusal = ({ applied, refused }: PeerAction): boolean => !applied && refused !== null;
  return {
    status: () => one(['status', '--json'], read.status, () => false),
    banned: (maxRows) => rows(['banned', '--json'], read.banned, maxRows),
    dropped: (maxRows) => rows(['dropped', '--json'], read.dropped, maxRows),
    async labels(maxRows) {
      // One more than a page, which tells whether there are more.
      const asked = maxRows + 1;
      const outcome = await rows(['log', '--json', '--limit', String(asked)], read.label, maxRows);
      if (outcome.kind !== 'answer') return outcome;
      return { ...outcome, value: { ...outcome.value, total: Math.min(outcome.value.total, asked) } };
    },
    ban: (ip, ttlSecs) =>
      one(['ban', '--json', ip, ...(ttlSecs === null ? [] : ['--ttl', String(ttlSecs)])], read.action, isRefusal),
    unban: (ip) => one(['unban', '--json', ip], read.action, isRefusal),
    close() {
      isClosed = true;
      for (const kill of running) kill();
    },
  };
}

function absence(ctl: string | null): string {
  const where = ctl === null ? 'on the search path (peer_ctl, tfps_ctl)' : `at ${ctl}`;
  return `The control program of the peer was not found ${where}; name it with --peer-ctl or the [peer] ctl config key.`;
}

function failed(reason: string, stderr = ''): PeerSilent {
  return { kind: 'failed', reason, stderr };
}

/** Why an answer cannot be taken, or null. */
function faultOf(end: ChildEnd): string | null {
  switch (end.how) {
    case 'not-started':
      return `The peer program cannot be started (${end.name}).`;
    case 'timeout':
      return 'The peer program did not end within ten seconds.';
    case 'too-much-output':
      return 'The peer program printed more than 64 MiB.';
    case 'stopped':
      return 'The service is ending.';
    case 'signal':
      return `The peer program was ended by ${end.name}.`;
    case 'code':
      break;
  }
  if (end.code === 2 && end.stderr.includes('--json')) {
    return (
      'The peer program has no JSON mode (--json): this build is too old. Builds that have it come from ' +
      'github.com/sippulse/tfps.'
    );
  }
  if (end.code !== 0) return `The peer program exited with ${end.code}.`;
  return end.badLine === null
    ? null
    : `The peer program printed something other than the agreed JSON (line ${end.badLine}).`;
}
