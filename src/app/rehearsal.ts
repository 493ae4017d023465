/**
 * Plays a few calls through a session of its own before a large capture is read, so that the engine has met every step of
 * a call when it begins to optimise (docs/adr/0016).
 *
 * A capture often begins with calls that begin, and the first BYE comes when code is compiled that never saw one: V8 takes
 * that back and compiles it again, while hundreds of thousands of packets wait.
 */
import { RecordBatch } from '../sources/record-batch.ts';
import { FLAG, KIND, OFFSET, RECORD_BYTES, SLAB_BYTES } from '../sources/records.ts';
import { STATE } from '../store/dialogs/dialog-state.ts';
import type { SessionOptions } from './capture-session.ts';
import { CaptureSession } from './capture-session.ts';

/** V8 takes notes of a function from about its eighth call on. */
export const CALLS = 20;
const CALL_US = 1_000;
const SIP_PORT = 5060;
const UDP = 17;
/** Where a message lies in its frame: behind Ethernet, IPv4 and UDP. */
const HEADERS = 42;

const CALLER = [192, 0, 2, 10] as const;
const CALLEE = [192, 0, 2, 20] as const;

/** The steps of a call: whose message, its start line and CSeq method, whether the To tag is known, and a description. */
const STEPS: readonly (readonly [
  byCaller: boolean,
  start: string,
  method: string,
  hasToTag: boolean,
  hasSdp: boolean,
])[] = [
  [true, 'INVITE sip:+442070000001@192.0.2.20 SIP/2.0', 'INVITE', false, true],
  [false, 'SIP/2.0 100 Trying', 'INVITE', false, false],
  [false, 'SIP/2.0 180 Ringing', 'INVITE', true, false],
  [false, 'SIP/2.0 200 OK', 'INVITE', true, true],
  [true, 'ACK sip:+442070000001@192.0.2.20 SIP/2.0', 'ACK', true, false],
  [true, 'BYE sip:+442070000001@192.0.2.20 SIP/2.0', 'BYE', true, false],
  [false, 'SIP/2.0 200 OK', 'BYE', true, false],
];
/** Media begins behind this many of them. */
const ANSWERED = 5;

function mediaPort(call: number, byCaller: boolean): number {
  return 20_000 + call * 4 + (byCaller ? 0 : 2);
}

function messageText(call: number, step: number): string {
  const [byCaller, start, method, hasToTag, hasSdp] = STEPS[step] ?? [true, '', '', false, false];
  const host = byCaller ? '192.0.2.10' : '192.0.2.20';
  const sdp = hasSdp
    ? `v=0\r\no=- ${call} 1 IN IP4 ${host}\r\ns=-\r\nc=IN IP4 ${host}\r\nt=0 0\r\n` +
      `m=audio ${mediaPort(call, byCaller)} RTP/AVP 0 101\r\na=rtpmap:0 PCMU/8000\r\n` +
      'a=rtpmap:101 telephone-event/8000\r\na=ptime:20\r\na=sendrecv\r\n'
    : '';
  const lines = [
    start,
    `Via: SIP/2.0/UDP 192.0.2.10:5060;branch=z9hG4bK-rehearsal-${call}-${method};rport`,
    'Max-Forwards: 70',
    `From: <sip:+39055000000${call}@192.0.2.10>;tag=from-${call}`,
    `To: <sip:+442070000001@192.0.2.20>${hasToTag ? `;tag=to-${call}` : ''}`,
    `Call-ID: rehearsal-${call}@192.0.2.10`,
    `CSeq: ${method === 'BYE' ? 2 : 1} ${method}`,
    `Contact: <sip:${host}:5060>`,
    ...(hasSdp ? ['Content-Type: application/sdp'] : []),
    `Content-Length: ${sdp.length}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${sdp}`;
}

/** Records as the native reader makes them, one after the other. */
class Script {
  readonly #data = Buffer.alloc(SLAB_BYTES);
  readonly #bytes = new Uint8Array(CALLS * (STEPS.length + 4) * RECORD_BYTES);
  readonly #view = new DataView(this.#bytes.buffer);
  #length = HEADERS;
  count = 0;
  tsUs = 0;

  get batch(): RecordBatch {
    return new RecordBatch(this.#data, this.#bytes);
  }

  #record(kind: number, byCaller: boolean, srcPort: number, dstPort: number, aux: readonly number[]): number {
    const at = this.count * RECORD_BYTES;
    const view = this.#view;
    this.tsUs += CALL_US;
    view.setFloat64(at + OFFSET.tsUs, this.tsUs, true);
    view.setFloat64(at + OFFSET.frame, this.count, true);
    for (const [i, value] of aux.entries()) view.setUint32(at + OFFSET.aux0 + 4 * i, value, true);
    view.setUint16(at + OFFSET.srcPort, srcPort, true);
    view.setUint16(at + OFFSET.dstPort, dstPort, true);
    view.setUint8(at + OFFSET.kind, kind);
    view.setUint8(at + OFFSET.ipVersion, 4);
    view.setUint8(at + OFFSET.transport, UDP);
    this.#bytes.set(byCaller ? CALLER : CALLEE, at + OFFSET.src);
    this.#bytes.set(byCaller ? CALLEE : CALLER, at + OFFSET.dst);
    this.count++;
    return at;
  }

  message(call: number, step: number): void {
    const length = this.#data.write(messageText(call, step), this.#length, 'latin1');
    const byCaller = STEPS[step]?.[0] ?? true;
    const at = this.#record(KIND.UDP, byCaller, SIP_PORT, SIP_PORT, [HEADERS, HEADERS + length, 1 + this.count]);
    const view = this.#view;
    view.setUint32(at + OFFSET.off, this.#length, true);
    view.setUint32(at + OFFSET.len, length, true);
    view.setUint32(at + OFFSET.wireLen, length, true);
    view.setUint8(at + OFFSET.flags, FLAG.SIP_GATE | FLAG.LOOKS_SIP);
    // As of a file; nobody will read it again.
    view.setFloat64(at + OFFSET.fileAt, this.#length, true);
    this.#length += length + HEADERS;
  }

  stream(kind: number, call: number, byCaller: boolean): void {
    const index = call * 2 + (byCaller ? 0 : 1);
    const ports = [mediaPort(call, byCaller), mediaPort(call, !byCaller)] as const;
    const at = this.#record(kind, byCaller, ...ports, [index, 0x8000_0000 + index, 1]);
    this.#view.setUint32(at + OFFSET.digest, 1 + index, true);
  }
}

/** All calls take a step, then all the next. */
function script(): Script {
  const s = new Script();
  for (let step = 0; step < STEPS.length; step++) {
    for (let call = 0; call < CALLS; call++) s.message(call, step);
    if (step + 1 !== ANSWERED) continue;
    for (const kind of [KIND.STREAM_OPENED, KIND.STREAM_ACCEPTED])
      for (let call = 0; call < CALLS; call++) for (const byCaller of [true, false]) s.stream(kind, call, byCaller);
  }
  return s;
}

/** What was made of the calls that were played. */
type Played = { readonly messages: number; readonly completed: number; readonly streams: number };

/** For a session of these options, which it leaves alone: answered calls with two streams each, to their end. */
export function rehearse(options: SessionOptions): Played {
  const { sipPorts, wsPorts, messageLogBytes, windowSec, thresholds, espNull, hep, correlates } = options;
  const session = new CaptureSession({
    ...{ sipPorts, wsPorts, messageLogBytes, windowSec, thresholds, espNull, hep, correlates },
    ...{ lintSuppress: [], callIdHeaders: [], audioBytes: 0, maxDialogs: CALLS * 2, maxStreams: CALLS * 4 },
    isSmall: true,
  });
  try {
    const { batch, count, tsUs } = script();
    session.ingest.onRecords(batch, count);
    session.tracker.sweep(tsUs);
    const { dialogs, streams, tracker } = session;
    const completed = dialogs.inState[STATE.Completed] ?? 0;
    return { messages: tracker.counts.messages, completed, streams: streams.established };
  } finally {
    session.close();
  }
}
