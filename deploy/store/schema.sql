-- The store of many agents: six tables, written for ClickHouse 24.8 and later. `calltap hub --migrate --store URL` runs this file
-- (docs/fleet.md). Statements end with a semicolon at the end of a line; a comment has a line of its own.
--
-- A call has the key (host, boot, number): the agent, one run of it, and the number of the dialog in that run. Each row is
-- replaced by one of a greater `version`: read with FINAL. Times are UTC. `hour` is that of the first row of a call and
-- stays: no version lands in another partition. Readers may say so, which saves time:
-- SETTINGS do_not_merge_across_partitions_select_final = 1. Rows go after 30 days, by whole parts of a day or a week. Agents
-- delete what the store acknowledged, so an insert waits for the disk.
--
-- Later versions only add: `ALTER TABLE … ADD COLUMN IF NOT EXISTS` at the end, and the next number in the last statement.

-- Which calls were there: lists, filters, failures and times by trunk. `document` is what the agent itself answers.
CREATE TABLE IF NOT EXISTS calls
(
    host LowCardinality(String),
    boot LowCardinality(String),
    number UInt64 CODEC(Delta, ZSTD),
    version UInt64 CODEC(Delta, ZSTD),
    hour DateTime('UTC') CODEC(Delta, ZSTD),
    created_at DateTime64(6, 'UTC') CODEC(Delta, ZSTD),
    updated_at DateTime64(6, 'UTC') CODEC(Delta, ZSTD),
    stored_at DateTime64(3, 'UTC') MATERIALIZED now64(3) CODEC(Delta, ZSTD),
    call_id String CODEC(ZSTD),
    state LowCardinality(String),
    method LowCardinality(String),
    from_user String CODEC(ZSTD),
    to_user String CODEC(ZSTD),
    src String CODEC(ZSTD),
    dst String CODEC(ZSTD),
    trunk_in LowCardinality(String),
    trunk_out LowCardinality(String),
    code UInt16 CODEC(ZSTD),
    reason LowCardinality(String),
    pdd_ms Nullable(UInt32) CODEC(ZSTD),
    setup_ms Nullable(UInt32) CODEC(ZSTD),
    duration_sec Float64 CODEC(ZSTD),
    worst_mos Nullable(Float32) CODEC(ZSTD),
    worst_loss_pct Nullable(Float32) CODEC(ZSTD),
    worst_jitter_ms Nullable(Float32) CODEC(ZSTD),
    codecs Array(LowCardinality(String)),
    findings Array(LowCardinality(String)),
    transport LowCardinality(String),
    user_agent LowCardinality(String),
    ended_by LowCardinality(String),
    origin LowCardinality(String),
    messages UInt32 CODEC(ZSTD),
    document String CODEC(ZSTD)
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toDate(hour)
ORDER BY (hour, host, boot, number)
TTL hour + INTERVAL 30 DAY
SETTINGS ttl_only_drop_parts = 1, fsync_after_insert = 1, fsync_part_directory = 1;

-- Which calls have this Call-ID, identifier or number, on all days. `id` is half a digest; the text is compared after it.
-- Whole weeks: a look-up over all days touches a fourth of the files that days would have.
CREATE TABLE IF NOT EXISTS ids
(
    id FixedString(16) MATERIALIZED substring(SHA256(text), 1, 16) CODEC(ZSTD),
    text String CODEC(ZSTD),
    kind LowCardinality(String),
    hour DateTime('UTC') CODEC(ZSTD),
    host LowCardinality(String),
    boot LowCardinality(String),
    number UInt64 CODEC(ZSTD),
    version UInt64 CODEC(ZSTD)
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toMonday(hour)
ORDER BY (id, hour, host, boot, number, kind)
TTL hour + INTERVAL 30 DAY
SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1, fsync_after_insert = 1, fsync_part_directory = 1;

-- What a call said: one range of the key is one ladder, and an hour of all calls lies together for filters on what stands in
-- messages. `hour` is that of the call.
CREATE TABLE IF NOT EXISTS messages
(
    host LowCardinality(String),
    boot LowCardinality(String),
    number UInt64 CODEC(Delta, ZSTD),
    message UInt32 CODEC(Delta, ZSTD),
    version UInt64 CODEC(Delta, ZSTD),
    hour DateTime('UTC') CODEC(Delta, ZSTD),
    at DateTime64(6, 'UTC') CODEC(Delta, ZSTD),
    src String CODEC(ZSTD),
    dst String CODEC(ZSTD),
    transport LowCardinality(String),
    origin LowCardinality(String),
    summary String CODEC(ZSTD),
    notes Array(String) CODEC(ZSTD),
    text String CODEC(ZSTD)
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toDate(hour)
ORDER BY (hour, host, boot, number, message)
TTL hour + INTERVAL 30 DAY
SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1, fsync_after_insert = 1, fsync_part_directory = 1;

-- How the media of a call was, as a whole and window by window. Streams without a call have the number 0. When a call claims
-- one later, its row of that number gets 0 packets.
CREATE TABLE IF NOT EXISTS streams
(
    host LowCardinality(String),
    boot LowCardinality(String),
    number UInt64 CODEC(Delta, ZSTD),
    stream UInt64 CODEC(Delta, ZSTD),
    version UInt64 CODEC(Delta, ZSTD),
    hour DateTime('UTC') CODEC(Delta, ZSTD),
    ssrc UInt32,
    src String CODEC(ZSTD),
    dst String CODEC(ZSTD),
    codec LowCardinality(String),
    payload_type UInt8,
    packets UInt64 CODEC(ZSTD),
    octets UInt64 CODEC(ZSTD),
    jitter_ms Float32 CODEC(ZSTD),
    loss_pct Float32 CODEC(ZSTD),
    mos Nullable(Float32) CODEC(ZSTD),
    first_seen DateTime64(6, 'UTC') CODEC(Delta, ZSTD),
    last_seen DateTime64(6, 'UTC') CODEC(Delta, ZSTD),
    window_at Array(DateTime64(6, 'UTC')) CODEC(Delta, ZSTD),
    window_packets Array(UInt32) CODEC(ZSTD),
    window_jitter_ms Array(Float32) CODEC(ZSTD),
    window_loss_pct Array(Float32) CODEC(ZSTD),
    window_mos Array(Nullable(Float32)) CODEC(ZSTD)
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toDate(hour)
ORDER BY (hour, host, boot, number, stream)
TTL hour + INTERVAL 30 DAY
SETTINGS ttl_only_drop_parts = 1, fsync_after_insert = 1, fsync_part_directory = 1;

-- How each trunk did, minute by minute. Bin k has values up to (1.01 / 0.99)^k: sumMap merges bins.
CREATE TABLE IF NOT EXISTS minute
(
    host LowCardinality(String),
    boot LowCardinality(String),
    minute DateTime('UTC') CODEC(Delta, ZSTD),
    trunk LowCardinality(String),
    direction LowCardinality(String),
    version UInt64 CODEC(ZSTD),
    attempts UInt32 CODEC(ZSTD),
    answered UInt32 CODEC(ZSTD),
    effective UInt32 CODEC(ZSTD),
    codes Map(UInt16, UInt32) CODEC(ZSTD),
    talks UInt32 CODEC(ZSTD),
    talk_sec Float64 CODEC(ZSTD),
    most_talking UInt32 CODEC(ZSTD),
    retransmissions UInt32 CODEC(ZSTD),
    expected UInt64 CODEC(ZSTD),
    lost UInt64 CODEC(ZSTD),
    options_asked UInt32 CODEC(ZSTD),
    options_answered UInt32 CODEC(ZSTD),
    round_trip_ms Float64 CODEC(ZSTD),
    registrations_failed UInt32 CODEC(ZSTD),
    pdd_count UInt32 CODEC(ZSTD),
    pdd_sum Float64 CODEC(ZSTD),
    pdd_zero UInt32 CODEC(ZSTD),
    pdd_bins Map(Int32, UInt32) CODEC(ZSTD),
    mos_count UInt32 CODEC(ZSTD),
    mos_sum Float64 CODEC(ZSTD),
    mos_zero UInt32 CODEC(ZSTD),
    mos_bins Map(Int32, UInt32) CODEC(ZSTD)
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toDate(minute)
ORDER BY (minute, host, boot, trunk, direction)
TTL minute + INTERVAL 30 DAY
SETTINGS ttl_only_drop_parts = 1, fsync_after_insert = 1, fsync_part_directory = 1;

-- Which agents ship, since when, what they made and what they lost: one row a run of an agent.
CREATE TABLE IF NOT EXISTS agents
(
    host LowCardinality(String),
    boot LowCardinality(String),
    version UInt64,
    at DateTime64(3, 'UTC'),
    started_at DateTime64(3, 'UTC'),
    product String,
    api String,
    calls_begun UInt64,
    rows_made UInt64,
    rows_stored UInt64,
    losses Map(String, UInt64)
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (host, boot)
TTL toDateTime(at) + INTERVAL 30 DAY
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- Schema 2: what a hub asks of a call. `hints` is what is wrong in sentences. `trunk_in` and `trunk_out` are those of the first
-- message, `trunks` those of all that are kept. `numbers` are users of the Request-URI, P-Asserted-Identity and Diversion, since
-- schema 4 those of From and To too, and of all messages. `binding` is what a REGISTER binds, as JSON.
ALTER TABLE calls ADD COLUMN IF NOT EXISTS talk_ms Nullable(UInt32) CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS trunks Array(LowCardinality(String)),
    ADD COLUMN IF NOT EXISTS numbers Array(String) CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS hints Array(String) CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS binding String CODEC(ZSTD);

-- Schema 3: messages have the hour of their call. A table of an older schema is not sorted by it, and stays slow: make it new.
ALTER TABLE messages ADD COLUMN IF NOT EXISTS hour DateTime('UTC') DEFAULT toStartOfHour(toDateTime(at, 'UTC')) CODEC(Delta, ZSTD);

-- Schema 4: of a call an agent ships its document, and the columns that are no part of it. The store reads the others out of the
-- document. Agents of an older version ship these too.
ALTER TABLE calls ADD COLUMN IF NOT EXISTS retransmits UInt32 DEFAULT toUInt32(JSONExtractUInt(document, 'timing', 'retransmits')) CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS final_status_code UInt16 DEFAULT toUInt16(JSONExtractUInt(document, 'final_status_code')) CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS final_status_reason LowCardinality(String) DEFAULT JSONExtractString(document, 'final_status_reason'),
    ADD COLUMN IF NOT EXISTS frame String DEFAULT JSONExtractString(document, 'frame') CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS from_host String DEFAULT JSONExtractString(document, 'from_host') CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS to_host String DEFAULT JSONExtractString(document, 'to_host') CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS not_known LowCardinality(String);
ALTER TABLE calls MODIFY COLUMN created_at DEFAULT parseDateTime64BestEffortOrZero(JSONExtractString(document, 'created_at'), 6, 'UTC'),
    MODIFY COLUMN updated_at DEFAULT parseDateTime64BestEffortOrZero(JSONExtractString(document, 'updated_at'), 6, 'UTC'),
    MODIFY COLUMN call_id DEFAULT JSONExtractString(document, 'call_id'),
    MODIFY COLUMN state DEFAULT JSONExtractString(document, 'state'),
    MODIFY COLUMN method DEFAULT JSONExtractString(document, 'method'),
    MODIFY COLUMN from_user DEFAULT JSONExtractString(document, 'from'),
    MODIFY COLUMN to_user DEFAULT JSONExtractString(document, 'to'),
    MODIFY COLUMN pdd_ms DEFAULT JSONExtract(document, 'timing', 'pdd_ms', 'Nullable(UInt32)'),
    MODIFY COLUMN setup_ms DEFAULT JSONExtract(document, 'timing', 'setup_ms', 'Nullable(UInt32)'),
    MODIFY COLUMN duration_sec DEFAULT JSONExtractFloat(document, 'duration_sec'),
    MODIFY COLUMN origin DEFAULT JSONExtractString(document, 'input_origin'),
    MODIFY COLUMN messages DEFAULT toUInt32(JSONExtractUInt(document, 'msg_count'));

-- Whether a trunk is up, as its agent said when it made the row; '' in rows of earlier agents. Of one run the row with
-- the greatest version says it of now. `since` is when that began, the epoch where nothing says it.
ALTER TABLE minute ADD COLUMN IF NOT EXISTS state LowCardinality(String),
    ADD COLUMN IF NOT EXISTS since DateTime64(6, 'UTC') CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS outages UInt32 CODEC(ZSTD);

-- And what each payload type of a stream carried, where it changed: one place of each array a segment. Codec '', clock 0 and null are
-- unknown. `not_known` says why some of the loss is not known.
ALTER TABLE streams ADD COLUMN IF NOT EXISTS segment_from Array(DateTime64(6, 'UTC')) CODEC(Delta, ZSTD),
    ADD COLUMN IF NOT EXISTS segment_to Array(DateTime64(6, 'UTC')) CODEC(Delta, ZSTD),
    ADD COLUMN IF NOT EXISTS segment_payload_type Array(UInt8) CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS segment_codec Array(LowCardinality(String)),
    ADD COLUMN IF NOT EXISTS segment_clock_rate Array(UInt32) CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS segment_packet_ms Array(Nullable(Float64)) CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS segment_packets Array(UInt64) CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS segment_expected Array(UInt64) CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS segment_lost Array(UInt64) CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS segment_late Array(UInt64) CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS segment_jitter_ms Array(Float64) CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS segment_mos Array(Nullable(Float32)) CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS not_known String CODEC(ZSTD);

-- What all kept messages of a call say, each text once, at most 32 in an array and 256 characters of each. `domains` are
-- hosts of the Request-URI, From and To; `asserted` (P-Asserted-Identity) and `contacts` have URIs and users; `user_agents` are
-- those of User-Agent and Server; `reasons` the final phrase, Reason and Warning; `addresses` and `ports` are those of signaling,
-- and `addresses` of media too. Rows of earlier schemas have what other columns tell of the first message, else nothing. What the
-- row or its document has already is derived here.
ALTER TABLE calls ADD COLUMN IF NOT EXISTS tags Array(LowCardinality(String)) DEFAULT JSONExtract(document, 'tags', 'Array(String)'),
    ADD COLUMN IF NOT EXISTS from_display String DEFAULT JSONExtractString(document, 'from_display') CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS to_display String DEFAULT JSONExtractString(document, 'to_display') CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS src_host String DEFAULT replaceRegexpOne(src, '^\\[?(.*?)\\]?:\\d*$', '\\1') CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS dst_host String DEFAULT replaceRegexpOne(dst, '^\\[?(.*?)\\]?:\\d*$', '\\1') CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS request_uris Array(String) CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS domains Array(String) CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS asserted Array(String) CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS contacts Array(String) CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS user_agents Array(LowCardinality(String)) DEFAULT arrayFilter(x -> x != '', [user_agent]),
    ADD COLUMN IF NOT EXISTS reasons Array(String) DEFAULT arrayFilter(x -> x != '', [reason]) CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS addresses Array(String) DEFAULT arrayFilter(x -> x != '', [src_host, dst_host]) CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS ports Array(UInt16) DEFAULT arrayFilter(x -> x != 0, arrayMap(x -> toUInt16OrZero(splitByChar(':', x)[-1]), [src, dst])) CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS transports Array(LowCardinality(String)) DEFAULT arrayFilter(x -> x != '', [transport]),
    ADD COLUMN IF NOT EXISTS origins Array(LowCardinality(String)) DEFAULT arrayFilter(x -> x != '', [origin]);

-- This digest brings the parts of a call together. Texts of Call-IDs take three times as long.
ALTER TABLE calls ADD COLUMN IF NOT EXISTS call_hash UInt64 MATERIALIZED sipHash64(call_id) CODEC(NONE);

-- Schema 5: `cause` is what an expert says of a call first. `explanation` is all that is wrong with it by finding, as JSON; before it
-- `hints` had the sentences.
ALTER TABLE calls ADD COLUMN IF NOT EXISTS cause String CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS explanation String CODEC(ZSTD);

-- When nothing of a stream had to come: one place of each array a span, held or dropped by the capture.
ALTER TABLE streams ADD COLUMN IF NOT EXISTS span_kind Array(LowCardinality(String)),
    ADD COLUMN IF NOT EXISTS span_from Array(DateTime64(6, 'UTC')) CODEC(Delta, ZSTD),
    ADD COLUMN IF NOT EXISTS span_to Array(DateTime64(6, 'UTC')) CODEC(Delta, ZSTD);

-- Schema 6: the worst that phones and agents reported of a call; the document has their reports.
ALTER TABLE calls ADD COLUMN IF NOT EXISTS reported_mos Nullable(Float32) DEFAULT JSONExtract(document, 'reported', 'mos', 'Nullable(Float32)') CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS reported_loss_pct Nullable(Float32) DEFAULT JSONExtract(document, 'reported', 'loss_pct', 'Nullable(Float32)') CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS reported_jitter_ms Nullable(Float32) DEFAULT JSONExtract(document, 'reported', 'jitter_ms', 'Nullable(Float32)') CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS reported_rtt_ms Nullable(Float32) DEFAULT JSONExtract(document, 'reported', 'round_trip_ms', 'Nullable(Float32)') CODEC(ZSTD);

-- The number of this schema.
ALTER TABLE agents MODIFY COMMENT 'calltap schema 6';
