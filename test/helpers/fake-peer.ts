/**
 * A control program of the peer for tests: answers, refuses, fails and misbehaves in every way a real one can, and
 * writes down how it was asked.
 */

import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

export const STATUS_LINE = {
  enforcement: 'active',
  mode: null,
  interface: null,
  map: 'own map id 7',
  blocked_now: 3,
  pairs: 120,
  peers: 120,
  last_checkpoint: 1756800500,
  db: '/var/lib/peer/peer.db',
  version: '0.2.1',
};

export const BANNED_LINES = [
  { ip: '198.51.100.10', reason: 'user-agent', detail: 'pplsip', first_seen: 1756917600, expires: 1756921200 },
  { ip: '198.51.100.11', reason: null, detail: null, first_seen: null, expires: null },
  { ip: '198.51.100.12', reason: 'apiban', detail: 'feed', first_seen: null, expires: null },
].map((row) => ({ ...row, enforced: true }));

/** Verdicts, newest first. */
export const LABEL_LINES = [13, 14, 15, 16, 17].map((n) => ({
  ip: `198.51.100.${n}`,
  reason: 'scanner',
  detail: 'sipvicious',
  first_seen: 1756800000 - n,
  expires: null,
  unbanned_at: null,
  enforced: true,
  disposition: 'block',
}));

const json = (value: unknown): string => `printf '%s\\n' '${JSON.stringify(value)}'`;
const lines = (values: readonly unknown[]): string => values.map(json).join('\n    ');
const status = json(STATUS_LINE);
const part = JSON.stringify(STATUS_LINE).slice(0, 60);
const { db: _, ...withoutDb } = STATUS_LINE;
const row = JSON.stringify(BANNED_LINES[0]);

/** What the program does, whatever it is asked. */
const MODES = {
  exit3: `echo "cannot open the map: permission denied" >&2; echo "second line" >&2; exit 3`,
  silentFailure: 'exit 1',
  hang: 'echo "about to hang" >&2; exec sleep 300',
  ignoresTerm: `trap '' TERM INT HUP; while :; do sleep 1; done`,
  grandchildHolds: `sleep 300 & echo $! >> "$here/grandchildren"; ${status}; exit 0`,
  grandchildHoldsAndHangs: 'sleep 300 & echo $! >> "$here/grandchildren"; sleep 300',
  garbage: 'echo "peer status: fine, thank you"',
  halfALine: `printf '%s' '${part}'`,
  keyMissing: json(withoutDb),
  keyOfWrongType: json({ ...STATUS_LINE, blocked_now: '3' }),
  keyMore: json({ ...STATUS_LINE, since: 'a later build' }),
  twoObjects: `${status}; ${status}`,
  noNewline: `printf '%s' '${JSON.stringify(STATUS_LINE)}'`,
  empty: ':',
  goodAnswerBadExit: `${status}; echo "then it went wrong" >&2; exit 4`,
  flood: `yes '${row}' | head -c 200000000`,
  longLine: `head -c 200000000 /dev/zero | tr '\\0' 'x'`,
  errorFlood: `yes "error: again" | head -c 4000000 >&2; exit 1`,
  endlessErrors: 'yes "error: again" >&2',
  oldBuild: `echo "error: unknown option: --json" >&2; echo "usage: peer_ctl status|banned" >&2; exit 2`,
  killed: 'kill -SEGV $$',
  slow: `sleep 0.3; ${status}`,
  noMap: json({ ...STATUS_LINE, map: null, enforcement: 'inactive', blocked_now: 0, pairs: null, peers: null }),
} as const;
export type FakeMode = keyof typeof MODES | 'normal';

const SCRIPT = `#!/bin/sh
here='@HERE@'
{ printf '%s' "$#"; for word in "$@"; do printf '\\t%s' "$word"; done; printf '\\n'; } >> "$here/asked"
case "$(cat "$here/mode")" in
${Object.entries(MODES)
  .map(([name, text]) => `  ${name})\n    ${text}\n    exit $? ;;`)
  .join('\n')}
esac
case "$1" in
  status)
    ${status} ;;
  banned)
    ${lines(BANNED_LINES)} ;;
  log)
    { ${lines(LABEL_LINES).replaceAll('\n', ';')}
    } | head -n "$4" ;;
  ban|unban)
    ip=$3 action=$1 refused=null applied=true expires=null
    [ "$4" = --ttl ] && expires=1756921210
    case "$ip" in
      127.0.0.1) refused='"local"' ;;
      198.51.100.99) refused='"declared"' ;;
      198.51.100.98) refused='"kernel"' ;;
    esac
    [ "$1 $ip" = 'unban 198.51.100.21' ] && refused='"not-blocked"'
    [ "$refused" = null ] || { applied=false; expires=null; }
    printf '{"ip":"%s","action":"%s","applied":%s,"refused":%s,"expires":%s,"source":"operator"}\\n' \\
      "$ip" "$action" "$applied" "$refused" "$expires"
    [ "$refused" = null ] || exit 1 ;;
  *)
    echo "error: unknown command: $1" >&2
    exit 1 ;;
esac
`;

export type FakePeer = {
  /** Path of the program. */
  readonly path: string;
  readonly folder: string;
  setMode(mode: FakeMode): void;
  /** The arguments of every start so far. */
  asked(): string[][];
  /** Process ids of what it started and left behind. */
  grandchildren(): number[];
};

/** The program in a folder of its own, which ends with the test. */
export function fakePeer(t: TestContext, name = 'peer_ctl'): FakePeer {
  const folder = mkdtempSync(join(tmpdir(), 'fake-peer-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, name);
  writeFileSync(path, SCRIPT.replace('@HERE@', folder));
  chmodSync(path, 0o755);
  const setMode = (mode: FakeMode): void => writeFileSync(join(folder, 'mode'), mode);
  setMode('normal');
  const linesOf = (file: string): string[] => {
    const at = join(folder, file);
    return existsSync(at) ? readFileSync(at, 'utf8').split('\n').slice(0, -1) : [];
  };
  return {
    path,
    folder,
    setMode,
    asked: () => linesOf('asked').map((line) => line.split('\t').slice(1)),
    grandchildren: () => linesOf('grandchildren').map(Number),
  };
}
