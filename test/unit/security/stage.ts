/** Peers whose messages are shown to the detection of attackers. */

import { parseIpv4, parseIpv6 } from '../../../src/core/ip.ts';
import { TRANSPORT } from '../../../src/core/words.ts';
import { SCAN, scanSip } from '../../../src/protocols/sip/scanner/scan.ts';
import type { SecurityAlert } from '../../../src/security/alert.ts';
import type { ScannerWatchOptions } from '../../../src/security/scanner-watch.ts';
import { ScannerWatch } from '../../../src/security/scanner-watch.ts';
import { emptyPacket, type Packet } from '../../../src/sources/packet.ts';
import { Peers, type Script } from '../../helpers/attack.ts';

/** Keeps what is sent. */
class Wire extends Peers {
  readonly sent: { readonly sec: number; readonly from: string; readonly to: string; readonly text: string }[] = [];

  send(sec: number, from: string, to: string, text: string): void {
    this.sent.push({ sec, from, to, text });
  }
}

/** Peers whose messages the detection is shown. */
export class Stage extends Peers {
  readonly alerts: SecurityAlert[] = [];
  readonly watch: ScannerWatch;

  constructor(options: Partial<ScannerWatchOptions> = {}) {
    super();
    this.watch = new ScannerWatch({ onAlert: (alert) => this.alerts.push(alert), ...options });
  }

  /** A whole script, to the end of the capture: every message at its time, answers that come late too. */
  static of(script: Script): Stage {
    const wire = new Wire();
    script.play(wire);
    const stage = new Stage();
    wire.sent.sort((a, b) => a.sec - b.sec);
    for (const { sec, from, to, text } of wire.sent) stage.send(sec, from, to, text);
    stage.watch.finish();
    return stage;
  }

  /** Sources that were reported, each once. */
  get reported(): string[] {
    return [...new Set(this.alerts.map((a) => a.source))].sort();
  }

  send(sec: number, from: string, to: string, text: string): void {
    const buf = Buffer.from(text);
    const scan = scanSip(buf, 0, buf.length);
    if (scan.code !== SCAN.OK) throw new Error(`no SIP: ${text}`);
    this.watch.onMessage(buf, scan, carrier(sec, from, to));
  }
}

export function carrier(sec: number, from: string, to: string): Packet {
  const addresses = new Uint8Array(32);
  const put = (text: string, at: number): void => {
    const four = parseIpv4(text);
    if (four >= 0) new DataView(addresses.buffer).setUint32(at, four);
    else addresses.set(parseIpv6(text) ?? new Uint8Array(16), at);
  };
  put(from, 0);
  put(to, 16);
  return {
    ...emptyPacket(addresses),
    tsUs: sec * 1e6,
    arrivedUs: sec * 1e6,
    transport: TRANSPORT.UDP,
    ipVersion: from.includes(':') ? 6 : 4,
    srcPort: 5060,
    dstPort: 5060,
  };
}
