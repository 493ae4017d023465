/** What `/ask` answers beside the documents of `/v1`: messages, ladders, and what could hide a call. */

import type { Static } from 'typebox';
import { Type } from 'typebox';
import { MESSAGE_NOTES } from '../core/words.ts';
import { Call } from './call.ts';
import { PhoneReport } from './phone-report.ts';
import { Count, DateTime, named, ref, SchemaVersion1 } from './schema.ts';
import { RtpStream, StreamSegment, StreamSpan } from './stream.ts';
import { Origin, SsrcText } from './values.ts';

/** A message without its text, as ladders draw it. */
const messageFacts = {
  call_id: Type.String(),
  index: Type.Integer({ minimum: 0, description: "Index into the dialog's own message list." }),
  at: DateTime,
  src: Type.String({ description: '`<address>:<port>`' }),
  dst: Type.String({ description: '`<address>:<port>`' }),
  transport: Type.String(),
  origin: Origin,
  summary: Type.String({ description: 'The first line without the protocol version.' }),
  has_sdp: Type.Boolean(),
  notes: Type.Array(Type.Enum([...MESSAGE_NOTES])),
  hosts: Type.Optional(Type.Array(Type.String(), { description: 'Of a hub: who saw it, who saw it first before.' })),
};

export const AskMessage = named(
  'AskMessage',
  Type.Object({ ...messageFacts, text: Type.String({ description: 'The raw message without its secrets.' }) }),
);
export type AskMessage = Static<typeof AskMessage>;
export type MessageNote = AskMessage['notes'][number];

/** Of a hub: how far the clock of a host is ahead of that of the first. */
const Clocks = Type.Optional(
  Type.Array(
    Type.Object({
      host: Type.String(),
      ahead_ms: Type.Number({ description: 'Taken from its times.' }),
      pairs: Type.Integer({
        minimum: 0,
        description: 'Messages that two hosts saw, which tell it; 0: it is not known.',
      }),
    }),
    { description: 'Of a hub: how far clocks are ahead of that of the first host.' },
  ),
);

const CallsNotShown = Type.Integer({
  minimum: 0,
  description: 'Legs beyond those in `call_ids`, as far as they are counted.',
});
const MessagesNotShown = Type.Integer({ minimum: 0, description: 'Kept ones for which the answer had no room.' });
const LegNotes = Type.Optional(
  Type.Array(Type.String(), { description: 'Asked with legs: why some may be missing, in sentences.' }),
);

const ProbableLegs = Type.Optional(
  Type.Array(
    Type.Object({
      call_id: Type.String(),
      score: Type.Integer({ minimum: 0, maximum: 100, description: 'A leg that an identifier ties has 80 or more.' }),
      reason: Type.String({ description: 'What speaks for it, in parts of a sentence.' }),
    }),
    { description: 'Those of `call_ids` that no identifier ties to the first.' },
  ),
);

export const AskMessages = named(
  'AskMessages',
  Type.Object({
    schema_version: SchemaVersion1,
    call_ids: Type.Array(Type.String()),
    messages: Type.Array(ref(AskMessage)),
    not_kept: Type.Integer({ minimum: 0, description: 'Messages of the call that are not kept any more.' }),
    not_shown: Type.Optional(
      Type.Object(
        { calls: CallsNotShown, messages: MessagesNotShown },
        { description: 'What one answer cannot hold; absent where it holds all. The first call comes first.' },
      ),
    ),
    leg_notes: LegNotes,
    clocks: Clocks,
  }),
);
export type AskMessages = Static<typeof AskMessages>;

const Lifeline = Type.Integer({ minimum: 0, description: 'Index into `lifelines`.' });

export const LadderStep = named(
  'LadderStep',
  Type.Object({
    ...messageFacts,
    from: Lifeline,
    to: Lifeline,
    delta_sec: Type.Number({ minimum: 0, description: 'Since the message before.' }),
  }),
);
export type LadderStep = Static<typeof LadderStep>;

/** A stream of the call, as a bar between two lifelines. */
export const LadderMedia = named(
  'LadderMedia',
  Type.Object({
    call_id: Type.String(),
    from: Lifeline,
    to: Lifeline,
    src: Type.String(),
    dst: Type.String(),
    ssrc: SsrcText,
    packets: Count,
    loss_pct: Type.Number({ minimum: 0, maximum: 100 }),
    not_known: Type.Optional(Type.String({ description: 'Why some of the loss is not known.' })),
    first_seen: DateTime,
    last_seen: DateTime,
    codec: Type.Optional(Type.String()),
    mos: Type.Optional(Type.Number()),
    type: Type.Optional(Type.String({ description: 'The media type of its m= line, where that is not audio.' })),
    one_way: Type.Optional(Type.Literal(true, { description: 'It is video, and none came back.' })),
  }),
);
export type LadderMedia = Static<typeof LadderMedia>;

export const Lifelines = Type.Array(
  Type.Object({
    label: Type.String({ description: 'Name, or address with its port where it has one alone.' }),
    address: Type.String({ description: 'Empty of a line that stands for several hosts.' }),
    name: Type.Optional(Type.String()),
    others: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Of the last line: hosts without a line of their own, which share it.' }),
    ),
  }),
);

export const AskLadder = named(
  'AskLadder',
  Type.Object({
    schema_version: SchemaVersion1,
    call_ids: Type.Array(Type.String()),
    started_at: DateTime,
    lifelines: Lifelines,
    steps: Type.Array(ref(LadderStep)),
    media: Type.Array(ref(LadderMedia)),
    not_kept: Count,
    not_shown: Type.Optional(
      Type.Object(
        {
          calls: CallsNotShown,
          messages: MessagesNotShown,
          lifelines: Type.Integer({ minimum: 0, description: 'Hosts that share the last line.' }),
          streams: Count,
        },
        { description: 'What one ladder cannot hold; absent where it holds all. The first call comes first.' },
      ),
    ),
    probable_legs: ProbableLegs,
    leg_notes: LegNotes,
    clocks: Clocks,
  }),
);
export type AskLadder = Static<typeof AskLadder>;

/** What is wrong with a call, in the order in which an expert says it. */
export const AskExplained = named(
  'AskExplained',
  Type.Object({
    finding: Type.String({ description: 'Its name; `note` for what only explains the call.' }),
    ground: Type.Enum(['seen', 'reported', 'inferred'], {
      description:
        'What it rests on: these packets; a report such as RTCP, ICMP or a Reason header; silence on an open path.',
    }),
    depth: Type.Integer({
      minimum: 0,
      maximum: 8,
      description: 'How many causes stand over it: what follows from a cause comes after it.',
    }),
    texts: Type.Array(Type.String(), { description: 'Its sentences.' }),
    look: Type.Optional(Type.String({ description: 'Where to look next.' })),
    messages: Type.Optional(
      Type.Array(Type.Integer({ minimum: 0 }), { description: 'Numbers of the messages that show it.' }),
    ),
  }),
);
export type AskExplained = Static<typeof AskExplained>;
export const AskExplanation = named('AskExplanation', Type.Array(ref(AskExplained)));

/** Who called whom, how it ended, and what is wrong: what stands on top of a call. */
export const AskHead = named(
  'AskHead',
  Type.Object({
    schema_version: SchemaVersion1,
    call: ref(Call),
    from_display: Type.Optional(Type.String()),
    to_display: Type.Optional(Type.String()),
    hints: Type.Array(Type.String(), { description: 'What is wrong, in sentences.' }),
    explanation: ref(AskExplanation),
  }),
);
export type AskHead = Static<typeof AskHead>;

/** What could hide a call that an empty answer lacks. */
export const HiddenBy = named(
  'HiddenBy',
  Type.Object({
    what: Type.Enum([
      'span',
      'no-packets',
      'no-sip',
      'port-gate',
      'websocket-gate',
      'encrypted',
      'hep-refused',
      'dropped',
      'evicted',
      'filtered',
      'undecodable',
      'only-rtp',
      'misspelt',
      'elsewhere',
    ]),
    text: Type.String({ description: 'What was found, and what to do.' }),
  }),
);
export type HiddenBy = Static<typeof HiddenBy>;

export const AskCalls = named(
  'AskCalls',
  Type.Object({
    schema_version: SchemaVersion1,
    total: Type.Integer({ minimum: 0, description: 'Calls that the filter chooses.' }),
    total_is_least: Type.Optional(
      Type.Literal(true, { description: 'There may be more: not all files of the ring were looked at.' }),
    ),
    ring: Type.Optional(
      Type.Object(
        {
          begins_at: Type.Optional(DateTime),
          notes: Type.Optional(
            Type.Array(Type.String(), { description: 'What of it was not looked at, in sentences.' }),
          ),
        },
        { description: 'Of a host with an index beside its files of -O: when the oldest frame came that they have.' },
      ),
    ),
    calls: Type.Array(ref(Call)),
    next_cursor: Type.Optional(Type.String({ description: 'Where the next page begins; absent on the last one.' })),
    hidden_by: Type.Optional(
      Type.Array(ref(HiddenBy), { description: 'Of an empty answer: what could hide the call.' }),
    ),
  }),
);
export type AskCalls = Static<typeof AskCalls>;

export const CompareRow = named(
  'CompareRow',
  Type.Object({
    group: Type.Enum(['call', 'timing', 'quality', 'headers', 'sdp', 'messages']),
    what: Type.String(),
    a: Type.String({ description: 'Empty where the call has nothing of it.' }),
    b: Type.String(),
    differs: Type.Boolean(),
  }),
);
export type CompareRow = Static<typeof CompareRow>;

export const AskCompare = named(
  'AskCompare',
  Type.Object({
    schema_version: SchemaVersion1,
    call_ids: Type.Array(Type.String(), { minItems: 2, maxItems: 2 }),
    rows: Type.Array(ref(CompareRow)),
  }),
);
export type AskCompare = Static<typeof AskCompare>;

/** A stream, what each of its payload types carried where it changed, when nothing had to come, and why its loss is not known. */
export const AskStream = named(
  'AskStream',
  Type.Object({
    ...RtpStream.properties,
    segments: Type.Optional(Type.Array(ref(StreamSegment))),
    spans: Type.Optional(Type.Array(ref(StreamSpan), { description: 'Holds and own drops; absent without any.' })),
    not_known: Type.Optional(Type.String()),
  }),
);
export type AskStream = Static<typeof AskStream>;

export const AskQuality = named(
  'AskQuality',
  Type.Object({
    schema_version: SchemaVersion1,
    call_id: Type.String(),
    streams: Type.Array(ref(AskStream)),
    phone_reports: Type.Optional(Type.Array(ref(PhoneReport), { description: 'What phones and agents reported.' })),
  }),
);
export type AskQuality = Static<typeof AskQuality>;

/** A pair of scenarios for SIPp. */
export const AskSipp = named(
  'AskSipp',
  Type.Object({
    schema_version: SchemaVersion1,
    uac: Type.String({ description: "The caller's side: a scenario file." }),
    uas: Type.String({ description: 'The other side.' }),
    notes: Type.Array(Type.String(), { description: 'What is not replayed as captured.' }),
  }),
);
export type AskSipp = Static<typeof AskSipp>;

/** How the capture does, cheap enough to be asked for every two seconds. */
export const AskPulse = named(
  'AskPulse',
  Type.Object({
    schema_version: SchemaVersion1,
    calls: Count,
    active: Type.Integer({ minimum: 0, description: 'Calls that are being set up, or talk.' }),
    packets: Count,
    sip_messages: Count,
    dropped: Count,
    outside: Type.Integer({ minimum: 0, description: 'SIP messages on ports that are not analysed.' }),
    is_degraded: Type.Boolean({ description: 'Something was lost.' }),
    progress: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'How much of the files was read; absent of a live source.' }),
    ),
    capture_time: Type.Optional(
      Type.Unsafe<string>({
        ...DateTime,
        description: 'How far the capture has come; absent before its first packet.',
      }),
    ),
  }),
);
export type AskPulse = Static<typeof AskPulse>;

const Tallies = Type.Array(Type.Object({ name: Type.String(), count: Count }));

export const AskAlert = named(
  'AskAlert',
  Type.Object({
    kind: Type.String(),
    behaviour: Type.String(),
    source: Type.String({ description: 'Address; of a network the one it sent from last.' }),
    net: Type.Optional(Type.String()),
    name: Type.Optional(Type.String({ description: 'What the operator calls the address.' })),
    host: Type.Optional(Type.String({ description: 'Of a hub: whose agent reported it.' })),
    at: DateTime,
    first_at: DateTime,
    count: Count,
    method: Type.String(),
    methods: Tallies,
    codes: Tallies,
    targets: Type.Array(Type.String({ description: 'Untrusted text.' })),
    user_agent: Type.Optional(Type.String({ description: 'Untrusted text.' })),
    text: Type.String({ description: 'The alert as one line.' }),
  }),
);
export type AskAlert = Static<typeof AskAlert>;

const MissingHost = Type.Object({ host: Type.String(), why: Type.String() });

export const AskSecurity = named(
  'AskSecurity',
  Type.Object({
    schema_version: SchemaVersion1,
    is_watching: Type.Boolean({ description: 'An option asks for the detection.' }),
    alerts: Type.Array(ref(AskAlert)),
    missing: Type.Optional(Type.Array(MissingHost, { description: 'Of a hub: agents that did not answer.' })),
  }),
);
export type AskSecurity = Static<typeof AskSecurity>;
