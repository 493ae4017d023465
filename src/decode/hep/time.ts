/** Decides which times in HEP packets of any version calltap believes, compared with when the packet came. */

/** The year 2000: SIP and HEP are younger. Zeros and the uptime of a host lie before. */
const EARLIEST_US = 946_684_800_000_000;
/** The year 2025: a clock of ours that says less when a packet comes is itself wrong. */
const PRESENT_US = 1_735_689_600_000_000;
/** A clock may be wrong, and a packet may be years old; nothing is seen ten years before it happens. */
const AHEAD_US = 10 * 366 * 86_400_000_000;

/** Whether a packet that came at `arrivedUs` may be of that time: a replay of any age is, and a clock that is off. */
export function isPlausible(us: number, arrivedUs: number): boolean {
  return us >= EARLIEST_US && us <= Math.max(arrivedUs, PRESENT_US) + AHEAD_US;
}
