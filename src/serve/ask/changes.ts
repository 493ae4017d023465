/**
 * `GET /ask/changes`: calls as they change, as server-sent events (WHATWG HTML section 9.2). One timer serves all readers.
 * A reader that does not read gets `resync` in place of a backlog, and one whose credentials have ended is closed.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { faults } from '../../core/faults.ts';
import type { Changes } from '../../explore/changes.ts';
import type { Port } from '../../explore/port.ts';
import { ifAnswered } from '../../explore/refusal.ts';

/**
 * Readers of `/ask/changes`, and bytes that one may leave unread, those of a turn included.
 *
 * @cap option 16 MiB: with `--ask` or `--console`: changes that their readers do not take
 */
export const ASK_CHANGE_READERS = 16;
const ASK_CHANGE_UNREAD_BYTES = 1024 * 1024;

/** How often readers are told what changed. */
const TICK_MS = 1_000;
/** A comment goes out this often, so that what is between does not take the connection for dead. */
const IDLE_TICKS = 15;
const RESYNC = 'event: resync\ndata: {}\n\n';

type Reader = {
  readonly response: ServerResponse;
  readonly socket: Socket;
  /** False once its credentials have ended. */
  readonly mayRead: () => boolean;
  /** It missed something: it is told to read its list again once it reads. */
  isBehind: boolean;
  idle: number;
};

export class ChangeStreams {
  readonly #port: Pick<Port, 'changes'>;
  readonly #onMoved: (socket: Socket) => void;
  readonly #readers = new Set<Reader>();
  #timer: NodeJS.Timeout | null = null;
  #since: number | null = null;
  #isAsking = false;

  /** `onMoved` is told of each connection that got something. */
  constructor(port: Pick<Port, 'changes'>, onMoved: (socket: Socket) => void) {
    this.#port = port;
    this.#onMoved = onMoved;
  }

  get size(): number {
    return this.#readers.size;
  }

  /** False when there are too many readers. */
  add(response: ServerResponse, mayRead: () => boolean): boolean {
    const { socket } = response;
    if (socket === null || this.#readers.size >= ASK_CHANGE_READERS) return false;
    const reader: Reader = { response, socket, mayRead, isBehind: false, idle: 0 };
    this.#readers.add(reader);
    response.once('close', () => this.#leave(reader));
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write('retry: 2000\n\n');
    // It reads its list once it was told to: from the moment before that on it is told what changed.
    if (this.#since === null) reader.isBehind = true;
    else response.write(RESYNC);
    this.#timer ??= faults.every(TICK_MS, 'tick', () => this.#tick()).unref();
    if (this.#since === null) this.#tick();
    return true;
  }

  /** Ends all of them. */
  close(): void {
    for (const { response } of this.#readers) response.end();
    this.#readers.clear();
    this.#stop();
  }

  #leave(reader: Reader): void {
    this.#readers.delete(reader);
    if (this.#readers.size === 0) this.#stop();
  }

  #stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#since = null;
  }

  /** A look that fails ends nothing: the next one tells all. */
  #tick(): void {
    faults.run('tick', () => this.#look());
  }

  async #look(): Promise<void> {
    for (const reader of this.#readers) if (!reader.mayRead()) reader.response.end();
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      const changes = await ifAnswered(() => this.#port.changes(this.#since));
      // Too many other answers are being made, or the store is away: the next tick tells all.
      if (changes === null || this.#timer === null) return;
      this.#since = changes.upTo;
      const text = changes.rows === null ? null : eventsOf(changes.rows);
      for (const reader of this.#readers) this.#tell(reader, text);
    } finally {
      this.#isAsking = false;
    }
  }

  /** `text` is null when there is too much to tell. */
  #tell(reader: Reader, text: string | null): void {
    const { response, socket } = reader;
    const unread = socket.writableLength;
    reader.isBehind ||= text === null || unread + text.length > ASK_CHANGE_UNREAD_BYTES;
    if (unread > 0) {
      // What waits is let go of only by reading.
      if (text !== '' && !reader.isBehind) response.write(text ?? '');
      return;
    }
    reader.idle++;
    const due = reader.isBehind ? RESYNC : (text ?? '');
    reader.isBehind = false;
    if (due === '' && reader.idle < IDLE_TICKS) {
      this.#onMoved(socket);
      return;
    }
    reader.idle = 0;
    response.write(due === '' ? ': nothing\n\n' : due);
    this.#onMoved(socket);
  }
}

/** Null where they are more than a reader may leave unread. */
function eventsOf(rows: NonNullable<Changes['rows']>): string | null {
  let text = '';
  for (const row of rows) {
    text += `event: change\ndata: ${JSON.stringify(row)}\n\n`;
    if (text.length > ASK_CHANGE_UNREAD_BYTES) return null;
  }
  return text;
}
