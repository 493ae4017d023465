/** What the tests of TLS peers share: certificates, Kamailio with TLS and its HEP mirror, and the Python user agents. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/core/package.ts';
import { tryProbes } from '../../src/faces/cli/uprobe-list.ts';
import { TlsTargets } from '../../src/sources/tls/targets.ts';
import { until } from '../helpers/patience.ts';
import { selfSigned } from '../helpers/tls-probes.ts';
import type { Agent, Host, Json, Lab, Running } from './lab.ts';
import { ADDRESS, missing } from './lab.ts';

/** Why TLS peers cannot be observed here; false when they can. */
export function missingForTls(...programs: readonly string[]): string | false {
  const lacks = missing('openssl', ...programs);
  if (lacks !== false) return lacks;
  const { works, text } = tryProbes({ uprobeRingBytes: null }, new TlsTargets({ uprobe: [], comm: null }));
  return works ? false : text;
}

/** Copies a peer program into the lab's folder, with a certificate beside it. */
export function withPeers(lab: Lab, ...names: readonly string[]): void {
  for (const name of names) copyFileSync(join(packageRoot(), 'test/live/peers', name), lab.path(name));
  selfSigned(lab.folder);
}

export type Named = { readonly path: string; readonly name: string };

/**
 * A program under a name that no other program of the host bears, other tests' included: `--uprobe-comm` with it means
 * what the test starts and nothing else, and so do the counters.
 */
export function named(lab: Lab, program: 'python3' | 'node' | 'nginx'): Named {
  const python = (): string =>
    spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).stdout.trim();
  const name = `${program.slice(0, 2)}-${process.pid}`;
  const path = { node: () => process.execPath, python3: python, nginx: () => '/usr/sbin/nginx' }[program]();
  symlinkSync(realpathSync(path), lab.path(name));
  return { path: lab.path(name), name };
}

export type KamailioPorts = {
  readonly tls: number;
  readonly udp: number;
  readonly uas: number;
  /** How the user agent is reached; TLS when nothing is said. */
  readonly uasBy?: 'tls' | 'udp';
  readonly hep: number | null;
};

const MODULES = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/kamailio/modules/`;

/** A proxy that sends every call on to a TLS user agent, with four TCP workers and a mirror of its own plaintext. */
export async function kamailio(lab: Lab, host: Host, ports: KamailioPorts): Promise<Running> {
  const { v4 } = ADDRESS[host];
  writeFileSync(
    lab.path('tls.cfg'),
    ['server:default', 'client:default']
      .map((part) => {
        const files = `private_key = ${lab.path('k.pem')}\ncertificate = ${lab.path('c.pem')}`;
        return `[${part}]\nmethod = TLSv1.2+\n${files}\nverify_certificate = no\nrequire_certificate = no\n`;
      })
      .join(''),
  );
  const mirror =
    ports.hep === null
      ? ''
      : `loadmodule "siptrace.so"
modparam("siptrace", "duplicate_uri", "sip:127.0.0.1:${ports.hep}")
modparam("siptrace", "hep_mode_on", 1)
modparam("siptrace", "hep_version", 3)
modparam("siptrace", "hep_capture_id", 2020)
modparam("siptrace", "trace_to_database", 0)
modparam("siptrace", "trace_on", 1)
modparam("siptrace", "trace_mode", 1)
`;
  writeFileSync(
    lab.path('kamailio.cfg'),
    `#!KAMAILIO
debug=0
log_stderror=yes
fork=yes
children=2
tcp_children=4
enable_tls=yes
auto_aliases=no
tcp_accept_no_cl=yes
listen=udp:${ports.uasBy === 'udp' ? v4 : '127.0.0.1'}:${ports.udp}
listen=tls:${v4}:${ports.tls}
mpath="${MODULES}"
loadmodule "tm.so"
loadmodule "sl.so"
loadmodule "rr.so"
loadmodule "pv.so"
loadmodule "maxfwd.so"
loadmodule "textops.so"
loadmodule "siputils.so"
loadmodule "tls.so"
modparam("tls", "config", "${lab.path('tls.cfg')}")
${mirror}request_route {
  if (is_method("OPTIONS|REGISTER")) { sl_send_reply("200", "OK"); exit; }
  if (is_method("INVITE")) record_route();
  if (has_totag()) { loose_route(); t_relay(); exit; }
  $du = "sip:${v4}:${ports.uas};transport=${ports.uasBy ?? 'tls'}";
  t_relay();
}
`,
  );
  const running = lab.start(host, 'kamailio', [
    ...['-DD', '-E', '-f', lab.path('kamailio.cfg'), '-P', lab.path('kamailio.pid')],
    ...['-m', '64', '-M', '8', '-w', lab.folder, '-Y', lab.folder],
  ]);
  await lab.listening(host, ports.tls, 'tcp');
  return running;
}

export async function python(lab: Lab, host: Host, ...args: readonly string[]): Promise<Running> {
  return lab.start(host, 'python3', ['-u', ...args]);
}

/** A number inside a document, by its path; fails when there is none. */
export function numberAt(document: Json | null, ...path: readonly string[]): number {
  let at: unknown = document;
  for (const key of path)
    at = typeof at === 'object' && at !== null ? Object.getOwnPropertyDescriptor(at, key)?.value : undefined;
  assert.ok(typeof at === 'number', `${path.join('.')} is ${JSON.stringify(at)}`);
  return at;
}

export function stats(agent: Agent): Json {
  const document = agent.get('/v1/stats');
  assert.ok(document !== null);
  return document;
}

/** Waits until as many processes are known: workers that were forked are found by looking. */
export async function processes(agent: Agent, count: number): Promise<void> {
  let known = 0;
  await until(
    () => {
      known = numberAt(stats(agent), 'caveats', 'uprobe_processes');
      return known >= count;
    },
    () => `${known} processes are known, not ${count}`,
  );
}

/** Rows of a list under a key. */
export function rows(document: Json | null, key: string): Json[] {
  const list = document?.[key];
  assert.ok(Array.isArray(list), `${key} is ${JSON.stringify(list)}`);
  return list.filter((row): row is Json => typeof row === 'object' && row !== null);
}

/** Every dialog of these Call-IDs is there with as many messages, of origin uprobe and without a retransmission. */
export async function observed(agent: Agent, callIds: readonly string[], messages: number): Promise<void> {
  const wanted = [...new Set(callIds)];
  let found: Json[] = [];
  await until(
    () => {
      found = agent.dialogs(wanted);
      return found.length === wanted.length && found.every((d) => Number(d['msg_count']) >= messages);
    },
    () => `${found.length} of ${wanted.length}: ${JSON.stringify(found)}`,
  );
  for (const d of found)
    assert.deepEqual([d['call_id'], d['msg_count'], d['input_origin']], [d['call_id'], messages, 'uprobe']);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
