/**
 * What a probed SSL call costs a program whose connection is told to be no SIP: beside no probe, and beside an empty eBPF
 * program at the same places (bench/tls_bare.c), which is what the kernel takes for the probe itself.
 *
 * All variants run in each round, one after the other, and differences are taken within a round: a round has one hour of the
 * machine. Over memory there are no socket calls; over TCP each SSL call makes one or two.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ProbeCapture } from '../test/helpers/tls-probes.ts';
import { chosenSites } from '../test/helpers/tls-probes.ts';
import type { TlsWorker } from './tls-worker.ts';

const BYTES = 600;
/** Messages of one measurement; each has two calls. */
const MESSAGES = 4000;
const WARM_UP = 500;

const WAYS = ['memory', 'tcp'] as const;
const VARIANTS = ['no probe', 'bare probe', 'HTTPS told apart', 'SIP'] as const;
type Variant = (typeof VARIANTS)[number];

export type HttpsParts = {
  readonly worker: TlsWorker;
  readonly libssl: string;
  /** Path of bench/tls_bare.c, compiled. */
  readonly bare: string;
  readonly capture: ProbeCapture;
};

/** Attaches the empty program where calltap's are; ends it again. */
async function bareProbe({ bare, libssl }: HttpsParts): Promise<() => Promise<void>> {
  const sites = chosenSites(libssl);
  const exits = [...new Set(sites.flatMap((site) => site.exits ?? []))];
  const child = spawn(bare, [libssl, sites.map((site) => site.offset).join(), exits.join()], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => Promise.reject(new Error('tls_bare refused'))),
  ]);
  return async () => {
    child.stdin.end();
    await once(child, 'exit');
  };
}

async function attached(parts: HttpsParts, variant: Variant): Promise<() => Promise<void>> {
  if (variant === 'no probe') return async () => {};
  if (variant === 'bare probe') return bareProbe(parts);
  const id = parts.capture.attach(parts.libssl, chosenSites(parts.libssl));
  return async () => {
    parts.capture.native.detach(id);
  };
}

/** Microseconds of the thread's processor time for one call. */
async function measure(parts: HttpsParts, variant: Variant, way: (typeof WAYS)[number]): Promise<number> {
  const pair = variant === 'SIP' ? way : `${way}-http`;
  const detach = await attached(parts, variant);
  await parts.worker.ask(`calls ${WARM_UP} ${BYTES} ${pair}`);
  const ns = Number((await parts.worker.ask(`calls ${MESSAGES} ${BYTES} ${pair}`)).split(' ')[1]);
  await detach();
  return ns / 1000;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

/** The table, line by line. */
export async function* httpsTable(parts: HttpsParts, rounds: number): AsyncGenerator<string> {
  const taken = new Map(WAYS.map((way) => [way, VARIANTS.map((): number[] => [])]));
  for (let i = 0; i < rounds; i++)
    for (const [way, columns] of taken)
      for (const [v, variant] of VARIANTS.entries()) columns[v]?.push(await measure(parts, variant, way));
  yield `| ${rounds} rounds, µs an SSL call (${BYTES} bytes) | ${VARIANTS.join(' | ')} | HTTPS beside the bare probe | SIP beside it |`;
  yield `|---|${'---:|'.repeat(VARIANTS.length + 2)}`;
  for (const [way, columns] of taken) {
    const [, bare = [], https = [], sip = []] = columns;
    const beside = (those: readonly number[]): number => median(those.map((us, i) => us - (bare[i] ?? 0)));
    yield `| over ${way} | ${[...columns.map(median), beside(https), beside(sip)].map((us) => us.toFixed(2)).join(' | ')} |`;
  }
}
