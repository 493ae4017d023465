/**
 * What is kept for clients that ask and do not read, in bytes: of texts, of audio, and of files that wait on the disk. Where too
 * much of one kind waits, one more of it is refused; a small answer to a client that reads is not.
 *
 * Answers are looked at when they are ready, not when they are asked for: requests that came in one piece have all been
 * admitted before the first of them is answered.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { ProblemError } from './problem-error.ts';

/**
 * Bytes of all texts that wait for their readers. One of any size may stand on top.
 *
 * @cap option 96 MiB: with `--api`: texts that their readers do not take, rebuilt captures and vCon with what they keep, and
 * one answer more; an answer of `API_SMALL_BYTES` on each connection, and two pieces
 */
const API_UNREAD_BYTES = 32 * 1024 * 1024;

/**
 * The same of audio: one file of the longest.
 *
 * @cap option 256 MiB: with `--retain-audio`: audio that its readers do not take, and one file more
 */
const API_UNREAD_AUDIO_BYTES = 128 * 1024 * 1024;

/**
 * The same of files on the disk.
 *
 * @cap option 0 MiB: with `--ask`: captures that wait for their readers in the folder for temporary files, and one more of
 * `ASK_CAPTURE_BYTES`: bytes of the disk
 */
const API_UNREAD_FILE_BYTES = 768 * 1024 * 1024;

/** Bytes of a piece of an answer; two of them are under way. @cap */
export const API_PIECE_BYTES = 64 * 1024;

/** Bytes of an answer that a client with no other unread one is always given. @cap */
const API_SMALL_BYTES = 128 * 1024;

export type UnreadKind = 'text' | 'audio' | 'file';
type Bytes = Record<UnreadKind, number>;
type Weight = { readonly kind: UnreadKind; readonly bytes: number };

const LIMITS: Readonly<Bytes> = {
  text: API_UNREAD_BYTES,
  audio: API_UNREAD_AUDIO_BYTES,
  file: API_UNREAD_FILE_BYTES,
};

export class UnreadAnswers {
  /** Answers that were given up. */
  shed = 0;
  readonly #held: Bytes = { text: 0, audio: 0, file: 0 };
  readonly #bySocket = new Map<Socket, Bytes>();
  readonly #weights = new WeakMap<object, Weight>();

  /** Says what an answer keeps until it is read, where that is not text of its own length. */
  weigh<T extends object>(answer: T, kind: UnreadKind, bytes: number): T {
    this.#weights.set(answer, { kind, bytes });
    return answer;
  }

  /** Refuses what is about to be made while too much of its kind waits: it would be made for nothing. Throws ProblemError. */
  checkRoom(kind: UnreadKind): void {
    if (this.#held[kind] <= LIMITS[kind]) return;
    this.shed++;
    throw tooMuchWaits();
  }

  /** Counts an answer until it has been sent or its connection has gone. Gives the refusal of one more than may wait. */
  hold(response: ServerResponse, answer: unknown): ProblemError | null {
    const { socket, method } = response.req;
    if (socket.destroyed || method === 'HEAD') return null;
    const { kind, bytes } = this.#weightOf(answer);
    const held = this.#bySocket.get(socket) ?? this.#begin(socket);
    const isSmall = bytes <= API_SMALL_BYTES && held.text + held.audio + held.file === 0;
    if (response.statusCode < 400 && !isSmall && this.#held[kind] > LIMITS[kind]) {
      this.shed++;
      return tooMuchWaits();
    }
    held[kind] += bytes;
    this.#held[kind] += bytes;
    response.once('finish', () => {
      // A closed connection has given back all at once, also for answers whose turn never came.
      if (!this.#bySocket.has(socket)) return;
      held[kind] -= bytes;
      this.#held[kind] -= bytes;
    });
    return null;
  }

  #begin(socket: Socket): Bytes {
    const held: Bytes = { text: 0, audio: 0, file: 0 };
    this.#bySocket.set(socket, held);
    socket.once('close', () => {
      this.#bySocket.delete(socket);
      for (const kind of ['text', 'audio', 'file'] as const) this.#held[kind] -= held[kind];
    });
    return held;
  }

  #weightOf(answer: unknown): Weight {
    if (typeof answer !== 'object' || answer === null) return { kind: 'text', bytes: 0 };
    const bytes = Buffer.isBuffer(answer) ? answer.length : 2 * API_PIECE_BYTES;
    return this.#weights.get(answer) ?? { kind: 'text', bytes };
  }
}

/** Bytes that go out a piece at a time: how far its reader has come shows, and the connection keeps no second copy. */
export function inPieces(bytes: Buffer): Readable {
  let at = 0;
  return new Readable({
    highWaterMark: API_PIECE_BYTES,
    read() {
      const piece = bytes.subarray(at, at + API_PIECE_BYTES);
      at += piece.length;
      this.push(piece.length === 0 ? null : piece);
    },
  });
}

function tooMuchWaits(): ProblemError {
  return new ProblemError('overloaded', 'Too many answers wait for clients that do not read them.', {
    'retry-after': '1',
  });
}
