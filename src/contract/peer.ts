/** What the optional toll-fraud peer answers, and the two operator actions relayed to it. */

import type { Static } from 'typebox';
import { Type } from 'typebox';
import { Count, CountOrNull, DateTime, named, ref, StringOrNull } from './schema.ts';

const Absent = { installed: Type.Unsafe<false>({ type: 'boolean', const: false }), reason: Type.String() };
const Present = { installed: Type.Unsafe<true>({ type: 'boolean', const: true }), peer_ctl: Type.String() };
const UnixSecondsOrNull = CountOrNull;
const AlwaysNull = Type.Null();
const Ipv4 = Type.String({ format: 'ipv4' });

/** The two-field answer of every peer route when the control program was not found. */
export const PeerAbsent = named('PeerAbsent', Type.Object(Absent, { additionalProperties: false }));
export type PeerAbsent = Static<typeof PeerAbsent>;

const statusFacts = {
  enforcement: Type.Enum(['active', 'inactive']),
  mode: AlwaysNull,
  interface: AlwaysNull,
  map: StringOrNull,
  blocked_now: Count,
  pairs: CountOrNull,
  peers: CountOrNull,
  last_checkpoint: UnixSecondsOrNull,
  db: Type.String(),
  version: Type.String(),
};

/** The status as the control program prints it; every key is always there. */
export const PeerStatusFacts = named('PeerStatusFacts', Type.Object(statusFacts));
export type PeerStatusFacts = Static<typeof PeerStatusFacts>;

export const PeerStatus = named('PeerStatus', Type.Object({ ...Present, ...statusFacts }));
export type PeerStatus = Static<typeof PeerStatus>;

export const BannedRow = named(
  'BannedRow',
  Type.Object({
    ip: Type.String(),
    reason: StringOrNull,
    detail: StringOrNull,
    first_seen: UnixSecondsOrNull,
    expires: UnixSecondsOrNull,
    enforced: Type.Boolean(),
  }),
);
export type BannedRow = Static<typeof BannedRow>;

export const DroppedRow = named(
  'DroppedRow',
  Type.Object({
    ip: Type.String(),
    dropped: Count,
    events: Count,
    last_seen: DateTime,
    rule: StringOrNull,
    last_request: StringOrNull,
  }),
);
export type DroppedRow = Static<typeof DroppedRow>;

export const LabelRow = named(
  'LabelRow',
  Type.Object({
    ip: Type.String(),
    reason: StringOrNull,
    detail: StringOrNull,
    first_seen: UnixSecondsOrNull,
    expires: UnixSecondsOrNull,
    unbanned_at: UnixSecondsOrNull,
    enforced: Type.Boolean(),
    disposition: Type.String(),
  }),
);
export type LabelRow = Static<typeof LabelRow>;

const envelope = { total: Count, returned: Count, truncated: Type.Boolean() };

export const BannedList = named(
  'BannedList',
  Type.Object({ ...Present, rows: Type.Array(ref(BannedRow)), ...envelope }),
);
export type BannedList = Static<typeof BannedList>;

export const DroppedList = named(
  'DroppedList',
  Type.Object({ ...Present, rows: Type.Array(ref(DroppedRow)), ...envelope }),
);
export type DroppedList = Static<typeof DroppedList>;

export const LabelList = named('LabelList', Type.Object({ ...Present, rows: Type.Array(ref(LabelRow)), ...envelope }));
export type LabelList = Static<typeof LabelList>;

export const PEER_REFUSALS = ['local', 'declared', 'kernel', 'not-blocked'] as const;
export type PeerRefusal = (typeof PEER_REFUSALS)[number];

export const PeerAction = named(
  'PeerAction',
  Type.Object({
    ip: Type.String(),
    action: Type.Enum(['ban', 'unban']),
    applied: Type.Boolean(),
    refused: Type.Unsafe<PeerRefusal | null>({ type: ['string', 'null'], enum: [...PEER_REFUSALS, null] }),
    expires: UnixSecondsOrNull,
    source: Type.Enum(['operator']),
  }),
);
export type PeerAction = Static<typeof PeerAction>;

export const PeerActionAnswer = named('PeerActionAnswer', Type.Object({ ...Present, action: ref(PeerAction) }));
export type PeerActionAnswer = Static<typeof PeerActionAnswer>;

/** Seconds of a ban at most: what every program reads back as the same whole number. */
const LONGEST_TTL_SECS = Number.MAX_SAFE_INTEGER;

export const BanRequest = named(
  'BanRequest',
  Type.Object(
    {
      ip: Ipv4,
      ttl_secs: Type.Optional(Type.Integer({ minimum: 0, maximum: LONGEST_TTL_SECS, description: '0 means forever.' })),
    },
    { additionalProperties: false },
  ),
);
export type BanRequest = Static<typeof BanRequest>;

export const UnbanRequest = named('UnbanRequest', Type.Object({ ip: Ipv4 }, { additionalProperties: false }));
export type UnbanRequest = Static<typeof UnbanRequest>;
