/**
 * The statistics document: how much of the wire the answers are drawn from, all members of one moment.
 */

import type { SkippedPort, Stats, TimingStats } from '../contract/index.ts';
import { finish } from '../core/turns.ts';
import type { DialogStateName } from '../core/words.ts';
import { DIALOG_STATES } from '../core/words.ts';
import type { Figures } from './figures.ts';
import { lossCounters, lossesByReason, shedCaveats } from './losses.ts';
import { percentilesSteps } from './pdd-percentiles.ts';
import { probeStatus } from './probe-status.ts';

const BUSIEST = 5;

/** The busiest ports of two tallies: the native gate's, by port number, and TypeScript's. */
export function busiestPorts(native: Uint32Array, more: ReadonlyMap<number, number>): SkippedPort[] {
  const all: SkippedPort[] = [];
  // A loop: of 65,536 calls each would take longer than what it does.
  for (let port = 0; port < native.length; port++) {
    const messages = (native[port] ?? 0) + (more.size === 0 ? 0 : (more.get(port) ?? 0));
    if (messages > 0) all.push({ port, messages });
  }
  return all.sort((a, b) => b.messages - a.messages || a.port - b.port).slice(0, BUSIEST);
}

/** What the capture is attached to, as the command line names it. */
export function captureName({ evidence, live, listener, tls }: Figures): string | null {
  const names = [...evidence.capture.sources, ...(live?.interfaces ?? [])];
  if (listener !== null) names.push(...listener.urls.slice(0, 1));
  if (tls !== null) names.push('uprobe');
  return names.join(', ') || null;
}

/** A server gives the percentiles, which it works out in turns; else they are worked out here and now. */
export function toStats(f: Figures, timing: TimingStats = finish(percentilesSteps(f.evidence.stores.dialogs))): Stats {
  const { source, saving, identity } = f;
  const { decode, excluded } = f.ingest;
  const { stores, capture } = f.evidence;
  const { dialogs, streams } = stores;
  const inState = (name: DialogStateName): number => dialogs.inState[DIALOG_STATES.indexOf(name)] ?? 0;
  const active = (['Trying', 'Ringing', 'InCall', 'Transferring', 'Pending', 'Active'] as const).map(inState);
  const quality = lossCounters(f);
  const shed = shedCaveats(f);
  const sipOutside = source.counter('sip_outside_gate') + decode.excludedSip;
  const webSocketOutside = source.counter('ws_sip_outside_gate') + decode.excludedWebSocket;
  return {
    schema_version: 2,
    dialogs: {
      total: dialogs.size,
      active: active.reduce((a, b) => a + b, 0),
      trying: inState('Trying'),
      ringing: inState('Ringing'),
      in_call: inState('InCall'),
      completed: inState('Completed'),
      failed: inState('Failed'),
      cancelled: inState('Canceled'),
      redirected: inState('Redirected'),
      registered: inState('Registered'),
      expired: inState('Expired'),
      pending: inState('Pending'),
      active_state: inState('Active'),
      terminated: inState('Terminated'),
      transferring: inState('Transferring'),
    },
    streams: {
      total: streams.size,
      active: streams.established,
      established: streams.established,
      orphaned: streams.orphaned,
    },
    timing,
    capture_quality: { ...quality, degraded: Object.values(quality).some((n) => n > 0) },
    caveats: {
      dialogs_evicted: shed.dialogs_evicted,
      dialogs_refused: 0,
      messages_evicted: shed.messages_evicted,
      streams_evicted: shed.streams_evicted,
      streams_refused: quality.streams_refused,
      encrypted_sip_flows: decode.encryptedFlows,
      encrypted_media_streams: streams.encryptedEver,
      ...probeStatus(f.tls),
      learned_sip_sockets: [...(f.ingest.sockets?.names ?? [])],
      clock_steps: capture.clockSteps.length,
      sampled: 0,
    },
    losses: lossesByReason(f),
    source: capture.isLive ? 'live' : capture.sources.length > 0 ? 'file' : 'unknown',
    source_exhausted: capture.isExhausted,
    unsaved: capture.isLive && !saving.isSaved,
    // What has no count has no ports either: 65,536 looks are a millisecond or more in code that runs once.
    unanalysed_sip_messages: sipOutside,
    unanalysed_busiest_ports: sipOutside === 0 ? [] : busiestPorts(source.sipOutPorts, excluded.sip),
    unanalysed_websocket_messages: webSocketOutside,
    unanalysed_websocket_ports: webSocketOutside === 0 ? [] : busiestPorts(source.wsOutPorts, excluded.websocket),
    capture_identity: {
      node: identity.node,
      instance: identity.instance,
      dialog_generation: dialogs.generation,
      stream_generation: streams.generation,
    },
    capture_name: captureName(f),
    uptime_sec: identity.uptimeSec(),
    writing_to: saving.writingTo,
  };
}
