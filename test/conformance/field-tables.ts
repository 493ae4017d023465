/**
 * The field tables of the interface, written down once more and on their own: the schemas of the product are tested
 * against this, not with themselves. `?` is an optional key, which is absent and never null.
 */

export type FieldRule = { readonly isOptional: boolean; readonly check: (value: unknown) => boolean };

const isInt = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;
const isText = (value: unknown): boolean => typeof value === 'string';
const isBool = (value: unknown): boolean => typeof value === 'boolean';
const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
const isArray = (value: unknown): boolean => Array.isArray(value);
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isEvidence = (value: unknown): boolean => Array.isArray(value) && value.every(isInt);
const isTime = (value: unknown): boolean =>
  isText(value) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(String(value));
const oneOf =
  (...words: readonly unknown[]) =>
  (value: unknown): boolean =>
    words.includes(value);
const isPointer = (value: unknown): boolean => isText(value) && /^.+#\d+@[0-9a-f]{16}$/.test(String(value));
const between =
  (low: number, high: number) =>
  (value: unknown): boolean =>
    Number.isInteger(value) && Number(value) >= low && Number(value) <= high;
const orNull =
  (check: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === null || check(value);

/** States of a dialog. */
export const STATES = [
  'Trying',
  'Ringing',
  'InCall',
  'Completed',
  'Failed',
  'Canceled',
  'Redirected',
  'Registered',
  'Expired',
  'Pending',
  'Active',
  'Terminated',
  'Transferring',
];
const isState = oneOf(...STATES);
const isOrigin = oneOf('wire', 'hep', 'uprobe');
const isVersion1 = oneOf(1);
const isMos = (value: unknown): boolean => isNumber(value) && Number(value) >= 1 && Number(value) <= 5;

const yes = (check: (value: unknown) => boolean): FieldRule => ({ isOptional: false, check });
const no = (check: (value: unknown) => boolean): FieldRule => ({ isOptional: true, check });

export const TABLES = {
  DialogList: {
    schema_version: yes(isVersion1),
    total: yes(isInt),
    by_method: yes(isArray),
    offset: yes(isInt),
    limit: yes(isInt),
    dialogs: yes(isArray),
  },
  DialogSummary: {
    call_id: yes(isText),
    state: yes(isState),
    method: yes(isText),
    msg_count: yes(isInt),
    duration_sec: yes(isNumber),
    created_at: yes(isTime),
    updated_at: yes(isTime),
    timing: yes(isObject),
    from_user: no(isText),
    to_user: no(isText),
    final_status_code: no(between(200, 999)),
    final_status_reason: no(isText),
    frame: no(isPointer),
    input_origin: no(isOrigin),
  },
  'DialogSummary.timing': {
    pdd_ms: yes(orNull(isInt)),
    setup_ms: yes(orNull(isInt)),
    retransmits: yes(isInt),
    duration_ms: yes(orNull(isInt)),
  },
  Dialog: {
    schema_version: yes(isVersion1),
    call_id: yes(isText),
    state: yes(isState),
    method: yes(isText),
    msg_count: yes(isInt),
    duration_sec: yes(isNumber),
    timing: yes(isObject),
    sdp_timeline: yes(isArray),
    diagnosis: yes(isObject),
    streams: yes(isArray),
    from: no(isText),
    to: no(isText),
    from_display: no(isText),
    to_display: no(isText),
    final_status_code: no(between(200, 999)),
    final_status_reason: no(isText),
    frame: no(isPointer),
    input_origin: no(isOrigin),
    tags: no((value) => isTexts(value) && Array.isArray(value) && value.length > 0),
    icmp_media: no(isObject),
    signaling_diagnosis: no(isObject),
  },
  Timing: {
    retransmits: yes(isInt),
    pdd_ms: no(isInt),
    setup_ms: no(isInt),
    ring_ms: no(isInt),
    trying_delay_ms: no(isInt),
    teardown_ms: no(isInt),
  },
  SdpExchange: {
    timestamp: yes(isTime),
    direction: yes(oneOf('offer', 'answer')),
    codecs: yes(isTexts),
    mode: yes(isText),
    event: no(isText),
    media_addr: no(isText),
    media_port: no(between(0, 65535)),
  },
  Diagnosis: {
    one_way_audio: yes(isBool),
    nat_mismatch: yes(isBool),
    no_media: yes(isBool),
    private_media_address: yes(isBool),
    hints: yes(isTexts),
    media_relay: no(isObject),
    stun_sdp_mismatch: no(isObject),
  },
  SignalingDiagnosis: {
    hints: yes(isTexts),
    final_failure: yes(orNull(isObject)),
    auth_loop: yes(orNull(isObject)),
    retransmissions: yes(orNull(isObject)),
    ack_missing: yes(orNull(isObject)),
    abandoned: yes(orNull(isObject)),
    post_dial_delay: yes(orNull(isObject)),
    registration_failure: yes(orNull(isObject)),
    icmp_unreachable: no(isObject),
    source_disagreement: no(isObject),
  },
  final_failure: {
    code: yes(isInt),
    reason_phrase: yes(isText),
    evidence: yes(isEvidence),
    reason_header: no(orNull(isText)),
    warning: no(orNull(isText)),
  },
  auth_loop: {
    kind: yes(oneOf('credential_failure', 'silent_drop')),
    challenges: yes(isInt),
    evidence: yes(isEvidence),
  },
  retransmissions: {
    method: yes(isText),
    count: yes(isInt),
    span_sec: yes(isNumber),
    evidence: yes(isEvidence),
    icmp_cause: no(isText),
  },
  ack_missing: { waited_sec: yes(isNumber), answer_transmissions: yes(isInt), evidence: yes(isEvidence) },
  abandoned: {
    kind: yes(oneOf('canceled', 'no_final_response')),
    elapsed_sec: yes(isNumber),
    evidence: yes(isEvidence),
  },
  post_dial_delay: {
    delay_sec: yes(isNumber),
    threshold_sec: yes(isNumber),
    responded_with: yes(isInt),
    evidence: yes(isEvidence),
  },
  registration_failure: {
    kind: yes(oneOf('rejected', 'shortened_expiry')),
    code: yes(isInt),
    evidence: yes(isEvidence),
    requested_expiry_sec: no(orNull(isInt)),
    granted_expiry_sec: no(orNull(isInt)),
  },
  RtpStream: {
    schema_version: yes(isVersion1),
    ssrc: yes((value) => isText(value) && /^0x[0-9a-f]{8}$/.test(String(value))),
    payload_type: yes(between(0, 255)),
    src: yes((value) => isText(value) && /^(\[[0-9a-f:.]+\]|[0-9.]+):\d+$/.test(String(value))),
    dst: yes((value) => isText(value) && /^(\[[0-9a-f:.]+\]|[0-9.]+):\d+$/.test(String(value))),
    packets: yes(isInt),
    octets: yes(isInt),
    jitter_ms: yes(isNumber),
    loss_pct: yes(isNumber),
    orphaned: yes(isBool),
    first_seen: yes(isTime),
    last_seen: yes(isTime),
    quality_intervals: yes(isArray),
    codec: no(isText),
    associated_dialog: no(isText),
    burst_gap: no(isObject),
    dscp: no(between(0, 63)),
    dscp_last: no(between(0, 63)),
    dialog_assertion: no(oneOf('signaled', 'media-relay')),
    dialog_origin: no(isOrigin),
    input_origin: no(isOrigin),
    frame: no(isPointer),
    round_trip_ms: no(isNumber),
    round_trip_source: no(oneOf('xr_voip_metrics', 'sender_report_echo')),
    mos: no(isMos),
  },
  burst_gap: {
    burst_count: yes(isInt),
    burst_duration_ms: yes(isNumber),
    gap_duration_ms: yes(isNumber),
    burst_loss_rate: yes(isNumber),
    gap_loss_rate: yes(isNumber),
    is_bursty: yes(isBool),
  },
  quality_interval: {
    timestamp: yes(isTime),
    jitter_ms: yes(isNumber),
    loss_pct: yes(isNumber),
    packets: yes(isInt),
    mos: no(isMos),
    r_factor: no(isNumber),
    verdict: no(oneOf('acceptable', 'degraded', 'not_scorable')),
  },
  StreamList: {
    schema_version: yes(isVersion1),
    total: yes(isInt),
    offset: yes(isInt),
    limit: yes(isInt),
    streams: yes(isArray),
  },
  'StreamList.streams': {
    ssrc: yes(isText),
    codec: no(isText),
    src: yes(isText),
    dst: yes(isText),
    packets: yes(isInt),
    jitter_ms: yes(isNumber),
    loss_pct: yes(isNumber),
    orphaned: yes(isBool),
    associated_dialog: no(isText),
    mos: no(isMos),
  },
  Stats: {
    schema_version: yes(oneOf(2)),
    dialogs: yes(isObject),
    streams: yes(isObject),
    timing: yes(isObject),
    capture_quality: yes(isObject),
    caveats: yes(isObject),
    source: yes(oneOf('live', 'file', 'unknown')),
    source_exhausted: yes(isBool),
    unsaved: yes(isBool),
    unanalysed_sip_messages: yes(isInt),
    unanalysed_busiest_ports: yes(isArray),
    unanalysed_websocket_messages: yes(isInt),
    unanalysed_websocket_ports: yes(isArray),
    capture_identity: no(orNull(isObject)),
    capture_name: no(orNull(isText)),
    uptime_sec: no(orNull(isInt)),
    writing_to: no(orNull(isText)),
  },
  SkippedPort: { port: yes(between(0, 65535)), messages: yes(isInt) },
  CaptureIdentity: {
    node: yes(isText),
    instance: yes(isText),
    dialog_generation: yes(isInt),
    stream_generation: yes(isInt),
  },
  media_relay: {
    client: yes(isText),
    server: yes(isText),
    channel: yes(between(16384, 32767)),
    lapsed: yes(isBool),
    peer: no(isText),
    relayed_address: no(isText),
  },
  icmp_unreachable: {
    description: yes(isText),
    icmp_type: yes(between(0, 255)),
    icmp_code: yes(between(0, 255)),
    unreachable_endpoint: yes(isText),
    reported_by: yes(isText),
    errors: yes((value) => isInt(value) && Number(value) >= 1),
    truncated: yes(isBool),
    evidence: yes(isEvidence),
    method: no(orNull(isText)),
  },
  icmp_media: { capture: yes(isObject), findings: yes(isArray) },
  'icmp_media.capture': {
    errors: yes(isInt),
    media: yes(isInt),
    attributed: yes(isInt),
    unattributed: yes(isInt),
    unkeyed: yes(isInt),
    untracked_flows: yes(isInt),
    untallied_endpoints: yes(isInt),
    flows: yes(isInt),
  },
  'icmp_media.findings': {
    attribution: yes(oneOf('flow', 'ssrc', 'endpoint', 'sdp_endpoint', 'none')),
    source: yes(isText),
    unreachable_endpoint: yes(isText),
    reported_by: yes(isText),
    transport: yes(isText),
    description: yes(isText),
    icmp_type: yes(between(0, 255)),
    icmp_code: yes(between(0, 255)),
    errors: yes((value) => isInt(value) && Number(value) >= 1),
    payload: yes(oneOf('rtp', 'rtcp', 'unread', 'not_media')),
    streams: yes(isInt),
    hint: yes(isText),
    call_ids: no(isTexts),
    payload_type: no(between(0, 127)),
    rtcp_packet_type: no(between(0, 255)),
    ssrc: no((value) => isText(value) && /^0x[0-9a-f]{8}$/.test(String(value))),
  },
  // Further tables stand here once their routes do.
} as const satisfies Record<string, Readonly<Record<string, FieldRule>>>;

export type TableName = keyof typeof TABLES;
