/**
 * Decodes a call's packets into a WAV file in a thread of its own, so that nothing else waits for it.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { Press } from '../codec/marks.ts';
import { marksOf, pressesText } from '../codec/marks.ts';
import type { Direction } from '../codec/timeline.ts';
import { layOut } from '../codec/timeline.ts';
import { wavFile } from '../codec/wav.ts';

export type AudioJob = {
  readonly directions: readonly Direction[];
  readonly maxSamples: number;
  readonly software: string;
  /** What the note says; the key presses are added, their times counted from the beginning of the file. */
  readonly comment: string;
  readonly presses: readonly Press[];
};
export type AudioJobResult = { readonly wav: Uint8Array } | { readonly failure: 'nothing' | 'too-long' };

if (parentPort !== null) {
  // Only this program starts the worker, with a job.
  const job = workerData as AudioJob;
  const audio = await layOut(job.directions, job.maxSamples);
  const result: AudioJobResult =
    typeof audio === 'string'
      ? { failure: audio }
      : {
          wav: wavFile(
            audio.channels,
            audio.sampleRate,
            { software: job.software, comment: job.comment + pressesText(job.presses, audio.startSec) },
            marksOf(job.presses, audio),
          ),
        };
  parentPort.postMessage(result);
}
