/**
 * Tells once when a receiver begins to miss what is sent to it, and once when it takes it again.
 *
 * A datagram that is sent proves nothing: the ICMP error that refuses it comes later (RFC 1122 section 4.1.3.3), and a
 * host sends few of those a second (RFC 1812 section 4.3.2.8). So a receiver is well again when a time without any
 * failure has followed a datagram.
 */

/** Longer than any pause between two ICMP errors of a host that refuses datagrams. */
const WELL_AFTER_MS = 5_000;

export class SendingTrouble {
  /** Told the reason of the first failure, and null when it is over. */
  readonly #tell: (reason: string | null) => void;
  #isTold = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(tell: (reason: string | null) => void) {
    this.#tell = tell;
  }

  failed(reason: string): void {
    this.close();
    if (this.#isTold) return;
    this.#isTold = true;
    this.#tell(reason);
  }

  sent(): void {
    if (!this.#isTold || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.close();
      this.#isTold = false;
      this.#tell(null);
    }, WELL_AFTER_MS);
    this.#timer.unref();
  }

  /** Nothing is told of what was sent last. Idempotent. */
  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
