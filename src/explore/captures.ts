/**
 * The capture of a call as a pcapng: its frames where the files can be read once more, else its SIP rebuilt from the kept
 * messages. Frames go through a private file in the folder for temporary files, which nobody else can open.
 */
import { createReadStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { streamQuality } from '../analysis/stream-quality.ts';
import { ServiceError } from '../core/errors.ts';
import { ASK_CAPTURE_BYTES } from '../core/item-limits.ts';
import type { Turns } from '../core/turns.ts';
import { OutputFile } from '../export/capture-file.ts';
import { rebuiltCapture } from '../export/rebuilt-capture.ts';
import { writeDialogs } from '../export/selected-frames.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { Figures } from '../view/figures.ts';
import type { IsGone } from './found.ts';

export type CallCapture =
  | {
      readonly file: Readable;
      readonly bytes: number;
      /** Its SIP was rebuilt from messages: there is no RTP, and no frame of the wire. */
      readonly isRebuilt: boolean;
      /** What the file lacks; '' where nothing is missing. */
      readonly lack: string;
    }
  | { readonly reason: string };

/** A frame of RTP in a file takes so many bytes beside its payload. */
const FRAME_COST = 90;

/** Null when nobody waits for it any more, or calltap stops. */
export async function callCapture(
  f: Figures,
  dialogs: readonly Dialog[],
  turns: Turns,
  isGone: IsGone,
): Promise<CallCapture | null> {
  return f.file === null || f.evidence.stores.frames === null
    ? rebuilt(f, dialogs, turns, isGone)
    : fromFiles(f, f.file, dialogs);
}

async function rebuilt(
  f: Figures,
  dialogs: readonly Dialog[],
  turns: Turns,
  isGone: IsGone,
): Promise<CallCapture | null> {
  const made = await turns.slice().finish(rebuiltCapture(dialogs, f.evidence.stores.log), isGone);
  if (made === null) return null;
  const { chunks, leftOut } = made.document;
  return {
    file: Readable.from(chunks, { objectMode: false }),
    bytes: chunks.reduce((sum, chunk) => sum + chunk.length, 0),
    isRebuilt: true,
    lack: leftOut === 0 ? '' : `${leftOut} messages`,
  };
}

async function fromFiles(
  f: Figures,
  source: NonNullable<Figures['file']>,
  dialogs: readonly Dialog[],
): Promise<CallCapture | null> {
  if (mediaBytes(f, dialogs) > ASK_CAPTURE_BYTES)
    return { reason: 'The capture of this call is too large for an answer; write it with --filter and -O.' };
  const folder = mkdtempSync(join(tmpdir(), 'calltap-capture-'));
  try {
    const path = join(folder, 'call.pcapng');
    const output = OutputFile.open(path, { bytes: 0, seconds: 0 });
    output.setEnabled(true);
    let written: Awaited<ReturnType<typeof writeDialogs>>;
    try {
      written = await writeDialogs(dialogs, f.evidence.stores, source, output);
    } catch (error) {
      if (error instanceof ServiceError) return { reason: error.message };
      throw error;
    } finally {
      output.close();
    }
    if (written.isStopped) return null;
    const lack = written.missedFragments + written.skippedPairs === 0 ? '' : 'some of its media';
    const { size } = statSync(path);
    const file = createReadStream(path);
    // Open before its name goes: it lasts as long as it is read.
    await new Promise((resolve, reject) => {
      file.once('open', resolve);
      file.once('error', reject);
    });
    return { file, bytes: size, isRebuilt: false, lack };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What the media of the calls takes in a file, about. */
function mediaBytes({ evidence: { stores, capture } }: Figures, dialogs: readonly Dialog[]): number {
  let bytes = 0;
  for (const d of dialogs)
    for (const stream of stores.streams.ownedBy(d)) {
      const q = streamQuality(stream, capture.quality);
      if (q !== null) bytes += q.snapshot.octets + q.snapshot.packets * FRAME_COST;
    }
  return bytes;
}
