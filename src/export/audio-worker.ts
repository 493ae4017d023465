/**
 * Decodes a call's packets into a WAV file in a thread of its own, so that nothing else waits for it.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { giveUpPriority } from '../core/started-process.ts';
import type { Press } from '../protocols/codec/marks.ts';
import { marksOf, pressesText } from '../protocols/codec/marks.ts';
import type { Direction, Sealed } from '../protocols/codec/timeline.ts';
import { layOut } from '../protocols/codec/timeline.ts';
import { wavFile } from '../protocols/codec/wav.ts';

export type AudioJob = {
  readonly directions: readonly Direction[];
  /** Where each direction comes from, `<address>:<port>`. */
  readonly senders: readonly string[];
  readonly maxSamples: number;
  readonly software: string;
  /** What the note says; the key presses are added, their times counted from the beginning of the file. */
  readonly comment: string;
  readonly presses: readonly Press[];
};
export type AudioJobResult =
  /** `sealed`: what could not be decrypted, and why; empty where all was. */
  | { readonly wav: Uint8Array; readonly sealed: string }
  | { readonly failure: 'nothing' }
  /** Of how many samples it would be. */
  | { readonly failure: 'too-long'; readonly samples: number };

/** What no key opened, a direction each. */
function sealedText(sealed: readonly Readonly<Sealed>[], senders: readonly string[]): string {
  const texts = sealed.flatMap(({ opened, unopened }, i) => {
    if (unopened === 0) return [];
    const why =
      opened === 0
        ? 'no key in the signaling fits'
        : 'they were damaged, or the key changed and the signaling does not say so';
    return [`${unopened} of ${opened + unopened} SRTP packets from ${senders[i]} not decrypted (${why})`];
  });
  return texts.join(', ');
}

if (parentPort !== null) {
  giveUpPriority(0);
  // Only this program starts the worker, with a job.
  const job = workerData as AudioJob;
  const audio = await layOut(job.directions, job.maxSamples);
  if (audio === 'nothing') parentPort.postMessage({ failure: 'nothing' } satisfies AudioJobResult);
  else if (typeof audio === 'number')
    parentPort.postMessage({ failure: 'too-long', samples: audio } satisfies AudioJobResult);
  else {
    const sealed = sealedText(audio.sealed, job.senders);
    const comment = sealed === '' ? job.comment : `${job.comment}; silent: ${sealed}`;
    const wav = wavFile(
      audio.channels,
      audio.sampleRate,
      { software: job.software, comment: comment + pressesText(job.presses, audio.startSec) },
      marksOf(job.presses, audio),
    );
    // Handed over: a copy of a long call would hold the thread that asked for it.
    parentPort.postMessage({ wav, sealed } satisfies AudioJobResult, [wav.buffer]);
  }
}
