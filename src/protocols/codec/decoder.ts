/**
 * Which codecs are decoded, and how: a decoder a stream, fed one payload after the other in the order of the sequence.
 */

import { decodeAlaw, decodeL16, decodeMulaw } from './g711.ts';
import { G722Decoder } from './g722.ts';
import { GsmDecoder } from './gsm.ts';

export type PayloadDecoder = {
  /** Samples a second of what decode() gives. */
  readonly sampleRate: number;
  /** 16-bit samples of one payload; empty when it cannot be read. */
  decode(payload: Uint8Array): Int16Array;
  close(): void;
};

/** Names as SDP writes them, in upper case. */
const DECODABLE: ReadonlySet<string> = new Set(['PCMU', 'PCMA', 'G722', 'GSM', 'OPUS', 'L16']);

export function isDecodable(codec: string): boolean {
  return DECODABLE.has(codec.toUpperCase());
}

/** Null for a codec that is not decoded. `clockRate` and `channels` matter to L16 only. */
export async function createDecoder(
  codec: string,
  clockRate: number,
  channels: number,
): Promise<PayloadDecoder | null> {
  const close = (): void => undefined;
  switch (codec.toUpperCase()) {
    case 'PCMU':
      return { sampleRate: clockRate, decode: decodeMulaw, close };
    case 'PCMA':
      return { sampleRate: clockRate, decode: decodeAlaw, close };
    case 'L16':
      return { sampleRate: clockRate, decode: (p) => decodeL16(p, channels), close };
    case 'G722': {
      // The clock says 8000 by an old mistake that RFC 3551 section 4.5.2 keeps.
      const g722 = new G722Decoder();
      return { sampleRate: 16_000, decode: (p) => g722.decode(p), close };
    }
    case 'GSM': {
      const gsm = new GsmDecoder();
      return { sampleRate: 8000, decode: (p) => gsm.decode(p), close };
    }
    case 'OPUS':
      return createOpus();
    default:
      return null;
  }
}

async function createOpus(): Promise<PayloadDecoder> {
  const { OpusDecoder } = await import('opus-decoder');
  const opus = new OpusDecoder({ channels: 1, sampleRate: 48_000 });
  await opus.ready;
  return {
    sampleRate: 48_000,
    decode(payload) {
      const { channelData, samplesDecoded } = opus.decodeFrame(payload);
      const out = new Int16Array(samplesDecoded);
      const from = channelData[0];
      for (let i = 0; i < samplesDecoded; i++)
        out[i] = Math.max(-32768, Math.min(32767, Math.round((from?.[i] ?? 0) * 32767)));
      return out;
    },
    close: () => opus.free(),
  };
}
