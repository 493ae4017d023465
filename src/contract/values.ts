/** The closed sets of words that appear on the wire: one array each gives the enum, the type and the checks. */

import type { Static } from 'typebox';
import { Type } from 'typebox';
import { DIALOG_STATES, ORIGINS } from '../core/words.ts';

export const DialogState = Type.Enum(DIALOG_STATES, { description: 'State of a dialog.' });
export type DialogState = Static<typeof DialogState>;

export const Origin = Type.Enum(ORIGINS, { description: 'The capture source that delivered a message or stream.' });
export type Origin = Static<typeof Origin>;

export const Verdict = Type.Enum(['acceptable', 'degraded', 'not_scorable']);
export type Verdict = Static<typeof Verdict>;

export const STREAM_STATUSES = ['established', 'orphaned'] as const;
export type StreamStatus = (typeof STREAM_STATUSES)[number];

/** Frame pointer: source, ordinal in that source, FNV-1a 64 of the captured bytes. */
export const FramePointer = Type.String({
  pattern: '^.+#[0-9]+@[0-9a-f]{16}$',
  description: '`<source>#<ordinal>@<digest>`; follow it with `--show-frame`.',
});

/** SSRC as the API writes it. */
export const SsrcText = Type.String({ pattern: '^0x[0-9a-f]{8}$' });
