/** Calls summed up at `/ask`: what is wrong with them, and who registers. */

import type { Static } from 'typebox';
import { Type } from 'typebox';
import { TrunkTrouble } from './ask-trunks.ts';
import { Count, DateTime, named, ref, SchemaVersion1 } from './schema.ts';

const Examples = Type.Array(Type.String(), { description: 'Call-IDs, the newest first.' });

export const AskFinding = named(
  'AskFinding',
  Type.Object({ finding: Type.String(), calls: Count, newest_at: DateTime, call_ids: Examples }),
);
export type AskFinding = Static<typeof AskFinding>;

const PERCENT = { minimum: 0, maximum: 100 };
/** ASR of ITU-T E.411 and NER of E.425, by final codes. */
export const CallRatios = named(
  'CallRatios',
  Type.Object({
    tried: Type.Integer({ minimum: 0, description: 'Calls opened by an INVITE that are not being set up any more.' }),
    answered: Type.Integer({ minimum: 0, description: 'Of them, those with a 2xx.' }),
    effective: Type.Integer({ minimum: 0, description: 'Those with a 2xx, 480, 486, 487, 600 or 603.' }),
    asr_pct: Type.Optional(Type.Number({ ...PERCENT, description: 'Answered of tried; absent where none was tried.' })),
    ner_pct: Type.Optional(
      Type.Number({ ...PERCENT, description: 'Effective of tried; absent where none was tried.' }),
    ),
    pdd_p95_ms: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Post-dial delay that 95 % of the tried calls with one do not exceed.' }),
    ),
  }),
);
export type CallRatios = Static<typeof CallRatios>;

export const TrunkDown = named(
  'TrunkDown',
  Type.Object({
    trunk: Type.String(),
    direction: Type.Enum(['in', 'out'], { description: 'Of `in` it is our side that answers nothing.' }),
    since: Type.Unsafe<string>({ ...DateTime, description: 'The first request without an answer.' }),
  }),
);
export type TrunkDown = Static<typeof TrunkDown>;

export const TrunkTroubled = named(
  'TrunkTroubled',
  Type.Object({
    trunk: Type.String(),
    direction: Type.Enum(['in', 'out']),
    ...TrunkTrouble.properties,
  }),
);
export type TrunkTroubled = Static<typeof TrunkTroubled>;

export const AskFindings = named(
  'AskFindings',
  Type.Object({
    schema_version: SchemaVersion1,
    calls: Type.Integer({ minimum: 0, description: 'Calls that were looked at.' }),
    ratios: ref(CallRatios),
    trunks_down: Type.Array(ref(TrunkDown), {
      description: 'Trunks with a name that are down now, whatever the filter.',
    }),
    trunks_troubled: Type.Array(ref(TrunkTroubled), {
      description: 'Trunks with a name that answer and are in trouble now: they refuse calls, sound bad, are slow.',
    }),
    findings: Type.Array(ref(AskFinding)),
    codes: Type.Array(Type.Object({ code: Count, reason: Type.String(), calls: Count, call_ids: Examples }), {
      description: 'Final failures by code.',
    }),
  }),
);
export type AskFindings = Static<typeof AskFindings>;

export const AskRegistration = named(
  'AskRegistration',
  Type.Object({
    user: Type.String(),
    src: Type.String({ description: 'Address that registers.' }),
    name: Type.Optional(Type.String()),
    state: Type.String(),
    attempts: Count,
    failed: Count,
    last_at: DateTime,
    user_agent: Type.Optional(Type.String()),
    code: Type.Optional(Count),
    reason: Type.Optional(Type.String()),
    call_id: Type.String({ description: 'The newest one.' }),
    aor: Type.Optional(Type.String({ description: 'Address of record: the URI of To, of the newest dialog.' })),
    contacts: Type.Array(Type.String(), {
      description: 'URIs of Contact in the newest REGISTER that has any, `*` where it removes all; the first ones.',
    }),
    expires_asked_sec: Type.Optional(
      Type.Integer({ minimum: 0, description: 'What the newest REGISTER asked, of several contacts the longest.' }),
    ),
    expires_granted_sec: Type.Optional(
      Type.Integer({ minimum: 0, description: 'What the registrar granted; absent where it did not, or no more.' }),
    ),
    expires_at: Type.Optional(
      Type.Unsafe<string>({ ...DateTime, description: 'When the grant ends; absent where none is in force.' }),
    ),
  }),
);
export type AskRegistration = Static<typeof AskRegistration>;

export const AskRegistrations = named(
  'AskRegistrations',
  Type.Object({
    schema_version: SchemaVersion1,
    total: Count,
    registrations: Type.Array(ref(AskRegistration)),
  }),
);
export type AskRegistrations = Static<typeof AskRegistrations>;
