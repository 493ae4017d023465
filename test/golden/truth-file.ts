/** What tshark found in each capture: the parts of ground-truth.json that calltap is held against. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type TruthStream = {
  readonly src: string;
  readonly sport: number;
  readonly dst: string;
  readonly dport: number;
  readonly ssrc: string;
  readonly packets: number;
  readonly lost: number;
  readonly mean_jitter_ms: number;
};

export type TruthCapture = {
  readonly file: string;
  readonly packets: number;
  readonly sip: {
    readonly messages: number;
    readonly requests_by_method?: Readonly<Record<string, number>>;
    readonly responses_by_code?: Readonly<Record<string, number>>;
    /** `list` is null where there are too many to list. */
    readonly call_ids?: { readonly count: number; readonly list: readonly string[] | null };
  };
  /** Streams that an SDP announced. */
  readonly rtp_sdp: readonly TruthStream[];
  /** The same and all that looks like RTP: holds every stream of rtp_sdp, with at least as many packets. */
  readonly rtp_heuristic: readonly TruthStream[];
};

export function readTruth(folder: string): readonly TruthCapture[] {
  // The file is made by one program; a field of another type fails the comparison it takes part in.
  const file = JSON.parse(readFileSync(join(folder, 'ground-truth.json'), 'utf8')) as { captures: TruthCapture[] };
  return file.captures;
}
