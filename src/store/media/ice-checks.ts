/**
 * The connectivity checks of ICE between sockets of calls: how many went which way, and what came back (RFC 8445 section 7).
 */
import type { EndpointKey } from '../../core/ip.ts';
import { dropOldest } from '../../core/maps.ts';

/**
 * Sockets of calls that ICE checked: who is checked again keeps its place.
 *
 * @cap memory 15 MiB, ice_checked_evicted: sockets of calls that ICE checked, with their pairs
 */
const MAX_ICE_CHECKED = 8_192;

/** Pairs remembered of one socket that ICE checked; of a socket with more nobody says that all failed. @cap */
const MAX_SOCKET_CHECKS = 12;

/** Checks that went one way between two sockets. */
export class IceCheck {
  readonly src: EndpointKey;
  readonly dst: EndpointKey;
  readonly firstUs: number;
  lastUs: number;
  /** What is sent again counts too: nobody answered it before. */
  sent = 0;
  errors = 0;
  /** The last error that answered one; null without. */
  errorCode: number | null = null;
  /** When one last succeeded; NaN never. */
  answeredUs = Number.NaN;

  constructor(src: EndpointKey, dst: EndpointKey, tsUs: number) {
    this.src = src;
    this.dst = dst;
    this.firstUs = tsUs;
    this.lastUs = tsUs;
  }
}

type CheckedSocket = { lastUs: number; isFull: boolean; readonly checks: IceCheck[] };

export class IceChecks {
  readonly #sockets = new Map<EndpointKey, CheckedSocket>();
  evicted = 0;
  /** When the newest of what was evicted was last checked; NaN where nothing was. */
  goneUs = Number.NaN;

  /** A check went from `src` to `dst`; `named` are those of the two that a call named. */
  onRequest(src: EndpointKey, dst: EndpointKey, named: readonly EndpointKey[], tsUs: number): void {
    if (named.length === 0) return;
    const check = this.#find(src, dst) ?? new IceCheck(src, dst, tsUs);
    check.lastUs = tsUs;
    check.sent++;
    for (const key of named) this.#keep(key, check, tsUs);
  }

  /** What came back from `dst`: an error with its code, or success. */
  onResponse(src: EndpointKey, dst: EndpointKey, isError: boolean, code: number | null, tsUs: number): void {
    const check = this.#find(src, dst);
    if (check === undefined) return;
    if (!isError) check.answeredUs = tsUs;
    else {
      check.errors++;
      check.errorCode = code ?? check.errorCode;
    }
  }

  /** When the socket was last checked, or checked another; NaN never. */
  lastUs(key: EndpointKey): number {
    return this.#sockets.get(key)?.lastUs ?? Number.NaN;
  }

  /** Checks from and to the socket; null where there were more than are kept. */
  at(key: EndpointKey): readonly IceCheck[] | null {
    const socket = this.#sockets.get(key);
    return socket === undefined ? [] : socket.isFull ? null : socket.checks;
  }

  #find(src: EndpointKey, dst: EndpointKey): IceCheck | undefined {
    const isIt = (c: IceCheck): boolean => c.src === src && c.dst === dst;
    return this.#sockets.get(dst)?.checks.find(isIt) ?? this.#sockets.get(src)?.checks.find(isIt);
  }

  #keep(key: EndpointKey, check: IceCheck, tsUs: number): void {
    const socket = this.#sockets.get(key) ?? { lastUs: tsUs, isFull: false, checks: [] };
    socket.lastUs = tsUs;
    this.#sockets.delete(key);
    if (this.#sockets.size >= MAX_ICE_CHECKED) this.#evict();
    this.#sockets.set(key, socket);
    if (socket.checks.includes(check)) return;
    if (socket.checks.length < MAX_SOCKET_CHECKS) socket.checks.push(check);
    else socket.isFull = true;
  }

  #evict(): void {
    for (const { lastUs } of this.#sockets.values()) {
      if (!(lastUs <= this.goneUs)) this.goneUs = lastUs;
      break;
    }
    if (dropOldest(this.#sockets)) this.evicted++;
  }
}
