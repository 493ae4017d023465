/** Stats: what the server is attached to, what it saw, and how much of the wire its counts are drawn from. */

import type { Static } from 'typebox';
import { Type } from 'typebox';
import { Count, CountOrNull, DateTime, named, ref, refOrNull, StringOrNull } from './schema.ts';

export const SkippedPort = named(
  'SkippedPort',
  Type.Object({ port: Type.Integer({ minimum: 0, maximum: 65535 }), messages: Count }),
);
export type SkippedPort = Static<typeof SkippedPort>;

/** Which capture the answers come from; compare `instance`, never parse it. */
export const CaptureIdentity = named(
  'CaptureIdentity',
  Type.Object({
    node: Type.String(),
    instance: Type.String(),
    dialog_generation: Count,
    stream_generation: Count,
  }),
);

/**
 * Dialogs by state at this moment. `active` is the aggregate of Trying, Ringing, InCall, Transferring, Pending and
 * Active; the state Active alone is `active_state`, so that total == sum of the thirteen single counts.
 */
export const DialogCounts = named(
  'DialogCounts',
  Type.Object({
    total: Count,
    active: Type.Integer({
      minimum: 0,
      description: 'Trying, Ringing, InCall, Transferring, Pending and Active together.',
    }),
    trying: Count,
    ringing: Count,
    in_call: Count,
    completed: Count,
    failed: Count,
    cancelled: Count,
    redirected: Count,
    registered: Count,
    expired: Count,
    pending: Count,
    active_state: Type.Integer({ minimum: 0, description: 'The state Active alone.' }),
    terminated: Count,
    transferring: Count,
  }),
);

export const StreamCounts = named(
  'StreamCounts',
  Type.Object({ total: Count, active: Count, established: Count, orphaned: Count }),
);

/** Post-dial delay by nearest rank; null when no dialog has one. */
export const TimingStats = named(
  'TimingStats',
  Type.Object({ pdd_p50_ms: CountOrNull, pdd_p95_ms: CountOrNull, pdd_p99_ms: CountOrNull }),
);
export type TimingStats = Static<typeof TimingStats>;

/** Loss counters only; `degraded` is true when any of them is non-zero. */
export const CaptureQuality = named(
  'CaptureQuality',
  Type.Object({
    kernel_dropped_packets: Count,
    interface_dropped_packets: Count,
    queue_dropped_packets: Count,
    invalid_timestamps: Count,
    undecodable_frames: Count,
    snapped_frames: Count,
    reassembly_timeouts: Count,
    malformed_sip: Count,
    sip_without_call_id: Count,
    uprobe_lost_events: Count,
    uprobe_lost_bytes: Count,
    uprobe_unbound_messages: Count,
    uprobe_truncated_calls: Count,
    uprobe_faults: Count,
    hep_rejected: Count,
    streams_refused: Type.Integer({
      minimum: 0,
      description: 'RTP streams that found the table full (--max-streams).',
    }),
    ice_role_conflicts: Count,
    degraded: Type.Boolean(),
  }),
);
export type CaptureQuality = Static<typeof CaptureQuality>;

/** What the capture declined to do; always complete, zero is a real answer. */
export const Caveats = named(
  'Caveats',
  Type.Object({
    dialogs_evicted: Count,
    dialogs_refused: Count,
    messages_evicted: Count,
    streams_evicted: Count,
    streams_refused: Count,
    encrypted_sip_flows: Count,
    encrypted_media_streams: Count,
    uprobe_libraries: Type.Integer({ minimum: 0, description: 'TLS libraries that probes are attached to.' }),
    uprobe_processes: Type.Integer({ minimum: 0, description: 'Processes that map them.' }),
    uprobe_refused: Type.Integer({ minimum: 0, description: 'TLS libraries that could not be attached to.' }),
    uprobe_unseen_processes: Type.Integer({
      minimum: 0,
      description: 'Processes that move TLS records. No probe saw a call of theirs.',
    }),
    uprobe_weak_addresses: Type.Integer({
      minimum: 0,
      description: 'Messages read by TLS probes whose address is likely, not proven.',
    }),
    clock_steps: Type.Integer({
      minimum: 0,
      description: 'Steps of the clock of the capturing host; times after a step are judged without it.',
    }),
    // An agent of an earlier version, whom a hub asks, has none.
    learned_sip_sockets: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: 64,
        description:
          'Sockets on other ports that proved to be SIP while it captured; their calls are seen from then on.',
      }),
    ),
    sampled: Type.Integer({ minimum: 0, description: 'Packets left out by sampling.' }),
  }),
);
export type Caveats = Static<typeof Caveats>;

/** A run of an agent, as its newest heartbeat and the store tell; of a hub alone. */
export const AgentRun = named(
  'AgentRun',
  Type.Object({
    host: Type.String(),
    reachable: Type.Optional(Type.Boolean({ description: 'Whether its agent answers the hub; of the newest run.' })),
    why: Type.Optional(Type.String({ description: 'Why it does not.' })),
    boot: Type.Optional(Type.String({ description: 'Absent where the store knows no run of this host.' })),
    started_at: Type.Optional(DateTime),
    last_heartbeat: Type.Optional(DateTime),
    delay_sec: Type.Optional(Type.Number({ minimum: 0, description: 'Since its last heartbeat.' })),
    product: Type.Optional(Type.String()),
    api: Type.Optional(Type.String({ description: 'Where it says that it answers; a hub dials [agents] alone.' })),
    calls_begun: Type.Optional(Count),
    stored: Type.Optional(Type.Integer({ minimum: 0, description: 'Calls of this run that the store has.' })),
    missing: Type.Optional(
      Type.Integer({ description: 'Calls of this run that are in progress, on their way or lost.' }),
    ),
    losses: Type.Optional(Type.Record(Type.String(), Count, { description: 'What it lost, by reason; no zeros.' })),
  }),
);
export type AgentRun = Static<typeof AgentRun>;

export const Stats = named(
  'Stats',
  Type.Object({
    schema_version: Type.Unsafe<2>({ type: 'integer', const: 2 }),
    dialogs: ref(DialogCounts),
    streams: ref(StreamCounts),
    timing: ref(TimingStats),
    capture_quality: ref(CaptureQuality),
    caveats: ref(Caveats),
    losses: Type.Record(Type.String(), Count, {
      description: 'Everything that was captured and then lost, by reason; complete, zero is a real answer.',
    }),
    source: Type.Enum(['live', 'file', 'unknown']),
    source_exhausted: Type.Boolean(),
    unsaved: Type.Boolean(),
    unanalysed_sip_messages: Count,
    unanalysed_busiest_ports: Type.Array(ref(SkippedPort), { maxItems: 5 }),
    unanalysed_websocket_messages: Count,
    unanalysed_websocket_ports: Type.Array(ref(SkippedPort), { maxItems: 5 }),
    capture_identity: Type.Optional(refOrNull(CaptureIdentity)),
    capture_name: Type.Optional(StringOrNull),
    uptime_sec: Type.Optional(CountOrNull),
    writing_to: Type.Optional(StringOrNull),
    agents: Type.Optional(Type.Array(ref(AgentRun), { description: 'Of a hub.' })),
    store_trouble: Type.Optional(Type.String({ description: 'Of a hub: why its store does not answer.' })),
  }),
);
export type Stats = Static<typeof Stats>;
