/**
 * The fields of a call, a row each: by which name the wire has it, what its values are, and where people and programs meet it.
 *
 * The schema of the API, the columns of every table, the keys and orders of the filter language, the rows of a comparison and
 * the columns of the store are made of these rows. analysis/call-field-readers.ts says how each is read of a dialog.
 */
import { DIALOG_STATES, METHOD_NAMES, ORIGINS } from './words.ts';

/** What a value of each kind is. */
type KindValues = {
  text: string;
  texts: string[];
  /** One of `words`. */
  word: string;
  /** RFC 3339, to the microsecond. */
  time: string;
  count: number;
  /** A code of a final response, as a message has it. */
  code: number;
  /** The same of an INVITE alone. */
  status: number;
  seconds: number;
  /** Null where it is not known. */
  milliseconds: number | null;
  /** With `unit` and `digits`. */
  figure: number;
  frame: string;
  timing: TimingSummary;
};
export type FieldKind = keyof KindValues;

export type CallField = {
  readonly kind: FieldKind;
  /** Every call has it; the others are absent where nothing is known. */
  readonly isAlways?: true;
  /** All words of the kind `word`; of a text those that completion offers. */
  readonly words?: readonly string[];
  readonly unit?: '%' | 'ms';
  /** Behind the point, where people read it. */
  readonly digits?: number;
  /** For the document of the API. */
  readonly description?: string;
  /** What tables call it, and what stands above its column. A key of the filter has the same name. */
  readonly key?: string;
  readonly title?: string;
  /** As a key of the filter: an example of a term, and what it asks for. */
  readonly filter?: readonly [example: string, help: string];
  /** By which word lists are sorted by it. */
  readonly sort?: string;
  /**
   * Findings that make a call worse than any figure of it says: what lists show in its place, and sort and filters take for
   * WORST_FIGURE.
   */
  readonly worst?: Readonly<Record<string, string>>;
  /** Where a comparison of calls shows it, and by which words. */
  readonly compared?: readonly [group: 'call' | 'timing' | 'quality', label: string];
  /** The column of the store that has it. Absent: a hub does not list it. */
  readonly stored?: string;
  /** Where the document of a call has it: the store reads its column from there. Absent: an agent ships the column. */
  readonly document?: string;
};

/** How long things took; null where something did not happen. They stand in `timing`. */
export const TIMING_FIELDS = {
  pdd_ms: {
    kind: 'milliseconds',
    isAlways: true,
    key: 'pdd',
    title: 'PDD',
    filter: ['pdd>3s', 'post-dial delay'],
    sort: 'pdd',
    compared: ['timing', 'Post-dial delay'],
    stored: 'pdd_ms',
    document: 'timing.pdd_ms',
  },
  setup_ms: {
    kind: 'milliseconds',
    isAlways: true,
    key: 'setup',
    title: 'Setup',
    filter: ['setup>10s', 'time from INVITE to answer'],
    compared: ['timing', 'Set up'],
    stored: 'setup_ms',
    document: 'timing.setup_ms',
  },
  retransmits: { kind: 'count', isAlways: true, stored: 'retransmits', document: 'timing.retransmits' },
  duration_ms: { kind: 'milliseconds', isAlways: true, stored: 'talk_ms' },
} as const satisfies Readonly<Record<string, CallField>>;

/** The filter of calls: what an INVITE opened, without registrations, OPTIONS and messages. */
export const CALLS_ONLY = 'method:INVITE';

export const CALL_FIELDS = {
  call_id: {
    kind: 'text',
    isAlways: true,
    key: 'callid',
    title: 'Call-ID',
    filter: ['callid:a84b4c76e6', 'Call-ID'],
    stored: 'call_id',
    document: 'call_id',
  },
  state: {
    kind: 'word',
    words: DIALOG_STATES,
    isAlways: true,
    description: 'State of a dialog.',
    key: 'state',
    title: 'State',
    filter: ['state:Failed', 'state of the dialog'],
    compared: ['call', 'State'],
    stored: 'state',
    document: 'state',
  },
  method: {
    kind: 'text',
    words: METHOD_NAMES,
    isAlways: true,
    key: 'method',
    title: 'Method',
    filter: ['method:INVITE', 'method that opened the dialog'],
    compared: ['call', 'Method'],
    stored: 'method',
    document: 'method',
  },
  msg_count: {
    kind: 'count',
    isAlways: true,
    key: 'messages',
    title: 'Messages',
    stored: 'messages',
    document: 'msg_count',
  },
  duration_sec: {
    kind: 'seconds',
    isAlways: true,
    key: 'duration',
    title: 'Duration',
    filter: ['duration<5s', 'first to last message; since the answer while it talks'],
    sort: 'duration',
    compared: ['timing', 'Lasted'],
    stored: 'duration_sec',
    document: 'duration_sec',
  },
  created_at: {
    kind: 'time',
    isAlways: true,
    key: 'started',
    title: 'Started',
    sort: 'created',
    stored: 'created_at',
    document: 'created_at',
  },
  updated_at: {
    kind: 'time',
    isAlways: true,
    key: 'ended',
    title: 'Last message',
    sort: 'updated',
    stored: 'updated_at',
    document: 'updated_at',
  },
  timing: { kind: 'timing', isAlways: true },
  from_user: {
    kind: 'text',
    key: 'from',
    title: 'From',
    compared: ['call', 'From'],
    stored: 'from_user',
    document: 'from',
  },
  to_user: { kind: 'text', key: 'to', title: 'To', compared: ['call', 'To'], stored: 'to_user', document: 'to' },
  final_status_code: { kind: 'status', stored: 'final_status_code', document: 'final_status_code' },
  final_status_reason: { kind: 'text', stored: 'final_status_reason', document: 'final_status_reason' },
  frame: { kind: 'frame', stored: 'frame', document: 'frame' },
  input_origin: {
    kind: 'word',
    words: ORIGINS,
    description: 'The capture source that delivered a message or stream.',
    key: 'origin',
    title: 'Origin',
    stored: 'origin',
    document: 'input_origin',
  },
  host: { kind: 'text', description: 'Of a hub: the host that saw it.' },
  kept_in: {
    kind: 'word',
    words: ['history'],
    description: 'Of a call that left the memory: its row stands in an index beside the files of -O.',
  },
  from_host: {
    kind: 'text',
    description: 'Host or URN of From, where it has no user.',
    stored: 'from_host',
    document: 'from_host',
  },
  to_host: { kind: 'text', description: 'The same of To.', stored: 'to_host', document: 'to_host' },
  code: {
    kind: 'code',
    description: 'The final code, also that of a REGISTER.',
    key: 'code',
    title: 'Code',
    filter: ['code:5xx', 'final code'],
    compared: ['call', 'Final code'],
    stored: 'code',
  },
  reason: { kind: 'text', description: 'Its reason phrase.', key: 'reason', title: 'Reason', stored: 'reason' },
  ended_by: {
    kind: 'word',
    words: ['caller', 'callee'],
    key: 'ended-by',
    title: 'Ended by',
    filter: ['ended-by:caller', 'who hung up'],
    compared: ['call', 'Ended by'],
    stored: 'ended_by',
  },
  src: { kind: 'text', key: 'src', title: 'Source', compared: ['call', 'Source'], stored: 'src' },
  dst: { kind: 'text', key: 'dst', title: 'Destination', compared: ['call', 'Destination'], stored: 'dst' },
  src_name: { kind: 'text', description: 'What the operator calls the address.' },
  dst_name: { kind: 'text' },
  transport: {
    kind: 'text',
    key: 'transport',
    title: 'Transport',
    compared: ['call', 'Transport'],
    stored: 'transport',
  },
  user_agent: { kind: 'text', key: 'ua', title: 'User-Agent', stored: 'user_agent' },
  codecs: {
    kind: 'texts',
    description: 'Of its streams; absent without one.',
    key: 'codec',
    title: 'Codec',
    filter: ['codec:opus', 'codec of a stream'],
    compared: ['quality', 'Codec'],
    stored: 'codecs',
  },
  mos_worst: {
    kind: 'figure',
    digits: 2,
    key: 'mos',
    title: 'MOS',
    filter: ['mos<3.6', 'worst MOS of a direction; 0 where one or both are missing'],
    sort: 'mos',
    worst: { 'no-media': 'no RTP', 'one-way-audio': 'one way' },
    compared: ['quality', 'Worst MOS'],
    stored: 'worst_mos',
  },
  loss_pct_max: {
    kind: 'figure',
    unit: '%',
    digits: 1,
    description: 'Without what is not known.',
    key: 'loss',
    title: 'Loss',
    filter: ['loss>=1%', 'highest loss of a stream'],
    sort: 'loss',
    compared: ['quality', 'Highest loss'],
    stored: 'worst_loss_pct',
  },
  jitter_ms_max: {
    kind: 'figure',
    unit: 'ms',
    digits: 1,
    key: 'jitter',
    title: 'Jitter',
    filter: ['jitter>30ms', 'highest mean jitter of a stream'],
    compared: ['quality', 'Highest jitter'],
    stored: 'worst_jitter_ms',
  },
  reported_mos: {
    kind: 'figure',
    digits: 2,
    description: 'Lowest MOS that a phone or an agent reported.',
    key: 'reported.mos',
    title: 'Reported MOS',
    filter: ['reported.mos<3', 'lowest MOS that a phone or an agent reported'],
    compared: ['quality', 'Reported MOS'],
    stored: 'reported_mos',
    document: 'reported.mos',
  },
  reported_loss_pct: {
    kind: 'figure',
    unit: '%',
    digits: 1,
    description: 'Highest loss that one reported.',
    key: 'reported.loss',
    title: 'Reported loss',
    filter: ['reported.loss>=2%', 'highest loss that one reported'],
    compared: ['quality', 'Reported loss'],
    stored: 'reported_loss_pct',
    document: 'reported.loss_pct',
  },
  reported_jitter_ms: {
    kind: 'figure',
    unit: 'ms',
    digits: 1,
    description: 'Highest jitter that one reported.',
    key: 'reported.jitter',
    title: 'Reported jitter',
    filter: ['reported.jitter>30ms', 'highest jitter that one reported'],
    compared: ['quality', 'Reported jitter'],
    stored: 'reported_jitter_ms',
    document: 'reported.jitter_ms',
  },
  reported_rtt_ms: {
    kind: 'figure',
    unit: 'ms',
    digits: 0,
    description: 'Longest round trip that one reported.',
    key: 'reported.rtt',
    title: 'Reported round trip',
    filter: ['reported.rtt>300ms', 'longest round trip that one reported'],
    compared: ['quality', 'Reported round trip'],
    stored: 'reported_rtt_ms',
    document: 'reported.round_trip_ms',
  },
  not_known: { kind: 'text', description: 'Why some of the loss is not known.', stored: 'not_known' },
  cause: {
    kind: 'text',
    description: 'What is wrong, in a word: the finding that an expert names first, or code and reason of a refusal.',
    key: 'cause',
    title: 'Cause',
    filter: ['cause:503*', 'what is wrong, by the finding that comes first, or by code and reason'],
    compared: ['call', 'Cause'],
    stored: 'cause',
  },
  findings: {
    kind: 'texts',
    isAlways: true,
    key: 'findings',
    title: 'Findings',
    compared: ['call', 'Findings'],
    stored: 'findings',
  },
} as const satisfies Readonly<Record<string, CallField>>;

/** A call that lacks a direction is below every MOS. */
export const WORST_FIGURE = 0;

/** The fields of a list row of `/v1`. */
export const SUMMARY_FIELDS = [
  ...(['call_id', 'state', 'method', 'msg_count', 'duration_sec', 'created_at', 'updated_at', 'timing'] as const),
  ...(['from_user', 'to_user', 'final_status_code', 'final_status_reason', 'frame', 'input_origin', 'host'] as const),
];

type ValueOf<F extends CallField> = F extends { readonly kind: 'word'; readonly words: readonly (infer W)[] }
  ? W
  : KindValues[F['kind']];
type Fields = typeof CALL_FIELDS;
type Always = { readonly isAlways: true };

export type TimingSummary = { -readonly [F in keyof typeof TIMING_FIELDS]: ValueOf<(typeof TIMING_FIELDS)[F]> };

/** A call as a row of a list has it. In two halves: what each call has, and what is absent where nothing is known. */
type Halves = { -readonly [F in keyof Fields as Fields[F] extends Always ? F : never]: ValueOf<Fields[F]> } & {
  -readonly [F in keyof Fields as Fields[F] extends Always ? never : F]?: ValueOf<Fields[F]>;
};
export type Call = { [F in keyof Halves]: Halves[F] };
export type CallSummary = Pick<Call, (typeof SUMMARY_FIELDS)[number]>;

export type FieldName = keyof Fields | keyof typeof TIMING_FIELDS;

/** A field by name, those of `timing` in its place. */
export type NamedField = CallField & { readonly name: FieldName; readonly isTiming: boolean };

// The names are those of the tables; Object.entries widens them.
const rows = (fields: Readonly<Record<string, CallField>>, isTiming: boolean): NamedField[] =>
  Object.entries(fields).map(([name, field]) => ({ ...field, name: name as FieldName, isTiming }));

export const FIELDS: readonly NamedField[] = rows(CALL_FIELDS, false).flatMap((field) =>
  field.kind === 'timing' ? rows(TIMING_FIELDS, true) : [field],
);

/** What a call has of a field; undefined and null where nothing is known. */
export function fieldValue(call: Call, { name, isTiming }: NamedField): string | string[] | number | null | undefined {
  const from: Readonly<Record<string, unknown>> = isTiming ? call.timing : call;
  // Each value is of the kind of its row.
  return from[name] as string | string[] | number | null | undefined;
}

/** What stands in the place of a figure that a finding makes worthless; undefined where the figure counts. */
export function worstWord({ findings }: Call, { worst }: CallField): string | undefined {
  if (worst === undefined) return undefined;
  const name = Object.keys(worst).find((one) => findings.includes(one));
  return name === undefined ? undefined : worst[name];
}

/** By what lists are sorted: times, then figures. */
export const SORT_KEYS: readonly string[] = [true, false].flatMap((isTime) =>
  FIELDS.flatMap(({ sort, kind }) => (sort !== undefined && (kind === 'time') === isTime ? [sort] : [])),
);
