/** What is said of the clocks of HEP senders: once when an offset is known, when it steps, and of a time of its own. */
import type { HepClock } from '../sources/hep/hep-clock.ts';

/** `3.002 s ahead of ours`, `3600.000 s behind ours`. */
function offsetText(aheadUs: number): string {
  return `${(Math.abs(aheadUs) / 1e6).toFixed(3)} s ${aheadUs < 0 ? 'behind' : 'ahead of'} ours`;
}

export function offsetLine({ sender, offsetUs }: HepClock, wasUs: number): string {
  const who = `calltap: HEP sender ${sender.address}, agent ${sender.agentId}: its clock`;
  return Number.isNaN(wasUs)
    ? `${who} is ${offsetText(offsetUs)}; calltap corrects its times\n`
    : `${who} stepped from ${offsetText(wasUs)} to ${offsetText(offsetUs)}; calltap corrects its times\n`;
}

export function otherTimeLine({ sender }: HepClock, aheadUs: number): string {
  const who = `calltap: HEP sender ${sender.address}, agent ${sender.agentId}`;
  return `${who}: its times are ${offsetText(aheadUs)}, and nothing of it comes past here; calltap takes them as they are\n`;
}
