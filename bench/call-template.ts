/**
 * The packets of whole calls for the API benchmark: set-up with SDP, a little RTP each way, hang-up. One call is one run
 * of bytes in which numbers are patched, so that a hundred thousand calls cost little to send.
 */

/** Packets of a direction, enough for the stream to be shown and to have a score. */
const RTP_A_SIDE = 6;
/** Every so many calls: media one way only, and none at all. */
const ONE_WAY_EVERY = 40;
export const SILENT_EVERY = 50;

const HEADERS = 16 + 42;
const LEFT = 0x0a000001;
const RIGHT = 0x0a000002;

export function frame(src: number, dst: number, sport: number, dport: number, payload: Buffer): Buffer {
  const out = Buffer.alloc(HEADERS + payload.length);
  out.writeUInt32LE(42 + payload.length, 8);
  out.writeUInt32LE(42 + payload.length, 12);
  Buffer.from('02000000000202000000000108004500', 'hex').copy(out, 16);
  out.writeUInt16BE(28 + payload.length, 32);
  out[38] = 64;
  out[39] = 17;
  out.writeUInt32BE(src, 42);
  out.writeUInt32BE(dst, 46);
  out.writeUInt16BE(sport, 50);
  out.writeUInt16BE(dport, 52);
  out.writeUInt16BE(8 + payload.length, 54);
  payload.copy(out, HEADERS);
  return out;
}

/** Where a word stands in the bytes. */
function placesOf(bytes: Buffer, word: string): number[] {
  const out: number[] = [];
  for (let at = bytes.indexOf(word); at >= 0; at = bytes.indexOf(word, at + word.length)) out.push(at);
  return out;
}

const NUMBER = '@@@@@@@@';
const OCTETS = '100.100';
const PORT = '20000';
/** Three digits each, so that an address keeps its length. */
const OCTET_VALUES = 150;
const PORTS = 1_000;

type Side = 0 | 1;
type Part = { readonly at: number; readonly rtp: Side | null };

function sip(start: string, toTag: boolean, method: string, body: string): Buffer {
  const tag = toTag ? `;tag=b${NUMBER}` : '';
  return Buffer.from(
    `${start}\r\nVia: SIP/2.0/UDP 10.0.0.1:5060;branch=z9hG4bK${NUMBER}${method}\r\nMax-Forwards: 70\r\n` +
      `From: "Agent ${NUMBER}" <sip:u${NUMBER}@example.net>;tag=a${NUMBER}\r\nTo: <sip:bob@example.net>${tag}\r\n` +
      `Call-ID: ${NUMBER}-bench\r\nCSeq: ${method === 'BYE' ? 2 : 1} ${method}\r\nContact: <sip:a@10.0.0.1>\r\n` +
      `User-Agent: bench\r\n${body === '' ? '' : 'Content-Type: application/sdp\r\n'}` +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  );
}

function sdp(network: number): string {
  const host = `10.${OCTETS}.${network}`;
  return (
    `v=0\r\no=- ${NUMBER.replaceAll('@', '1')} 1 IN IP4 ${host}\r\ns=-\r\nc=IN IP4 ${host}\r\nt=0 0\r\n` +
    `m=audio ${PORT} RTP/AVP 0 101\r\na=rtpmap:0 PCMU/8000\r\na=rtpmap:101 telephone-event/8000\r\na=sendrecv\r\n`
  );
}

function script(): { readonly bytes: Buffer; readonly parts: readonly Part[] } {
  const signal = (from: Side, payload: Buffer): Buffer =>
    from === 0 ? frame(LEFT, RIGHT, 5060, 5060, payload) : frame(RIGHT, LEFT, 5060, 5060, payload);
  const payload = Buffer.alloc(12 + 160);
  payload[0] = 0x80;
  const frames: { bytes: Buffer; rtp: Side | null }[] = [];
  const add = (bytes: Buffer, rtp: Side | null = null): number => frames.push({ bytes, rtp });
  add(signal(0, sip('INVITE sip:bob@example.net SIP/2.0', false, 'INVITE', sdp(1))));
  add(signal(1, sip('SIP/2.0 180 Ringing', true, 'INVITE', '')));
  add(signal(1, sip('SIP/2.0 200 OK', true, 'INVITE', sdp(2))));
  add(signal(0, sip('ACK sip:bob@10.0.0.2 SIP/2.0', true, 'ACK', '')));
  for (let i = 0; i < RTP_A_SIDE; i++)
    for (const side of [0, 1] as const) add(frame(0, 0, 20_000, 20_000, payload), side);
  add(signal(0, sip('BYE sip:bob@10.0.0.2 SIP/2.0', true, 'BYE', '')));
  add(signal(1, sip('SIP/2.0 200 OK', true, 'BYE', '')));
  let at = 0;
  const parts = frames.map(({ bytes, rtp }) => {
    const part = { at, rtp };
    at += bytes.length;
    return part;
  });
  return { bytes: Buffer.concat(frames.map(({ bytes }) => bytes)), parts };
}

/** SSRC of the calling side of call `n`, as a path has it. */
export function ssrcOf(n: number): string {
  return `0x${ssrcNumber(n, 0).toString(16).padStart(8, '0')}`;
}

function ssrcNumber(n: number, side: Side): number {
  return (n * 2 + side + 0x10000) >>> 0;
}

/** Makes call after call; `stamp` writes the time of the packet whose record begins at `at`, a step later each time. */
export class CallTemplate {
  readonly #script = script();
  readonly #numbers: readonly number[];
  readonly #octets: readonly number[];
  readonly #ports: readonly number[];

  constructor() {
    const { bytes } = this.#script;
    this.#numbers = placesOf(bytes, NUMBER);
    this.#octets = placesOf(bytes, OCTETS);
    this.#ports = placesOf(bytes, `audio ${PORT}`).map((place) => place + 6);
  }

  /** Bytes of call `n`. */
  write(n: number, stamp: (bytes: Buffer, at: number) => void): Buffer {
    const { bytes, parts } = this.#script;
    const out = Buffer.from(bytes);
    const number = n.toString(16).padStart(8, '0');
    const port = 20_000 + 2 * (n % PORTS);
    const high = 100 + (Math.floor(n / PORTS / OCTET_VALUES) % OCTET_VALUES);
    const low = 100 + (Math.floor(n / PORTS) % OCTET_VALUES);
    for (const at of this.#numbers) out.write(number, at, 'latin1');
    for (const at of this.#octets) out.write(`${high}.${low}`, at, 'latin1');
    for (const at of this.#ports) out.write(String(port), at, 'latin1');
    const host = (0x0a00 | high) * 0x10000 + low * 0x100;
    const sent = [0, 0];
    let end = 0;
    for (const [i, { at, rtp }] of parts.entries()) {
      const next = parts[i + 1]?.at ?? out.length;
      if (rtp !== null) {
        if (n % SILENT_EVERY === 0 || (rtp === 1 && n % ONE_WAY_EVERY === 1)) continue;
        const sequence = sent[rtp] ?? 0;
        sent[rtp] = sequence + 1;
        out.writeUInt32BE(host + 1 + rtp, at + 42);
        out.writeUInt32BE(host + 2 - rtp, at + 46);
        out.writeUInt16BE(port, at + 50);
        out.writeUInt16BE(port, at + 52);
        out.writeUInt16BE(sequence, at + HEADERS + 2);
        out.writeUInt32BE(sequence * 160, at + HEADERS + 4);
        out.writeUInt32BE(ssrcNumber(n, rtp), at + HEADERS + 8);
      }
      stamp(out, at);
      out.copyWithin(end, at, next);
      end += next - at;
    }
    return out.subarray(0, end);
  }
}
