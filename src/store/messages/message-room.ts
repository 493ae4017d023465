/**
 * Chooses what stays when the log is full and its oldest chunk must go: messages of calls, while strangers have most of the
 * log.
 *
 * A dialog belongs to a stranger until a peer's answer proves it (dialog-room.ts). While proven dialogs have half of the log
 * or more, the oldest chunk goes, whoever owns it. Otherwise proven dialogs keep what they have in it, and so do the
 * strangers that have least. A call that still rings is among these; whoever sends most is not.
 */
import type { MessageRows } from './message-rows.ts';
import { NO_ROW } from './message-rows.ts';

/** A dialog, as the log sees it. */
export type MessageOwner = {
  readonly slot: number;
  /** Its oldest row and its newest; NO_ROW when it never had one. */
  headRow: number;
  tailRow: number;
  /** The first row it ever had, modulo 2^32. */
  openRow: number;
  readonly isProven: boolean;
  /** Number of the prefix that sent its opening message. */
  readonly sender: number;
  /** Something of that prefix is proven. */
  readonly isSenderEstablished: boolean;
};

export type MessageOwners = { bySlot(slot: number): MessageOwner | undefined };

/** Whose messages stay, and how many bytes of the chunk they hold. */
export type Staying = { readonly bytes: number; isStaying(owner: MessageOwner): boolean };

/** What the strangers of one prefix hold of a chunk, and how much of it counts. */
type Holding = { bytes: number; weight: number };

/** Strangers that hold least keep this of a chunk. */
const PENDING_SHARE = 1 / 4;
/** So much of a chunk is not counted of a prefix that has something proven: no more, as its address can be forged. */
const ALLOWANCE = 1 / 16;
/** Bytes of a chunk that a message takes. */
export function bytesTaken(length: number): number {
  return (length + 3) & ~3;
}

/** The dialog whose message this is; undefined when it is gone. */
export function ownerOf(rows: MessageRows, owners: MessageOwners, row: number): MessageOwner | undefined {
  const owner = owners.bySlot(rows.dialog(row));
  if (owner === undefined || owner.headRow === row) return owner;
  // Its slot may be another's by now, whose rows have come later.
  return owner.tailRow !== NO_ROW && (((row | 0) - owner.openRow) | 0) >= 0 ? owner : undefined;
}

/** Whether proven dialogs have less than half of the log. `marks`: rows evenly spread over its bytes. */
export function isMostlyStrangers(
  rows: MessageRows,
  owners: MessageOwners,
  marks: Iterable<readonly number[]>,
): boolean {
  let proven = 0;
  let all = 0;
  for (const list of marks) {
    all += list.length;
    for (const row of list) if (ownerOf(rows, owners, row)?.isProven === true) proven++;
  }
  return proven * 2 < all;
}

/** What stays of rows `first` to `last`, which are a chunk of so many bytes, while strangers have most of the log. */
export function stayingOf(
  rows: MessageRows,
  owners: MessageOwners,
  first: number,
  last: number,
  chunkBytes: number,
): Staying {
  const free = chunkBytes * ALLOWANCE;
  let proven = 0;
  const bySender = new Map<number, Holding>();
  for (let row = first; row <= last; row++) {
    const owner = ownerOf(rows, owners, row);
    if (owner === undefined) continue;
    const bytes = bytesTaken(rows.byteLength(row));
    if (owner.isProven) {
      proven += bytes;
      continue;
    }
    const holding = bySender.get(owner.sender) ?? { bytes: 0, weight: 0 };
    bySender.set(owner.sender, holding);
    holding.bytes += bytes;
    holding.weight = owner.isSenderEstablished ? Math.max(0, holding.bytes - free) : holding.bytes;
  }
  const room = Math.min(chunkBytes * PENDING_SHARE, Math.max(0, chunkBytes / 2 - proven));
  const { most, bytes } = lightest([...bySender.values()], room);
  const isLight = (sender: number): boolean => (bySender.get(sender)?.weight ?? 0) < most;
  return { bytes: proven + bytes, isStaying: (owner) => owner.isProven || isLight(owner.sender) };
}

/** The lightest holdings that are within `room` together: all below a weight, and their bytes. */
function lightest(holdings: Holding[], room: number): { most: number; bytes: number } {
  holdings.sort((a, b) => a.weight - b.weight);
  let bytes = 0;
  let lighter = 0;
  let most = -1;
  for (const holding of holdings) {
    // Of those that weigh alike all stay or none.
    if (holding.weight > most) {
      most = holding.weight;
      lighter = bytes;
    }
    bytes += holding.bytes;
    if (bytes > room) return { most, bytes: lighter };
  }
  return { most: Number.POSITIVE_INFINITY, bytes };
}
