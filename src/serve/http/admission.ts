/**
 * Who is answered at all, and in which order: the request rate of a source address, the number of connections (both
 * answer 503), and that what is said below HTTP waits for the answers that were begun (RFC 9112 §9.3.2).
 */

import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { faults } from '../../core/faults.ts';
import { endResponse, endWithProblem, ProblemError } from './problem-error.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import type { Admitted } from './source-budget.ts';
import { API_REQUESTS_PER_SECOND, SourceBudget } from './source-budget.ts';

/** Connections of one source that, when they are more than half of all, give idle ones to other sources. @cap */
const API_CROWDING_CONN = 16;

/** Milliseconds without reading after which a connection of a crowding source counts as idle. @cap */
const API_CROWDING_UNREAD_MS = 2_000;

/** Connections beyond `--api-max-conn` that are kept long enough to be answered with 503; more are dropped. @cap */
const API_SURPLUS_CONN = 64;

/** Milliseconds a surplus connection has to send the request that is answered with 503. @cap */
const API_SURPLUS_MS = 2_000;

/** Milliseconds without reading after which a connection gives way where somebody else was refused. @cap */
const API_UNREAD_MS = 10_000;

/**
 * Takes a connection out of the hands of the HTTP parser: a listener of ours ends its direct hold on the connection, and
 * without any listener what still comes is dropped. Pausing alone does not last, since every answer that is sent makes
 * Node read on. What can still be written is not touched.
 */
export function stopListening(socket: Socket): void {
  socket.on('data', () => undefined);
  socket.removeAllListeners('data');
  socket.pause();
}

export type Admission = {
  /** The listener for requests: `next` gets those that are admitted, `onRefused` the status of the others. */
  guard(next: RequestListener, onRefused?: (status: number) => void): RequestListener;
  /** For what never becomes a request: why it is refused before anything else is looked at, or null. Counts as one. */
  refusal(socket: Socket): ProblemError | null;
  /** Ends the connection: the answers that were begun, then `problem`, and nothing that comes after is taken. */
  end(socket: Socket, problem: ProblemError): void;
  /** The connection got something although no answer of it ended: it does not count as stalled. */
  moved(socket: Socket): void;
  /** Somebody was refused for want of room: connections that do not read give way. */
  want(): void;
  /** Ends connections that never sent a byte; the server cannot tell them from busy ones. */
  dropSilent(): void;
  /** Stops looking after stalled connections. */
  close(): void;
  counts(): AdmissionCounts;
};

export type AdmissionCounts = {
  readonly refusedConnections: number;
  readonly displaced: number;
  readonly stalled: number;
  readonly rateLimited: number;
  readonly crowded: number;
};

export type AdmissionOptions = {
  readonly maxConnections: number;
  readonly stalledMs?: number;
  readonly unreadMs?: number;
  readonly requestsPerSecond?: number;
};

/**
 * Milliseconds in which a connection must have a request admitted, an answer sent or a piece of one. Above every other time of
 * a request; it ends clients that ask and never read, or that keep an idle connection alive with a blank line now and then.
 */
const STALLED_MS = 60_000;

type Connection = {
  readonly address: string;
  /** When it last got on, by the monotonic clock. */
  movedMs: number;
  /** Bytes that it has got so far. */
  got: number;
  /** Answers that were begun and are not out yet. */
  readonly answers: Map<ServerResponse, Admitted | null>;
  /** The answer to the request that came last; its body may still be on its way. */
  newest: ServerResponse | null;
  /** Beyond the limit of connections: its request is answered with 503. */
  readonly isSurplus: boolean;
  /** What is said last; from then on nothing is taken any more. */
  last: ProblemError | null;
};

export function createAdmission(server: Server, options: AdmissionOptions): Admission {
  const { maxConnections, stalledMs = STALLED_MS, unreadMs = API_UNREAD_MS } = options;
  const { requestsPerSecond = API_REQUESTS_PER_SECOND } = options;
  const budget = new SourceBudget(requestsPerSecond);
  const open = new Map<Socket, Connection>();
  let served = 0;
  const counts = { refusedConnections: 0, displaced: 0, stalled: 0, rateLimited: 0 };

  let wantedMs = Number.NEGATIVE_INFINITY;

  const watch = faults.every(Math.min(1_000, stalledMs / 4, unreadMs / 4), 'tick', () => {
    const isWanted = performance.now() - wantedMs < unreadMs;
    for (const [socket, connection] of open) {
      const got = socket.bytesWritten - socket.writableLength;
      if (got !== connection.got) connection.movedMs = performance.now();
      connection.got = got;
      if (restsSince(connection, stalledMs) || (isWanted && isUnread(socket, connection, unreadMs))) {
        counts.stalled++;
        socket.destroy();
      }
    }
  });
  watch.unref();

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const isFlood = budget.isFlooding(address);
    const isServed = !isFlood && (served < maxConnections || displaceFor(address));
    if (isFlood || (!isServed && open.size >= maxConnections + API_SURPLUS_CONN)) {
      counts.refusedConnections++;
      if (isFlood) stopListening(socket);
      endWithProblem(socket, isFlood ? rateLimited() : connectionLimit(maxConnections));
      return;
    }
    const answers: Connection['answers'] = new Map();
    open.set(socket, {
      address,
      movedMs: performance.now(),
      got: 0,
      answers,
      newest: null,
      isSurplus: !isServed,
      last: null,
    });
    let late: NodeJS.Timeout | undefined;
    if (!isServed) {
      counts.refusedConnections++;
      // The answer waits for the request: a client that is still sending would lose an earlier one.
      late = setTimeout(() => end(socket, connectionLimit(maxConnections)), API_SURPLUS_MS).unref();
    } else served++;
    socket.once('close', () => {
      clearTimeout(late);
      // Node reports no end of an answer whose turn never came.
      for (const admitted of answers.values()) admitted?.answered();
      answers.clear();
      // One that was displaced has given its place away already.
      if (open.delete(socket) && isServed) served--;
    });
  });

  /**
   * Gives a newcomer of another source the place of a connection that waits for nothing, or does not read what it waited for,
   * of a source that holds more than half of all places and no few: else one client that holds connections would keep everybody else out.
   */
  function displaceFor(address: string): boolean {
    const held = new Map<string, number>();
    for (const c of open.values()) if (!c.isSurplus) held.set(c.address, (held.get(c.address) ?? 0) + 1);
    const most = Math.max(...held.values());
    if (most < API_CROWDING_CONN || most <= maxConnections / 2 || held.get(address) === most) return false;
    let idle: readonly [Socket, Connection] | null = null;
    for (const [socket, c] of open) {
      const waits = c.answers.size > 0 && !isUnread(socket, c, API_CROWDING_UNREAD_MS);
      if (c.isSurplus || waits || held.get(c.address) !== most) continue;
      if (idle === null || c.movedMs < idle[1].movedMs) idle = [socket, c];
    }
    if (idle === null) return false;
    open.delete(idle[0]);
    served--;
    counts.displaced++;
    idle[0].destroy();
    return true;
  }

  /**
   * Stops reading from all connections of a source, so that what it has sent ahead stays in the kernel. Refusing a
   * flood of pipelined requests one by one took seconds of one turn of the loop, and nobody else was heard meanwhile.
   */
  function deafen(address: string): void {
    for (const [socket, connection] of open) {
      if (connection.address !== address || connection.last !== null) continue;
      stopListening(socket);
      end(socket, rateLimited());
    }
  }

  function take(socket: Socket, connection: Connection | undefined): Admitted | ProblemError {
    if (connection !== undefined) connection.movedMs = performance.now();
    const verdict = budget.take(connection?.address ?? socket.remoteAddress ?? '');
    if (typeof verdict === 'object') return verdict;
    counts.rateLimited++;
    return rateLimited(verdict === 'flooding' ? { connection: 'close' } : {});
  }

  function end(socket: Socket, problem: ProblemError): void {
    const connection = open.get(socket);
    if (connection === undefined) {
      endWithProblem(socket, problem);
      return;
    }
    if (connection.last !== null) return;
    connection.last = problem;
    const { newest, answers } = connection;
    // The answer of a request that broke off is the one given here, unless it was given already.
    if (newest !== null && !newest.req.complete && !newest.headersSent) settle(socket, connection, newest);
    else if (answers.size === 0) sayLast(socket, connection);
  }

  function settle(socket: Socket, connection: Connection, response: ServerResponse): void {
    connection.answers.get(response)?.answered();
    connection.answers.delete(response);
    connection.movedMs = performance.now();
    if (connection.last !== null && connection.answers.size === 0) sayLast(socket, connection);
  }

  function sayLast(socket: Socket, { newest, last }: Connection): void {
    const isAnswered = newest !== null && !newest.req.complete && newest.headersSent;
    endWithProblem(socket, isAnswered ? null : last);
  }

  return {
    end,
    refusal(socket) {
      const connection = open.get(socket);
      const admitted = take(socket, connection);
      if (!(admitted instanceof ProblemError)) {
        // It is answered at once.
        admitted.answered();
        return connection?.isSurplus === true ? connectionLimit(maxConnections) : null;
      }
      if (admitted.headers['connection'] === 'close') {
        stopListening(socket);
        deafen(socket.remoteAddress ?? '');
      }
      return admitted;
    },
    guard: (next, onRefused) => (request, response) => {
      const { socket } = request;
      const connection = open.get(socket);
      // Requests that arrived in one piece with the one that ended the connection.
      if (connection === undefined || connection.last !== null || !socket.writable) return;
      const taken = take(socket, connection);
      const isRefused = taken instanceof ProblemError;
      connection.newest = response;
      connection.answers.set(response, isRefused ? null : taken);
      response.once('close', () => settle(socket, connection, response));
      for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
      const refusal = isRefused ? taken : connection.isSurplus ? connectionLimit(maxConnections) : null;
      if (refusal === null) {
        next(request, response);
        return;
      }
      endResponse(response, refusal);
      onRefused?.(response.statusCode);
      if (isRefused && taken.headers['connection'] === 'close') deafen(connection.address);
    },
    moved(socket) {
      const connection = open.get(socket);
      if (connection !== undefined) connection.movedMs = performance.now();
    },
    want() {
      wantedMs = performance.now();
    },
    dropSilent() {
      for (const socket of open.keys()) if (socket.bytesRead === 0) socket.destroy();
    },
    close() {
      clearInterval(watch);
    },
    counts: () => ({ ...counts, crowded: budget.crowded }),
  };
}

function restsSince({ movedMs }: Connection, ms: number): boolean {
  return performance.now() - movedMs > ms;
}

/** Whether something waits for its reader, who took nothing for so many milliseconds. */
function isUnread(socket: Socket, connection: Connection, ms: number): boolean {
  return socket.writableLength > 0 && restsSince(connection, ms);
}

function rateLimited(headers: Readonly<Record<string, string>> = {}): ProblemError {
  return new ProblemError('rate-limited', `The limit is ${API_REQUESTS_PER_SECOND} requests a second.`, {
    'retry-after': '1',
    ...headers,
  });
}

function connectionLimit(maxConnections: number): ProblemError {
  return new ProblemError('connection-limit', `The limit is ${maxConnections} connections.`, {
    connection: 'close',
    'retry-after': '1',
  });
}
