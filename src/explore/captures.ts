/**
 * The capture of a call as a pcapng: its frames where the files can be read once more, of a live call those that -O wrote,
 * else its SIP rebuilt from the kept messages. Frames go through a private file in the folder for temporary files, which nobody else can open.
 */
import { createReadStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { streamQuality } from '../analysis/stream-quality.ts';
import { ServiceError } from '../core/errors.ts';
import type { Turns } from '../core/turns.ts';
import { ORIGINS } from '../core/words.ts';
import { anonymizeFile, piecesOf } from '../export/anonymize/anonymized-file.ts';
import type { Anonymizing } from '../export/anonymize/anonymizing.ts';
import { OutputFile } from '../export/capture-file.ts';
import { rebuiltCapture } from '../export/rebuilt-capture.ts';
import { writeDialogs } from '../export/selected-frames.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { Figures } from '../view/figures.ts';
import { Cannot } from './refusal.ts';

/** Bytes of a capture that `/ask` answers with; a larger one is written with `-O`. @cap */
const ASK_CAPTURE_BYTES = 256 * 1024 * 1024;

export type CallCapture = {
  readonly file: Readable;
  readonly bytes: number;
  /** Bytes that it takes until it is read: of the disk, or of memory where it is rebuilt. */
  readonly keeps: number;
  /** Its SIP was rebuilt from messages: there is no RTP, and no frame of the wire. */
  readonly isRebuilt: boolean;
  /** What the file lacks; '' where nothing is missing. */
  readonly lack: string;
  /** What was replaced and left out where it was made anonymous, in lines. */
  readonly report?: readonly string[];
};

const HEP_SEEN = 1 << ORIGINS.indexOf('hep');
/** A frame of RTP in a file takes so many bytes beside its payload. */
const FRAME_COST = 90;

export type CallsOfTime = {
  readonly callIds: readonly string[];
  readonly fromUs: number;
  readonly toUs: number;
};

export type ReadsBack = {
  /** How captures are made anonymous: with the same key while calltap runs. */
  anonymizing(): Anonymizing;
  /** Writes frames of live calls to `to`: their number, or why there are none; null when nobody waits any more. */
  readBack(calls: CallsOfTime, to: string, isGone: () => boolean): Promise<number | string | null>;
};

/** Null when nobody waits for it any more, or calltap stops. Rejects with Cannot. */
export async function callCapture(
  f: Figures,
  dialogs: readonly Dialog[],
  saver: ReadsBack,
  turns: Turns,
  isGone: () => boolean,
  isAnonymized: boolean,
): Promise<CallCapture | null> {
  const as = isAnonymized ? saver.anonymizing() : null;
  if (mediaBytes(f, dialogs) > ASK_CAPTURE_BYTES)
    throw cannot('The capture of this call is too large for an answer; write it with --filter and -O.');
  const { file } = f;
  if (file !== null && f.evidence.stores.frames !== null) {
    const made = await inFile((path) => writeFrames(f, file, dialogs, path), as, isGone);
    if (made !== null && 'reason' in made) throw cannot(made.reason);
    return made;
  }
  const back = await inFile((path) => writeBack(f, dialogs, saver, path, isGone), as, isGone);
  if (back !== null && 'file' in back) return back;
  if (back === null || isGone()) return null;
  const made = await rebuilt(f, dialogs, back.reason, turns, isGone);
  return made === null || as === null ? made : anonymized(made, as, isGone);
}

function cannot(reason: string): Cannot {
  return new Cannot('no-capture', reason);
}

async function rebuilt(
  f: Figures,
  dialogs: readonly Dialog[],
  reason: string,
  turns: Turns,
  isGone: () => boolean,
): Promise<CallCapture | null> {
  const made = await turns.slice('answer').finish(rebuiltCapture(dialogs, f.evidence.stores.log), isGone);
  if (made === null) return null;
  const { bytes, keeps, leftOut, pieces } = made.document;
  return {
    file: Readable.from(turns.pieces(pieces()), { objectMode: false }),
    bytes,
    keeps,
    isRebuilt: true,
    lack: `${leftOut === 0 ? '' : `${leftOut} messages and `}all RTP: ${reason}`,
  };
}

/** SIP alone, for whom frames do not tell enough; null when nobody waits any more. */
export async function anonymizedMessages(
  f: Figures,
  dialogs: readonly Dialog[],
  as: Anonymizing,
  turns: Turns,
  isGone: () => boolean,
): Promise<CallCapture | null> {
  const made = await rebuilt(f, dialogs, 'its frames alone do not show its messages', turns, isGone);
  return made === null ? null : anonymized(made, as, isGone);
}

/** The rebuilt one, through a file: how long it becomes is known only then. */
async function anonymized(
  { file, lack }: CallCapture,
  as: Anonymizing,
  isGone: () => boolean,
): Promise<CallCapture | null> {
  const pieces: Buffer[] = [];
  for await (const piece of file as AsyncIterable<Buffer>) pieces.push(piece);
  const made = await inFile(async (path) => {
    const report = await anonymizeFile(pieces, path, as, isGone);
    return report && { lack, report };
  });
  return made !== null && 'file' in made ? { ...made, isRebuilt: true } : null;
}

/** What is missing from what was written, '' where nothing is; else why it was not written, null for a stop. */
type WrittenFile = Pick<CallCapture, 'lack' | 'report'> | { readonly reason: string } | null;

async function writeFrames(
  f: Figures,
  source: NonNullable<Figures['file']>,
  dialogs: readonly Dialog[],
  path: string,
): Promise<WrittenFile> {
  const output = OutputFile.open(path, { bytes: 0, seconds: 0 });
  output.setEnabled(true);
  try {
    const written = await writeDialogs(dialogs, f.evidence.stores, source, output, f.evidence.capture.clockSteps);
    if (written.isStopped) return null;
    return { lack: written.missedFragments + written.skippedPairs === 0 ? '' : 'some of its media' };
  } catch (error) {
    if (error instanceof ServiceError) return { reason: error.message };
    throw error;
  } finally {
    output.close();
  }
}

/** Calls that HEP brought have no frame of theirs in the files of -O. */
async function writeBack(
  f: Figures,
  dialogs: readonly Dialog[],
  saver: ReadsBack,
  path: string,
  isGone: () => boolean,
): Promise<WrittenFile> {
  if (dialogs.some((d) => (d.originsSeen & HEP_SEEN) !== 0)) return { reason: 'HEP brought the call' };
  const calls = {
    callIds: dialogs.map((d) => d.callId),
    fromUs: Math.min(...dialogs.map((d) => d.createdUs)),
    toUs: Math.max(...dialogs.map((d) => d.updatedUs)),
  };
  const expected = framesOf(f, dialogs);
  const frames = await saver.readBack(calls, path, isGone);
  if (frames === null) return null;
  if (typeof frames === 'string') return { reason: frames };
  if (frames === 0) return { reason: 'the files of -O do not hold it' };
  return { lack: frames < expected ? `${expected - frames} of ${expected} frames` : '' };
}

/** The file that `write` makes in a folder of its own, open for reading while its name is gone already. */
async function inFile(
  write: (path: string) => Promise<WrittenFile>,
  as: Anonymizing | null = null,
  isGone = (): boolean => false,
): Promise<CallCapture | { readonly reason: string } | null> {
  const folder = mkdtempSync(join(tmpdir(), 'calltap-capture-'));
  try {
    const original = join(folder, 'call.pcapng');
    const written = await write(original);
    if (written === null || 'reason' in written) return written;
    const path = as === null ? original : join(folder, 'anonymized.pcapng');
    const report = as === null ? written.report : await anonymizeFile(piecesOf(original), path, as, isGone);
    if (report === null) return null;
    const { size } = statSync(path);
    const file = createReadStream(path);
    await new Promise((resolve, reject) => {
      file.once('open', resolve);
      file.once('error', reject);
    });
    const { lack } = written;
    return { file, bytes: size, keeps: size, isRebuilt: false, lack, ...(report === undefined ? {} : { report }) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Messages and packets of the calls: a message that came in several frames counts once. */
function framesOf({ evidence: { stores, capture } }: Figures, dialogs: readonly Dialog[]): number {
  let frames = 0;
  for (const d of dialogs) {
    frames += d.msgCount;
    for (const stream of stores.streams.ownedBy(d))
      frames += streamQuality(stream, capture.quality)?.snapshot.packets ?? 0;
  }
  return frames;
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
