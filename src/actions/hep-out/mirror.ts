/** Makes the HEP mirror of the options of -H, says a line when a collector begins to miss messages, and gives its counters. */
import { hostname } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { readCertificate, readPrivateKey } from '../../config/text-file.ts';
import { snake } from '../../view/loss-row.ts';
import type { MetricFamily } from '../../view/metrics/family.ts';
import { countsOf, numberOf } from '../../view/metrics/family.ts';
import type { Collector } from './hep-out.ts';
import { HepOut } from './hep-out.ts';
import { HEP_OUT_COUNTERS, HEP_OUT_LOSSES } from './link.ts';
import { PacketSpool } from './spool.ts';
import type { TlsMaterial } from './stream-link.ts';

export type MirrorOptions = {
  /** -H */
  readonly hepSend: readonly Collector[];
  readonly hepFailover: boolean;
  readonly hepRtpReports: boolean;
  readonly exportUprobe: boolean;
  readonly hepId: number;
  readonly hepNode: string | null;
  readonly hepSendAuth: string | null;
  readonly hepCa: string | null;
  readonly hepCert: string | null;
  readonly hepKey: string | null;
  readonly hepSpool: string | null;
  readonly hepSpoolBytes: number;
};

/**
 * Null without -H. `mayWrite` is the persistence gate; `say` is given lines for people, without their end. Throws ServiceError
 * for a certificate or a key that cannot be read.
 */
export function createMirror(
  options: MirrorOptions,
  mayWrite: () => boolean,
  say: (line: string) => void,
): HepOut | null {
  const { hepSend, hepFailover, hepId, hepNode, hepSendAuth, hepSpool, hepSpoolBytes } = options;
  if (hepSend.length === 0) return null;
  /** Messages of troubles that are over. */
  let lostBefore = 0;
  let unconfirmedBefore = 0;
  const onTrouble = (collector: string, reason: string | null): void => {
    if (reason !== null) {
      say(`-H ${collector}: ${reason}; trying again and counting lost messages`);
      return;
    }
    // Which messages the collector misses is not known before it is well again.
    const lost = HEP_OUT_LOSSES.reduce((sum, name) => sum + mirror.counters.get(name), 0);
    const unconfirmed = mirror.counters.get('unconfirmed');
    const perhaps = unconfirmed > unconfirmedBefore ? `, and ${unconfirmed - unconfirmedBefore} may be` : '';
    say(`-H ${collector}: mirrored again; ${lost - lostBefore} messages were lost meanwhile${perhaps}`);
    lostBefore = lost;
    unconfirmedBefore = unconfirmed;
  };
  const mirror = new HepOut({
    agentId: hepId,
    nodeName: hepNode ?? hostname(),
    ...(hepSendAuth !== null && { authKey: hepSendAuth }),
    collectors: hepSend,
    failsOver: hepFailover,
    sendsRtpReports: options.hepRtpReports,
    sendsUprobe: options.exportUprobe,
    tls: tlsMaterial(options),
    spool:
      hepSpool === null
        ? null
        : (name, counters) => new PacketSpool(join(hepSpool, folderName(name)), hepSpoolBytes, counters, mayWrite),
    onTrouble,
  });
  return mirror;
}

/** What was not mirrored, or perhaps not, by reason. */
export function lossesOf(mirror: HepOut): (readonly [string, number])[] {
  return [...HEP_OUT_LOSSES, 'unconfirmed' as const].map((name) => [snake(name), mirror.counters.get(name)] as const);
}

/** Zero where the option is not given: a dashboard needs no exceptions. */
export function mirrorFamilies(mirror: HepOut | null): MetricFamily[] {
  return [
    countsOf(
      'calltap_hep_out_total',
      HEP_OUT_COUNTERS.map((name) => [snake(name), mirror?.counters.get(name) ?? 0] as const),
    ),
    numberOf('calltap_hep_out_waiting_bytes', mirror?.waitingBytes ?? 0),
    countsOf(
      'calltap_hep_out_up',
      (mirror?.links ?? []).map(({ name, isUp }) => [name, isUp ? 1 : 0]),
    ),
  ];
}

/** A folder's name that no other collector has. */
function folderName(collector: string): string {
  return collector.replace('://', '-').replaceAll(/[^A-Za-z0-9.-]/g, '_');
}

function tlsMaterial({ hepSend, hepCa, hepCert, hepKey }: MirrorOptions): TlsMaterial {
  if (!hepSend.some(({ transport }) => transport === 'tls')) return {};
  return {
    ...(hepCa !== null && { ca: [...rootCertificates, readCertificate('--hep-ca', hepCa)] }),
    ...(hepCert !== null && { cert: readCertificate('--hep-cert', hepCert) }),
    ...(hepKey !== null && { key: readPrivateKey('--hep-key', hepKey) }),
  };
}
