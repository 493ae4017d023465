/**
 * Sends containers (vCon): what they are made of is read in turns, their text while the reader takes it. A number of them
 * is under way at a time, since each may hold the audio of its call.
 */
import { Readable } from 'node:stream';
import { ofDialog } from '../analysis/dialog-facts.ts';
import { MAX_CONTAINERS, MAX_CONTAINERS_WAITING } from '../core/answer-limits.ts';
import { Places } from '../core/places.ts';
import type { Turns } from '../core/turns.ts';
import { callAudio } from '../export/audio.ts';
import type { VconAudio, VconText } from '../export/vcon.ts';
import { dialogVcon, VCON_AUDIO_BYTES } from '../export/vcon.ts';
import type { Figures } from '../view/figures.ts';
import type { Found } from './found.ts';

export class Containers {
  readonly #f: Figures;
  readonly #turns: Turns;
  readonly #places = new Places(MAX_CONTAINERS, MAX_CONTAINERS_WAITING);

  constructor(f: Figures, turns: Turns) {
    this.#f = f;
    this.#turns = turns;
  }

  /** JSON text of the dialog's container; null when too many wait, one of null when there is no such dialog. */
  async read(callId: string, isGone: () => boolean): Promise<Found<Readable> | null> {
    const { stores, omitted } = this.#f.evidence;
    if (stores.dialogs.get(callId) === undefined) return { document: null };
    const leave = await this.#places.enter(isGone);
    if (leave === null) {
      if (!isGone()) omitted.refused++;
      return null;
    }
    let isOn = false;
    try {
      const audio = await this.#audio(callId, isGone);
      const found = await this.#turns.document(isGone, () =>
        ofDialog(stores, callId, (d) => dialogVcon(this.#f, d, Date.now(), audio)),
      );
      if (found === null && !isGone()) omitted.refused++;
      if (found === null || found.document === null) return found && { document: null };
      const text = Readable.from(this.#inTurns(found.document), { objectMode: false });
      // Read to its end, or given up because its reader has gone.
      text.once('close', leave);
      isOn = true;
      return { document: text };
    } finally {
      if (!isOn) leave();
    }
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

  async *#inTurns(text: VconText): AsyncGenerator<string> {
    const slice = this.#turns.slice('answer');
    for (const piece of text) {
      yield piece;
      if (slice.isOver) await slice.rest();
    }
  }
}
