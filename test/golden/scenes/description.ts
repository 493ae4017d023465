/** What a line of a scene says of media: `sdp`, and the words behind it. */
import { labelHex } from '../../../fixtures/build/bytes.ts';
import type { Endpoint } from '../../../fixtures/build/packet.ts';
import { CODEC, type Codec, type SdpOptions, sdp, t38Sdp } from '../../../fixtures/build/sdp.ts';
import { socketOf } from './stage.ts';

type Words = ReadonlyMap<string, string>;

const AMR: Codec = { name: 'AMR', payloadType: 97, clock: 8000, map: 'AMR/8000', fmtp: 'octet-align=1' };
export const CODECS: Readonly<Record<string, Codec>> = {
  pcmu: CODEC.PCMU,
  pcma: CODEC.PCMA,
  pcmu118: { name: 'PCMU', payloadType: 118, clock: 8000, map: 'PCMU/8000' },
  g722: CODEC.G722,
  g729: CODEC.G729,
  g729b: CODEC.G729B,
  cn: CODEC.CN,
  opus: CODEC.OPUS,
  amr: AMR,
  event: CODEC.EVENT,
  fec: { name: 'ulpfec', payloadType: 122, clock: 8000, map: 'ulpfec/8000' },
};
const DIRECTIONS = ['sendonly', 'recvonly', 'inactive'] as const;
const MDNS = '0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e';
const KEY = 'inline:WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz';

export function codecOf(word: string): Codec {
  const [name = '', number] = word.split(':');
  const found = CODECS[name];
  if (found === undefined) throw new Error(`no such codec: ${word}`);
  return number === undefined ? found : { ...found, payloadType: Number(number) };
}

/** Words: a direction, `codecs=pcmu,event:96` (its number), `bare` (no rtpmap), `ptime=30`, `nowhere`, `off`, `srtp`, `crypto` (keys for plain RTP), `fingerprint`, `zrtp`, `mux`, `ice`, `host=A:20400`, `relay=R` and `mdns` (further candidates), `video`, `video=off`, `second`, `second=off` (another audio line), `bundle-only`, `t38`; `origin=x` is the o= line of another. */
export function description(media: Endpoint, session: string, version: number, words: Words): string {
  if (words.has('t38')) return t38Sdp({ media, session, version });
  const attributes: string[] = [];
  if (words.has('mux')) attributes.push('rtcp-mux');
  if (words.has('fingerprint')) attributes.push('setup:actpass', `fingerprint:sha-256 ${'AB:'.repeat(31)}AB`);
  if (words.has('zrtp')) attributes.push(`zrtp-hash:1.10 ${'ab'.repeat(32)}`);
  if (words.has('srtp') || words.has('crypto')) attributes.push(`crypto:1 AES_CM_128_HMAC_SHA1_80 ${KEY}`);
  if (words.has('ice')) attributes.push(...ice(media, session), ...further(words));
  const direction = DIRECTIONS.find((d) => words.has(d));
  const options: SdpOptions = {
    media,
    session,
    version,
    codecs: (words.get('codecs') ?? 'pcmu,event').split(',').map(codecOf),
    ptime: Number(words.get('ptime') ?? 20),
    attributes,
    ...(direction === undefined ? {} : { direction }),
    ...(words.has('nowhere') ? { connection: '0.0.0.0' } : {}),
    ...(words.has('srtp') ? { profile: 'RTP/SAVP' as const } : {}),
  };
  if (words.has('bundle-only')) attributes.push('mid:0', 'bundle-only');
  const text = words.has('bare') ? sdp(options).replace(/a=(rtpmap|fmtp):.*\r\n/g, '') : sdp(options);
  const audio = words.has('off') ? text.replace(/m=audio \d+/, 'm=audio 0') : text;
  return audio + second(media, words.get('second')) + video(media, words.get('video'));
}

/** Alice's name in ICE is her session's: `session/B` is asked by `session/A`. */
export function ufrag(session: string): string {
  return labelHex(`${session}/ufrag`).slice(0, 8);
}

function ice(media: Endpoint, session: string): string[] {
  return [
    `ice-ufrag:${ufrag(session)}`,
    `ice-pwd:${labelHex(`${session}/pwd`).padEnd(24, '0')}`,
    `candidate:1 1 UDP 2130706431 ${media.address} ${media.port} typ host`,
  ];
}

function further(words: Words): string[] {
  const all = ['host', 'relay'].flatMap((type) => {
    const { address, port } = socketOf(words.get(type) ?? '0.0.0.0:0');
    return words.has(type) ? [`candidate:2 1 UDP 1677724415 ${address} ${port} typ ${type}`] : [];
  });
  return words.has('mdns') ? [...all, `candidate:3 1 UDP 2113937151 ${MDNS}.local 50000 typ host`] : all;
}

function second(media: Endpoint, how: string | undefined): string {
  return how === undefined ? '' : `m=audio ${how === 'off' ? 0 : media.port + 10} RTP/AVP 0\r\n`;
}

function video(media: Endpoint, how: string | undefined): string {
  if (how === undefined) return '';
  const port = how === 'off' ? 0 : media.port + 2;
  const direction = how === 'off' || how === 'video' ? 'sendrecv' : how;
  return `m=video ${port} RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\na=${direction}\r\n`;
}
