/** A program with a TLS library linked in, and its symbols taken away; and a source of the agent that is told where they were. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { NativeTlsOptions } from '../../src/sources/tls/native-tls.ts';
import type { TlsOffsets } from '../../src/sources/tls/offsets.ts';
import { nativeTls } from '../../src/sources/tls/open.ts';
import { TlsSource } from '../../src/sources/tls/source.ts';
import { TlsTargets } from '../../src/sources/tls/targets.ts';
import { until } from '../helpers/patience.ts';
import type { TlsEvent } from './tls-kernel-lab.ts';
import { peerPath, readEvent, runPeer, startPeer } from './tls-kernel-lab.ts';

export function run(command: string, ...args: readonly string[]): string {
  const r = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  assert.equal(r.status, 0, `${command} ${args.join(' ')}: ${r.stderr}`);
  return r.stdout;
}

export type Nameless = {
  /** With its symbols. */
  readonly twin: string;
  readonly stripped: string;
  /** Virtual addresses by name, as nm prints them. */
  readonly address: (name: string) => string;
  readonly buildId: string;
};

type Linked = {
  /** A header of the package that has the library. */
  readonly header: string;
  readonly flags: readonly string[];
  readonly libraries: readonly string[];
  /** What is given of it. */
  readonly functions: readonly string[];
};

/** What the peer can be linked with. Debian has no static p11-kit and libunistring. */
export const LINKED = {
  OpenSSL: {
    header: 'openssl/ssl.h',
    flags: [],
    libraries: ['-l:libssl.a', '-l:libcrypto.a', '-lpthread', '-ldl'],
    functions: ['SSL_read', 'SSL_write', 'SSL_new', 'SSL_free', 'SSL_do_handshake'],
  },
  GnuTLS: {
    header: 'gnutls/gnutls.h',
    flags: ['-DWITH_GNUTLS'],
    libraries: [
      ...['gnutls', 'hogweed', 'nettle', 'gmp', 'tasn1', 'idn2'].map((name) => `-l:lib${name}.a`),
      '-l:libp11-kit.so.0',
      '-l:libunistring.so.2',
      '-lpthread',
    ],
    functions: ['gnutls_record_recv', 'gnutls_record_send', 'gnutls_init', 'gnutls_deinit'],
  },
  wolfSSL: {
    header: 'wolfssl/ssl.h',
    flags: ['-DWITH_WOLFSSL'],
    libraries: ['-l:libwolfssl.a', '-lm', '-lpthread'],
    functions: ['wolfSSL_read', 'wolfSSL_write', 'wolfSSL_new', 'wolfSSL_free'],
  },
  'Mbed TLS': {
    header: 'mbedtls/ssl.h',
    flags: ['-DWITH_MBEDTLS'],
    libraries: ['-l:libmbedtls.a', '-l:libmbedx509.a', '-l:libmbedcrypto.a', '-lpthread'],
    functions: ['mbedtls_ssl_read', 'mbedtls_ssl_write', 'mbedtls_ssl_init', 'mbedtls_ssl_free'],
  },
} as const satisfies Record<string, Linked>;

/** Builds the peer with OpenSSL; each name gives another file, so that tests do not share probes. */
export function buildNameless(folder: string, name: string, ...flags: readonly string[]): Nameless {
  return buildLinked('OpenSSL', folder, name, ...flags);
}

export function buildLinked(
  library: keyof typeof LINKED,
  folder: string,
  name: string,
  ...flags: readonly string[]
): Nameless {
  const twin = join(folder, `${name}.twin`);
  const stripped = join(folder, name);
  const { flags: own, libraries } = LINKED[library];
  run('gcc', '-O2', '-Wl,--build-id', ...own, ...flags, '-o', twin, peerPath('nameless_talk.c'), ...libraries);
  copyFileSync(twin, stripped);
  run('strip', '--strip-all', stripped);
  const addresses = new Map<string, string>();
  for (const m of run('nm', twin).matchAll(/^([0-9a-f]+) [Tt] (\w+)$/gm)) addresses.set(m[2] ?? '', `0x${m[1]}`);
  const buildId = /Build ID: ([0-9a-f]+)/.exec(run('readelf', '-n', stripped))?.[1] ?? '';
  assert.notEqual(buildId, '');
  const address = (of: string): string => addresses.get(of) ?? assert.fail(`nm has no ${of}`);
  return { twin, stripped, address, buildId };
}

export type Watch = { readonly source: TlsSource; readonly events: TlsEvent[]; readonly said: string[] };

/** The agent's source for one program; the test closes it. */
export async function watch(
  t: TestContext,
  program: string,
  offsets: TlsOffsets,
  force: NativeTlsOptions['force'] = {},
): Promise<Watch> {
  const events: TlsEvent[] = [];
  const said: string[] = [];
  const source = new TlsSource({
    native: nativeTls(),
    targets: new TlsTargets({ uprobe: [program], comm: null }),
    offsets,
    sourceId: 1,
    ringBytes: 64 * 1024 * 1024,
    say: (line) => said.push(line),
    force,
  });
  t.after(() => source.close());
  source.onRecords((batch, count) => {
    for (let i = 0; i < count; i++) events.push(readEvent(batch, i));
  });
  await source.start();
  return { source, events, said };
}

/** Connections of four threads and messages in each of them; the port of the server. */
export async function converse(
  t: TestContext,
  folder: string,
  program: string,
  connections: number,
  messages: number,
  ...more: readonly string[]
): Promise<number> {
  const { match } = await startPeer(t, [program, 'server'], /port (\d+)/, folder);
  const port = match[1] ?? '';
  await runPeer([program, 'client', port, '4', String(connections / 4), String(messages), '40000', ...more], folder);
  return Number(port);
}

/** Until so many messages are there, or until a line is said. */
export async function untilSeen({ events, said }: Watch, messages: number): Promise<void> {
  const count = (): number => events.filter((e) => e.bytes.includes('X-Port: ')).length;
  await until(
    () => count() >= messages,
    () => `${count()} of ${messages} messages; ${said.join('\n')}`,
  );
}
