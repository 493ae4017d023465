/**
 * The statically assigned RTP payload types (RFC 3551 section 6, tables 4 and 5).
 *
 * In `core` because SDP names codecs by it and RTP takes clock rates from it, and neither layer may import the other.
 */

export interface StaticPayload {
  readonly name: string;
  readonly clockRate: number;
  /** 1 for audio without a note in the table and for video, where it has no meaning. */
  readonly channels: number;
}

const ROWS: readonly (readonly [type: number, name: string, clockRate: number, channels?: number])[] = [
  [0, 'PCMU', 8000],
  [3, 'GSM', 8000],
  [4, 'G723', 8000],
  [5, 'DVI4', 8000],
  [6, 'DVI4', 16000],
  [7, 'LPC', 8000],
  [8, 'PCMA', 8000],
  // G.722 samples at 16 kHz; its RTP clock is 8000 by an early mistake (RFC 3551 4.5.2).
  [9, 'G722', 8000],
  [10, 'L16', 44100, 2],
  [11, 'L16', 44100],
  [12, 'QCELP', 8000],
  [13, 'CN', 8000],
  [14, 'MPA', 90000],
  [15, 'G728', 8000],
  [16, 'DVI4', 11025],
  [17, 'DVI4', 22050],
  [18, 'G729', 8000],
  [25, 'CelB', 90000],
  [26, 'JPEG', 90000],
  [28, 'nv', 90000],
  [31, 'H261', 90000],
  [32, 'MPV', 90000],
  [33, 'MP2T', 90000],
  [34, 'H263', 90000],
];

/** Payload type to codec; types that are dynamic, reserved or unassigned have no entry. */
export const STATIC_PAYLOADS: ReadonlyMap<number, StaticPayload> = new Map(
  ROWS.map(([type, name, clockRate, channels = 1]) => [type, { name, clockRate, channels }]),
);
