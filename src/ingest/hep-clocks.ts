/**
 * Keeps the clocks of all HEP senders: whose a stamp is, which clock stamped a message, and what lapses in a time of its
 * own.
 *
 * A sender is an agent id at an address: what it sends moves no clock of another one. Unknown senders give room among
 * themselves, so a flood of invented agents pushes out no sender with a known offset.
 */
import { ipText } from '../core/ip.ts';
import type { Applied, HepSenderName } from '../sources/hep/hep-clock.ts';
import { HepClock, ONE_TIME_US, OTHER_TIME_US } from '../sources/hep/hep-clock.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { ExpiryQueue } from '../store/dialogs/expiry-queue.ts';

/**
 * HEP senders whose clocks are known, and once more of those that nothing is known of; the longest silent one goes.
 *
 * @cap memory 2 MiB, hep_senders_evicted: HEP senders whose clocks are compared, twice
 */
export const HEP_CLOCK_SENDERS = 512;

/** Clocks of one HEP sender: a replay, or a host that was set to another day, has another one. @cap */
export const HEP_SENDER_CLOCKS = 4;

/** Stamps that are remembered with what was subtracted from them; a power of two below 2^16. */
const APPLIED = 4_096;
const LAST_APPLIED_ID = 0xffff;
/** Times of their own are looked at whenever our clock is, unless there are very many. */
const FEW = 64;
const LOOK_US = 1_000_000;
/** Delays on the way are less than half of this: who makes a smaller step with our clock is corrected by its copies alone. */
const SHARED_STEP_US = 1_000_000;
/** Stamps of another time before `onOther` is called: the first ones may come before their copies do. */
const TELLING = 20;

type Sender = HepSenderName & {
  readonly bytes: Uint8Array;
  readonly ipVersion: number;
  /** The one used last comes first. */
  readonly clocks: HepClock[];
  /** It told a time that cannot be, and that was said. */
  hasRefused: boolean;
  /** Steps of this host's clock that its stamps made as well: it runs on this host, or was set with it. */
  shiftUs: number;
  /** The sum of all steps up to which that was judged. */
  judgedShiftUs: number;
  /** How far its newest stamp, without them, was ahead of its arrival; NaN before the first. */
  gapUs: number;
};

export class HepClocks {
  readonly #known = new Map<string, Sender>();
  readonly #unknown = new Map<string, Sender>();
  /** Nearly always the next packet is of the same sender. */
  #last: Sender | null = null;
  readonly #applied: (Applied | undefined)[] = [];
  #nextId = 0;
  readonly #timed = new Map<HepClock, ExpiryQueue<Dialog>>();
  #nextLookUs = Number.NEGATIVE_INFINITY;
  /** Sum of the steps by which the clock of this host was set. */
  hostShiftUs = 0;
  /** Messages are captured here too, so that pairs may come. */
  mayPair = false;
  /** Senders that gave their place to others. */
  evicted = 0;
  /** Called when the offset of a sender becomes known (`wasUs` is NaN), and when it has stepped. */
  onOffset: ((clock: HepClock, wasUs: number) => void) | null = null;

  /** Called for a clock whose first stamps are all of another time than ours. */
  onOther: ((clock: HepClock, aheadUs: number) => void) | null = null;

  /** Called for the first time of a sender that cannot be. */
  onImplausible: ((sender: HepSenderName, toldUs: number) => void) | null = null;

  /** A stamp without the steps of this host's clock, if they are those of the sender's too; its address stands at `off`. */
  steady(b: Uint8Array, off: number, ipVersion: number, agentId: number, stampUs: number, arrivedUs: number): number {
    const sender = this.#senderOf(b, off, ipVersion, agentId);
    const stepUs = this.hostShiftUs - sender.judgedShiftUs;
    if (Math.abs(stepUs) < SHARED_STEP_US) sender.judgedShiftUs = this.hostShiftUs;
    else {
      const gapUs = stampUs - sender.shiftUs - arrivedUs;
      const gapIfUs = gapUs - stepUs;
      const wasUs = Math.abs(sender.gapUs) <= OTHER_TIME_US ? sender.gapUs : 0;
      const isNearer = Math.abs(gapIfUs - wasUs) < Math.abs(gapUs - wasUs);
      if (isNearer && Math.abs(gapIfUs) <= OTHER_TIME_US) {
        sender.shiftUs += stepUs;
        sender.judgedShiftUs = this.hostShiftUs;
      }
    }
    sender.gapUs = stampUs - sender.shiftUs - arrivedUs;
    return stampUs - sender.shiftUs;
  }

  /** The clock that stamped a packet; the sender's address stands at `off`. */
  clockOf(
    b: Uint8Array,
    off: number,
    ipVersion: number,
    agentId: number,
    stampUs: number,
    arrivedUs: number,
  ): HepClock {
    const sender = this.#senderOf(b, off, ipVersion, agentId);
    const { clocks } = sender;
    let at = clocks.findIndex((c) => c.isKnown && Math.abs(stampUs - c.offsetUs - arrivedUs) <= OTHER_TIME_US);
    if (at < 0) at = nearest(clocks, stampUs, Math.abs(stampUs - arrivedUs) > OTHER_TIME_US);
    const found = clocks[at];
    if (found === undefined) {
      const made = new HepClock(sender, stampUs, arrivedUs);
      clocks.unshift(made);
      if (clocks.length > HEP_SENDER_CLOCKS) this.#dropOne(clocks);
      return made;
    }
    found.onStamp(stampUs, arrivedUs);
    if (found.stamps === TELLING && found.isOther) this.onOther?.(found, stampUs - arrivedUs);
    if (at > 0) {
      clocks.splice(at, 1);
      clocks.unshift(found);
    }
    return found;
  }

  /** A sender told a time that cannot be: no clock of it has that. */
  onRefusedTime(b: Uint8Array, off: number, ipVersion: number, agentId: number, toldUs: number): void {
    const sender = this.#senderOf(b, off, ipVersion, agentId);
    if (sender.hasRefused) return;
    sender.hasRefused = true;
    this.onImplausible?.(sender, toldUs);
  }

  /** A number of 16 bits, never 0, for what was subtracted from a stamp of the clock. */
  applied(clock: HepClock, aheadUs: number): number {
    const last = clock.applied;
    if (last?.aheadUs === aheadUs && this.#applied[last.id % APPLIED] === last) return last.id;
    const id = (this.#nextId++ % LAST_APPLIED_ID) + 1;
    clock.applied = { id, clock, aheadUs };
    this.#applied[id % APPLIED] = clock.applied;
    return id;
  }

  /** What applied() gave that number for; undefined when it was too long ago. */
  appliedAs(id: number): Applied | undefined {
    const found = this.#applied[id % APPLIED];
    return found?.id === id ? found : undefined;
  }

  /** A message of the clock was met in our own capture. */
  onPair(clock: HepClock, aheadUs: number): ReturnType<HepClock['onPair']> {
    const wasUs = clock.offsetUs;
    const judged = clock.onPair(aheadUs);
    if (Number.isNaN(wasUs)) {
      const sender = this.#move(clock.sender);
      if (sender !== null) this.#admit(this.#known, sender);
      this.onOffset?.(clock, wasUs);
    } else if (judged === 'stepped') this.onOffset?.(clock, wasUs);
    return judged;
  }

  /** Where dialogs that live in the time of `clock` wait for their end. */
  queueOf(clock: HepClock): ExpiryQueue<Dialog> {
    const known = this.#timed.get(clock);
    if (known !== undefined) return known;
    const queue = new ExpiryQueue<Dialog>();
    // What is dropped and of another time stands still: nothing of it ever lapses.
    if (!clock.isDropped || !clock.isOther) this.#timed.set(clock, queue);
    return queue;
  }

  /** Calls `lapsed` for each dialog in a time of its own that has run out when ours is `ourUs`. */
  sweep(ourUs: number, lapsed: (dialog: Dialog, atUs: number) => void): void {
    if (this.#timed.size > FEW) {
      if (ourUs < this.#nextLookUs) return;
      this.#nextLookUs = ourUs + LOOK_US;
    }
    for (const [clock, queue] of this.#timed) {
      queue.sweep(clock.nowUs(ourUs), lapsed);
      if (queue.size === 0) this.#timed.delete(clock);
    }
  }

  /** Clocks whose offset is known, those used last first. */
  *known(): Generator<HepClock> {
    for (const sender of [...this.#known.values()].reverse())
      for (const clock of sender.clocks) if (clock.isKnown) yield clock;
  }

  get senders(): number {
    return this.#known.size + this.#unknown.size;
  }

  #senderOf(b: Uint8Array, off: number, ipVersion: number, agentId: number): Sender {
    const last = this.#last;
    if (last !== null && last.agentId === agentId && last.ipVersion === ipVersion && isAt(last.bytes, b, off))
      return last;
    const address = ipText(b, off, ipVersion);
    const key = keyOf(address, agentId);
    const map = this.#known.has(key) ? this.#known : this.#unknown;
    const found = map.get(key);
    const bytes = b.slice(off, off + (ipVersion === 6 ? 16 : 4));
    const sender = found ?? {
      address,
      agentId,
      bytes,
      ipVersion,
      clocks: [],
      hasRefused: false,
      shiftUs: 0,
      judgedShiftUs: 0,
      gapUs: Number.NaN,
    };
    map.delete(key);
    this.#admit(map, sender);
    this.#last = sender;
    return sender;
  }

  /** Puts the sender at the young end. */
  #admit(map: Map<string, Sender>, sender: Sender): void {
    map.set(keyOf(sender.address, sender.agentId), sender);
    if (map.size <= HEP_CLOCK_SENDERS) return;
    for (const [key, oldest] of map) {
      map.delete(key);
      for (const clock of oldest.clocks) this.#drop(clock);
      if (this.#last === oldest) this.#last = null;
      this.evicted++;
      return;
    }
  }

  /** Takes the sender out of those that nothing is known of. */
  #move({ address, agentId }: HepSenderName): Sender | null {
    const key = keyOf(address, agentId);
    const sender = this.#unknown.get(key) ?? null;
    this.#unknown.delete(key);
    return sender;
  }

  /** The one used longest ago, of those without an offset if there is one but the newest. */
  #dropOne(clocks: HepClock[]): void {
    const at = clocks.findLastIndex((clock, i) => i > 0 && !clock.isKnown);
    for (const clock of clocks.splice(at > 0 ? at : clocks.length - 1, 1)) this.#drop(clock);
  }

  /** Another time stands still then, and nothing lapses in it; what lives in ours continues. */
  #drop(clock: HepClock): void {
    clock.isDropped = true;
    if (clock.isOther) this.#timed.delete(clock);
  }
}

function keyOf(address: string, agentId: number): string {
  return `${agentId} ${address}`;
}

function isAt(bytes: Uint8Array, b: Uint8Array, off: number): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== b[off + i]) return false;
  return true;
}

/** The clock whose newest stamp is nearest, if both are of one time; -1 without one. What lives now is no replay. */
function nearest(clocks: readonly HepClock[], stampUs: number, isOther: boolean): number {
  let at = -1;
  let leastUs = ONE_TIME_US;
  clocks.forEach((clock, i) => {
    const gapUs = Math.abs(stampUs - clock.newestUs);
    if (gapUs > leastUs || (!clock.isKnown && clock.isOther !== isOther)) return;
    at = i;
    leastUs = gapUs;
  });
  return at;
}
