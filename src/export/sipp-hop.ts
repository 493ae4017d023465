/**
 * Chooses the hop of a dialog that a pair of scenarios replays: the two sockets between which its opening request went
 * first, and the messages between them, each once.
 */
import type { CallMessage, Socket } from '../analysis/call-messages.ts';
import { messagesOf } from '../analysis/call-messages.ts';
import { callWayAmong } from '../analysis/call-way.ts';
import type { Steps } from '../core/turns.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { Messages } from '../store/stores.ts';

export type SippHop = {
  readonly caller: Socket;
  readonly callee: Socket;
  /** Oldest first. */
  readonly messages: readonly CallMessage[];
  /** Messages of the dialog that are kept, those sent or seen again too. */
  readonly kept: number;
  /** Messages of the dialog that went elsewhere, each once. */
  readonly elsewhere: number;
};

/** Null where no request is kept. A step a message. */
export function* openingHop(d: Dialog, log: Messages): Steps<SippHop | null> {
  const all = messagesOf(d, log);
  const first = all.filter((m) => m.isFirst);
  const way = callWayAmong(d, first);
  if (way === null || !first.some((m) => m.isRequest)) return null;
  const { src: caller, dst: callee } = way;
  const ways = [wayOf(caller, callee), wayOf(callee, caller)];
  const exact: CallMessage[] = [];
  const between: CallMessage[] = [];
  const sightings = new Set<string>();
  let isSeveral = caller.host === callee.host;
  for (const m of first) {
    yield;
    const isExact = ways.includes(wayOf(m.src, m.dst));
    if (isExact) exact.push(m);
    if (!isExact && !areHosts(m, caller.host, callee.host)) continue;
    between.push(m);
    const sighting = sightingKey(m);
    // The same message on two pairs of ports of the same hosts: the call comes through them more than once.
    isSeveral ||= sightings.has(sighting);
    sightings.add(sighting);
  }
  // Else the hosts are enough: phones send from one port and listen on another, and on TCP each side may connect anew.
  const messages = isSeveral ? exact : between;
  return { caller, callee, messages, kept: all.length, elsewhere: first.length - messages.length };
}

function wayOf(src: Socket, dst: Socket): string {
  return `${src.host} ${src.port} ${dst.host} ${dst.port}`;
}

function areHosts(m: CallMessage, one: string, other: string): boolean {
  return (m.src.host === one && m.dst.host === other) || (m.src.host === other && m.dst.host === one);
}

/** Equal for one message on two hops; digests of a request that is sent again with credentials differ by its CSeq. */
function sightingKey(m: CallMessage): string {
  return `${m.src.host} ${m.isRequest} ${m.status} ${m.method} ${m.cseq} ${m.hop.fromTag} ${m.hop.toTag}`;
}
