/**
 * Which codecs the E-model can score, with their published values (ITU-T G.113 Appendix I: table I.1 for
 * Ie, table I.4 for Bpl).
 *
 * A codec without a row is not scorable, whatever other literature estimates: G.722, Opus, iLBC, AMR and
 * the unknown. One with Ie but no Bpl is scorable as long as nothing is lost.
 */
import type { Impairment } from './emodel.ts';

export type CodecFacts = {
  /** Encoding name as in rtpmap, any case; null when the payload type is unknown. */
  readonly name: string | null;
  /** SDP `annexb` of G.729; absent when not said, which means the variant with VAD may be in use. */
  readonly annexB?: boolean;
  /** Bits a second, where the name does not say: G.723.1 (6300 or 5300) and G.728 (16000 or 12800). */
  readonly bitRate?: number;
};

/** G.711 with packet-loss concealment, as receivers have it, and bare. */
const G711_PLC: Impairment = { ie: 0, bpl: 25.1 };
const G711_BARE: Impairment = { ie: 0, bpl: 4.3 };

/** G.729 without VAD, and G.729A with VAD; Bpl is only published for the latter. */
const G729: Impairment = { ie: 10, bpl: 19 };
const G729_VAD: Impairment = { ie: 11, bpl: 19 };

/** G.723.1 with VAD at 6.3 kbit/s; at 5.3 kbit/s no Bpl is published. */
const G7231_HIGH: Impairment = { ie: 15, bpl: 16.1 };
const G7231_LOW: Impairment = { ie: 19, bpl: null };

const G728_16: Impairment = { ie: 7, bpl: null };
const G728_12: Impairment = { ie: 20, bpl: null };

/** Codecs whose encoding name says all; RFC 3551 names, and RFC 5993 for GSM-HR. */
const BY_NAME: ReadonlyMap<string, Impairment> = new Map<string, Impairment>([
  ['G726-40', { ie: 2, bpl: null }],
  ['G726-32', { ie: 7, bpl: null }],
  ['G726-24', { ie: 25, bpl: null }],
  ['G726-16', { ie: 50, bpl: null }],
  ['AAL2-G726-40', { ie: 2, bpl: null }],
  ['AAL2-G726-32', { ie: 7, bpl: null }],
  ['AAL2-G726-24', { ie: 25, bpl: null }],
  ['AAL2-G726-16', { ie: 50, bpl: null }],
  ['GSM', { ie: 20, bpl: null }],
  ['GSM-HR-08', { ie: 23, bpl: null }],
  ['GSM-EFR', { ie: 5, bpl: 10 }],
]);

/** The codec's impairment, or null when G.113 has none. `concealment`: receivers of G.711 conceal loss. */
export function impairmentOf(codec: CodecFacts, concealment: boolean): Impairment | null {
  const { name } = codec;
  if (name === null) return null;
  return namedImpairment(name, codec, concealment) ?? namedImpairment(name.toUpperCase(), codec, concealment);
}

function namedImpairment(name: string, codec: CodecFacts, concealment: boolean): Impairment | null {
  switch (name) {
    case 'PCMU':
    case 'PCMA':
      return concealment ? G711_PLC : G711_BARE;
    case 'G729':
    case 'G729A':
      return codec.annexB === false ? G729 : G729_VAD;
    case 'G723':
      return codec.bitRate === 5300 ? G7231_LOW : G7231_HIGH;
    case 'G728':
      return codec.bitRate === 12800 ? G728_12 : G728_16;
    default:
      return BY_NAME.get(name) ?? null;
  }
}
