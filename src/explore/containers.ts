/**
 * Makes containers (vCon): what they are made of is read in turns, their text while the reader takes it. A few are made at a
 * time, since each may hold the audio of its call.
 */
import { Readable } from 'node:stream';
import { ofDialog } from '../analysis/dialog-facts.ts';
import { Places } from '../core/places.ts';
import type { Turns } from '../core/turns.ts';
import { callAudio } from '../export/audio.ts';
import type { VconAudio } from '../export/vcon.ts';
import { dialogVcon, VCON_AUDIO_BYTES } from '../export/vcon.ts';
import type { Figures } from '../view/figures.ts';
import { orNotHere } from './refusal.ts';

/**
 * Containers (vCon) made at a time.
 *
 * @cap option 45 MiB, document_requests_refused: with `--api`: vCon containers being made
 */
export const MAX_CONTAINERS = 8;

/** Requests that wait for one; one more is answered with 503. @cap */
const MAX_CONTAINERS_WAITING = 128;

/** What a container keeps beside audio: where its messages are, and pieces under way. */
const KEPT_BYTES = 192 * 1024;

export type Container = {
  /** JSON, made while it is read. */
  readonly text: Readable;
  /** Bytes that it keeps until then. */
  readonly keeps: number;
};

export class Containers {
  readonly #f: Figures;
  readonly #turns: Turns;
  readonly #places = new Places(MAX_CONTAINERS, MAX_CONTAINERS_WAITING);

  constructor(f: Figures, turns: Turns) {
    this.#f = f;
    this.#turns = turns;
  }

  /** The dialog's container; null when too many wait, or nobody for this one any more. Rejects with NotHere. */
  async read(callId: string, isGone: () => boolean): Promise<Container | null> {
    const { stores } = this.#f.evidence;
    orNotHere(stores.dialogs.get(callId) ?? null);
    return this.#places.run(isGone, async () => {
      const audio = await this.#audio(callId, isGone);
      const found = await this.#turns.document(isGone, () =>
        ofDialog(stores, callId, (d) => dialogVcon(this.#f, d, Date.now(), audio)),
      );
      if (found === null) return null;
      const text = Readable.from(this.#turns.pieces(orNotHere(found.document)), { objectMode: false });
      const wavBytes = audio !== null && 'wav' in audio ? audio.wav.length : 0;
      return { text, keeps: wavBytes + KEPT_BYTES };
    });
  }

  async #audio(callId: string, isGone: () => boolean): Promise<VconAudio> {
    const { dialogs, payloads } = this.#f.evidence.stores;
    const d = dialogs.get(callId);
    if (d === undefined || payloads === null) return null;
    const found = await callAudio(this.#f.evidence, d, this.#turns, isGone, { maxBytes: VCON_AUDIO_BYTES });
    if (found === null) return { reason: 'Too many files are being made; try again.' };
    const audio = found.document;
    if ('tooLargeBytes' in audio && audio.tooLargeBytes !== undefined) return { tooLargeBytes: audio.tooLargeBytes };
    return audio;
  }
}
