/** The stores behind one dialog tracker, fed with messages of a script as a source would feed them. */

import assert from 'node:assert/strict';
import type { SipMessage, SipScript } from '../../../../fixtures/build/sip-call.ts';
import { hashBytes } from '../../../../src/core/hash.ts';
import type { EndpointKey } from '../../../../src/core/ip.ts';
import { parseIpv4, parseIpv6 } from '../../../../src/core/ip.ts';
import { DialogTracker } from '../../../../src/ingest/dialogs/dialog-tracker.ts';
import { HepClocks } from '../../../../src/ingest/hep-clocks.ts';
import { SdpTracker } from '../../../../src/ingest/media/sdp-tracker.ts';
import { NO_SCAN, SCAN, scanSip } from '../../../../src/protocols/sip/scanner/scan.ts';
import { emptyPacket, type Packet } from '../../../../src/sources/packet.ts';
import { CallIdentifiers } from '../../../../src/store/dialogs/call-identifiers.ts';
import type { Dialog } from '../../../../src/store/dialogs/dialog.ts';
import { DialogStore } from '../../../../src/store/dialogs/dialog-store.ts';
import { ExpiryQueue } from '../../../../src/store/dialogs/expiry-queue.ts';
import { EndpointIndex } from '../../../../src/store/media/endpoint-index.ts';
import { MessageLog } from '../../../../src/store/messages/message-log.ts';
import { NO_ROW } from '../../../../src/store/messages/message-rows.ts';

export const WIRE = 0;
export const HEP = 1;

/** 16 bytes that hold the address as records do: IPv4 in the first four. */
function addressBytes(text: string): Uint8Array {
  const bytes = new Uint8Array(16);
  if (text.includes(':')) bytes.set(parseIpv6(text) ?? assert.fail(text));
  else new DataView(bytes.buffer).setUint32(0, parseIpv4(text));
  return bytes;
}

/** A carrier without a frame; tests give addresses and times. */
export const CARRIER: Packet = emptyPacket(new Uint8Array(32));

export class TrackerKit {
  readonly endpoints: EndpointIndex;
  readonly expiries = new ExpiryQueue<Dialog>();
  /** Claims by their rows. */
  readonly claims: { readonly key: EndpointKey; readonly claim: number }[] = [];
  /** State numbers each dialog left, in order. */
  readonly left: [callId: string, state: number][] = [];
  readonly sdp: SdpTracker;
  readonly log: MessageLog;
  readonly dialogs: DialogStore;
  readonly tracker: DialogTracker;
  readonly identifiers: CallIdentifiers;
  readonly clocks = new HepClocks();
  #scan = NO_SCAN;
  #ipId = 0;

  constructor(o: { maxDialogs?: number; logBytes?: number; callIdHeaders?: readonly string[] } = {}) {
    this.identifiers = new CallIdentifiers(o.callIdHeaders);
    this.log = new MessageLog(o.logBytes ?? 8 * 1024 * 1024, { bySlot: (slot) => this.dialogs.bySlot(slot) });
    this.dialogs = new DialogStore(o.maxDialogs ?? 1000, (d) => {
      d.expiresUs = Number.NaN;
      this.identifiers.onDialogGone(d);
      this.sdp.onDialogGone(d);
    });
    this.endpoints = new EndpointIndex(this.dialogs);
    this.sdp = new SdpTracker(this.endpoints, (key, claim) => this.claims.push({ key, claim }));
    this.tracker = new DialogTracker({
      dialogs: this.dialogs,
      log: this.log,
      sdp: this.sdp,
      expiries: this.expiries,
      identifiers: this.identifiers,
      clocks: this.clocks,
      digest: () => assert.fail('no frame is given here'),
      onChange: (d, from) => this.left.push([d.callId, from]),
    });
  }

  /** One message; each has an IP identification of its own unless told otherwise. */
  send(m: SipMessage, over: Partial<Packet> = {}): Dialog | null {
    const buf = Buffer.from(m.bytes);
    this.#scan = scanSip(buf, 0, buf.length);
    assert.equal(this.#scan.code, SCAN.OK);
    const addresses = new Uint8Array(32);
    addresses.set(addressBytes(m.src.address), 0);
    addresses.set(addressBytes(m.dst.address), 16);
    const carrier = {
      ...CARRIER,
      tsUs: m.tsUs,
      arrivedUs: over.tsUs ?? m.tsUs,
      ipVersion: m.src.address.includes(':') ? 6 : 4,
      ipId: ++this.#ipId & 0xffff,
      addresses,
      srcPort: m.src.port,
      dstPort: m.dst.port,
      ...over,
    };
    const { callIdStart, callIdEnd } = this.#scan;
    const callIdHash = callIdStart < 0 ? 0 : hashBytes(buf, callIdStart, callIdEnd);
    return this.tracker.onMessage(buf, 0, buf.length, this.#scan, carrier, callIdHash);
  }

  /**
   * One message by HEP, stamped by a clock that is ahead by `aheadUs`; it came in when it was sent, unless told otherwise.
   * Its sender is agent `agentId` at `address`.
   */
  mirror(
    m: SipMessage,
    o: { aheadUs?: number; arrivedUs?: number; agentId?: number; address?: string } = {},
  ): Dialog | null {
    const { aheadUs = 0, arrivedUs = m.tsUs, agentId = 2001, address = '192.0.2.99' } = o;
    const toldUs = m.tsUs + aheadUs;
    const version = address.includes(':') ? 6 : 4;
    const clock = this.clocks.clockOf(addressBytes(address), 0, version, agentId, toldUs, arrivedUs);
    const tsUs = clock.timeOf(toldUs, arrivedUs);
    return this.send(m, { origin: HEP, clock, toldUs, tsUs, arrivedUs, ipId: 0 });
  }

  /** A whole script; its dialog. */
  play(script: SipScript): Dialog {
    for (const m of script.messages) this.send(m);
    return this.dialog(script.callId);
  }

  dialog(callId: string): Dialog {
    const d = this.dialogs.get(callId);
    assert.ok(d !== undefined, callId);
    return d;
  }

  /** Flags of the dialog's kept rows, in order. */
  flags(d: Dialog): number[] {
    const out: number[] = [];
    for (let row = d.headRow; row !== NO_ROW && this.log.has(row); row = this.log.next(row))
      out.push(this.log.flags(row));
    return out;
  }
}
