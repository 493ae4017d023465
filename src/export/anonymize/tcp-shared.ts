/** What the directions of TCP connections share while their text is replaced. */
import type { SharedInflation } from '../../decode/websocket/permessage-deflate.ts';
import type { LeftOutReason } from './token.ts';
import type { ContentRewriter } from './walk.ts';

export type TcpShared = {
  readonly contents: Pick<ContentRewriter, 'sip' | 'filler'>;
  readonly inflation: SharedInflation;
  /** Of all directions. */
  heldBytes: number;
};

/** The first `taken` bytes become `bytes`, or are left out; none are taken where more must come first. */
export type Taken = { readonly taken: number; readonly bytes: Buffer | null; readonly reason: LeftOutReason | null };
export const NOT_YET: Taken = { taken: 0, bytes: null, reason: null };
