/**
 * Decodes a call's packets into a WAV file in a thread of its own, so that nothing else waits for it.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { giveUpPriority } from '../core/started-process.ts';
import type { Press } from '../protocols/codec/marks.ts';
import { marksOf, pressesText } from '../protocols/codec/marks.ts';
import type { Direction } from '../protocols/codec/timeline.ts';
import { layOut } from '../protocols/codec/timeline.ts';
import { wavFile } from '../protocols/codec/wav.ts';

export type AudioJob = {
  readonly directions: readonly Direction[];
  readonly maxSamples: number;
  readonly software: string;
  /** What the note says; the key presses are added, their times counted from the beginning of the file. */
  readonly comment: string;
  readonly presses: readonly Press[];
};
export type AudioJobResult =
  | { readonly wav: Uint8Array }
  | { readonly failure: 'nothing' }
  /** Of how many samples it would be. */
  | { readonly failure: 'too-long'; readonly samples: number };

if (parentPort !== null) {
  giveUpPriority(0);
  // Only this program starts the worker, with a job.
  const job = workerData as AudioJob;
  const audio = await layOut(job.directions, job.maxSamples);
  if (audio === 'nothing') parentPort.postMessage({ failure: 'nothing' } satisfies AudioJobResult);
  else if (typeof audio === 'number')
    parentPort.postMessage({ failure: 'too-long', samples: audio } satisfies AudioJobResult);
  else {
    const wav = wavFile(
      audio.channels,
      audio.sampleRate,
      { software: job.software, comment: job.comment + pressesText(job.presses, audio.startSec) },
      marksOf(job.presses, audio),
    );
    // Handed over: a copy of a long call would hold the thread that asked for it.
    parentPort.postMessage({ wav } satisfies AudioJobResult, [wav.buffer]);
  }
}
