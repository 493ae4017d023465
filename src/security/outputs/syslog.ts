/**
 * Alerts to the syslog daemon of this host, facility local0 (RFC 3164 section 4.1.1 on a local socket).
 *
 *     <PRI>Nov 21 10:00:00 calltap[4711]: text
 *
 * The daemon may be stopped, started again or slow: nothing waits for it. A message it does not take is counted, and
 * said when messages begin to be lost.
 */

/** Characters of a line for syslog. @cap */
const MAX_SYSLOG_TEXT = 2000;

const LOCAL0 = 16;

/** Severities of alerts. */
const SEVERITY = { alert: 1, warning: 4 } as const;
export type Severity = keyof typeof SEVERITY;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** The socket as the native part offers it: numbers below 0 are -errno. */
export type SyslogSocket = {
  open(path: string): number;
  send(fd: number, text: Uint8Array): number;
  close(fd: number): void;
};

/** The message on the wire; `now` is local time, as syslog daemons expect it. */
export function syslogMessage(severity: Severity, text: string, pid: number, now: Date): string {
  const two = (n: number): string => String(n).padStart(2, '0');
  const day = String(now.getDate()).padStart(2, ' ');
  const time = `${two(now.getHours())}:${two(now.getMinutes())}:${two(now.getSeconds())}`;
  const stamp = `${MONTHS[now.getMonth()]} ${day} ${time}`;
  return `<${LOCAL0 * 8 + SEVERITY[severity]}>${stamp} calltap[${pid}]: ${text.slice(0, MAX_SYSLOG_TEXT)}`;
}

export class Syslog {
  readonly #socket: SyslogSocket;
  readonly #path: string;
  readonly #pid: number;
  readonly #say: (line: string) => void;
  #fd = -1;
  sent = 0;
  /** Messages that the daemon did not take. */
  lost = 0;
  /** Those of troubles that are over. */
  #lostBefore = 0;
  #isWell: boolean;

  constructor(socket: SyslogSocket, path: string, pid: number, say: (line: string) => void) {
    this.#socket = socket;
    this.#path = path;
    this.#pid = pid;
    this.#say = say;
    this.#fd = socket.open(path);
    this.#isWell = this.isOpen;
    if (!this.#isWell) say(`no syslog daemon at ${path} yet; alerts count as lost`);
  }

  /** The daemon's socket is there; one that is started later is found by the next message. */
  get isOpen(): boolean {
    return this.#fd >= 0;
  }

  send(severity: Severity, text: string): void {
    const bytes = Buffer.from(syslogMessage(severity, text, this.#pid, new Date()));
    let isTaken = this.#take(bytes);
    if (!isTaken) {
      // A daemon that was started again has a new socket at the same path.
      this.close();
      this.#fd = this.#socket.open(this.#path);
      isTaken = this.#take(bytes);
    }
    if (isTaken) this.sent++;
    else this.lost++;
    if (isTaken === this.#isWell) return;
    this.#isWell = isTaken;
    if (!isTaken) this.#say(`the syslog daemon at ${this.#path} takes nothing; alerts count as lost`);
    else {
      this.#say(`the syslog daemon at ${this.#path} takes alerts; ${this.lost - this.#lostBefore} were lost before`);
      this.#lostBefore = this.lost;
    }
  }

  #take(bytes: Uint8Array): boolean {
    return this.#fd >= 0 && this.#socket.send(this.#fd, bytes) === 0;
  }

  close(): void {
    if (this.#fd >= 0) this.#socket.close(this.#fd);
    this.#fd = -1;
  }
}
