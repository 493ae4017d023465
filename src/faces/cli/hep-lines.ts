/** Says on standard error when the clock of a HEP sender changes, and which connections bring no HEP. */

import { endpointText, ipText } from '../../core/ip.ts';
import type { HepClocks } from '../../ingest/hep-clocks.ts';
import type { HepClock, HepSenderName } from '../../sources/hep/hep-clock.ts';
import type { HepStranger } from '../../sources/hep/stream.ts';
import type { Packet } from '../../sources/packet.ts';
import { standardError } from './standard-streams.ts';

/** Milliseconds after which a line about connections that bring something else than HEP is said again. @cap */
const HEP_STRANGER_LINE_MS = 3_600_000;

/** Milliseconds, and lines about clocks of HEP senders that are said in them. @cap */
const HEP_CLOCK_LINES_MS = 60_000;
const HEP_CLOCK_LINES = 10;

/** `3.002 s ahead of ours`, `3600.000 s behind ours`. */
function offsetText(aheadUs: number): string {
  return `${(Math.abs(aheadUs) / 1e6).toFixed(3)} s ${aheadUs < 0 ? 'behind' : 'ahead of'} ours`;
}

export function offsetLine({ sender, offsetUs }: HepClock, wasUs: number): string {
  const who = `calltap: HEP sender ${sender.address}, agent ${sender.agentId}: its clock`;
  return Number.isNaN(wasUs)
    ? `${who} is ${offsetText(offsetUs)}; calltap corrects its times\n`
    : `${who} stepped from ${offsetText(wasUs)} to ${offsetText(offsetUs)}; calltap corrects its times\n`;
}

export function otherTimeLine({ sender }: HepClock, aheadUs: number): string {
  const who = `calltap: HEP sender ${sender.address}, agent ${sender.agentId}`;
  return `${who}: its times are ${offsetText(aheadUs)}, and nothing of it comes past here; calltap takes them as they are\n`;
}

export function implausibleLine({ address, agentId }: HepSenderName, toldUs: number): string {
  const told = new Date(toldUs / 1000).toISOString();
  return `calltap: HEP sender ${address}, agent ${agentId}: it says the time ${told}, which cannot be; calltap takes the time of arrival; set the clock of that host, or look at the agent\n`;
}

/** Says it on standard error, some lines a minute at most: whoever sends HEP can invent agents. */
export function sayClocks(clocks: HepClocks): void {
  let sinceMs = Number.NEGATIVE_INFINITY;
  let said = 0;
  const say = (line: string): void => {
    const nowMs = performance.now();
    if (nowMs - sinceMs > HEP_CLOCK_LINES_MS) {
      sinceMs = nowMs;
      said = 0;
    }
    if (++said <= HEP_CLOCK_LINES) standardError.write(line);
  };
  clocks.onOffset = (clock, wasUs) => say(offsetLine(clock, wasUs));
  clocks.onOther = (clock, aheadUs) => say(otherTimeLine(clock, aheadUs));
  clocks.onImplausible = (sender, toldUs) => say(implausibleLine(sender, toldUs));
}

const WHAT: Readonly<Record<HepStranger, string>> = {
  tls: 'begins TLS, and this port is plain; give --hep-listen-cert and --hep-listen-key, or send HEP over plain TCP or UDP',
  plain: 'brings no TLS, which this port asks for; let the agent send by TLS, or leave --hep-listen-cert out',
  handshake: 'does not finish its TLS handshake; check that the agent trusts our certificate and knows its name',
  uncertified: 'shows no certificate of --hep-listen-client-ca; give the agent one, or leave that option out',
  other: 'brings no HEP; point it elsewhere, or admit only the agents with --hep-allow',
};

export class HepStrangers {
  readonly #saidMs = new Map<HepStranger, number>();

  /** The line to say of this connection, with the code of its reason; null when one of its kind was said in the hour before. */
  line(what: HepStranger, arrival: Packet, nowMs: number, code?: string): string | null {
    const before = this.#saidMs.get(what);
    if (before !== undefined && nowMs - before < HEP_STRANGER_LINE_MS) return null;
    this.#saidMs.set(what, nowMs);
    const { addresses, srcOff, dstOff, ipVersion, srcPort, dstPort } = arrival;
    const peer = endpointText(ipText(addresses, srcOff, ipVersion), srcPort);
    const own = endpointText(ipText(addresses, dstOff, ipVersion), dstPort);
    const why = code === undefined ? '' : ` (${code})`;
    return `calltap: -L ${own}: the connection from ${peer} ${WHAT[what]}${why}\n`;
  }
}
