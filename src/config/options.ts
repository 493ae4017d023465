/** The one table of options: flag, environment variable, key of the file, default and help. */

import { SORT_KEYS } from '../core/call-fields.ts';
import { TRUNK_BOUNDS } from '../core/trunk-bounds.ts';
import { CREDENTIALS } from './credential-options.ts';
import { DIAGNOSIS } from './diagnosis-options.ts';
import { HUB } from './hub-options.ts';
import type { OptionSpec, Refusal } from './option-spec.ts';
import { address, choice, group, int, number, regexp, size, text, toggle, value } from './option-spec.ts';
import { SHIPPING } from './ship-options.ts';
import { SOURCES } from './source-options.ts';

/** API connections served at a time (`--api-max-conn`). @cap */
export const API_MAX_CONN = 100;

/** Rows of a page (`--api-max-rows`). @cap */
const API_MAX_ROWS = 1_000;

/**
 * Dialogs kept (`--max-dialogs`); store/dialogs/dialog-room.ts says which gives room to the next.
 *
 * @cap memory 60 MiB, dialogs_evicted: dialogs: 384 bytes each in columns, an object, a place in the indexes and lists
 */
export const MAX_DIALOGS = 100_000;

/**
 * RTP streams kept, candidates included (`--max-streams`); 512 bytes of native memory each.
 *
 * @cap memory 110 MiB, rtp_streams_refused: streams: 512 bytes of native memory each, 80 of facts, a place in the index,
 * RTCP
 */
const MAX_STREAMS = 100_000;

/**
 * Bytes of message text kept over all dialogs (`--message-log-bytes`).
 *
 * @cap memory 128 MiB, messages_evicted: messages, and 96 bytes for each
 */
const MESSAGE_LOG_BYTES = 128 * 1024 * 1024;

/**
 * Bytes of RTP kept for its audio, with --retain-audio (`--audio-bytes`).
 *
 * @cap option 256 MiB, audio_packets_overwritten: RTP payload, with `--retain-audio`
 */
const AUDIO_BYTES = 256 * 1024 * 1024;

/** `mos` and `-mos`, with every key. */
const SORTS = SORT_KEYS.flatMap((key) => [key, `-${key}`] as const);

const NO_TLS: Refusal = {
  reason: 'the API does not speak TLS itself',
  remedy: 'leave it out, bind --api to loopback and end TLS in a reverse proxy',
};

const OUTPUT = group('Output', {
  filter: value('FILTER', text, 'Show only the calls of this filter; --help filter explains it.'),
  sort: value('KEY', choice(...SORTS), 'Sort calls by this key; - in front of it sorts downwards.', {
    default: 'created',
  }),
  calls: toggle('Show only calls: dialogs that an INVITE opened.', { short: 'c' }),
  limit: value('N', int(1, 1_000_000_000), 'Show at most N calls or rows; a live capture ends after N calls.', {
    excludes: ['interactive', 'mcp-stdio', 'stats-json'],
  }),
  columns: value('LIST', text, 'Show these columns of the call table, such as row,from,to,mos.'),
  csv: toggle('Print the call table as CSV, or that of --show, --quality or --compare.'),
  color: value('WHEN', choice('auto', 'always', 'never'), 'Colour the output.', { default: 'auto' }),
  names: value('FILE', text, 'Show the names of addresses that this file has, in the format of /etc/hosts.', {
    repeatable: true,
    toml: 'general.names',
  }),
  name: value('ADDRESS=NAME', text, 'Show this name for an address or a network.', {
    repeatable: true,
    toml: 'general.name',
  }),
  utc: toggle('Show and read times in UTC instead of local time.'),
  json: toggle('Print a JSON object a dialog, or a row of another table.'),
  'stats-json': toggle('Print the statistics of the capture as JSON.'),
  'call-report': value('CALL', text, 'Print the report of one call.'),
  ladder: value('CALL', text, 'Draw the ladder of a call; repeat it to draw several calls as one.', {
    repeatable: true,
  }),
  messages: value('CALL[#N]', text, 'Print the messages of a call, or one of them; bare, of all calls.', {
    valueIfBare: 'all',
    takesNext: true,
  }),
  quality: value('CALL', text, 'Show how a call sounded over time, both directions.'),
  show: value(
    'WHAT',
    choice('findings', 'registrations', 'attackers', 'trunks', 'overview'),
    'Sum the calls up by this.',
  ),
  trunks: toggle('Sum the calls up by trunk; short for --show trunks.', {
    implies: { flag: 'show', value: 'trunks' },
  }),
  overview: toggle('Show calls over time, trunks, who called whom; short for --show overview.', {
    implies: { flag: 'show', value: 'overview' },
  }),
  compare: value('CALL', text, 'Compare two calls: give it twice.', { repeatable: true }),
  legs: toggle('Add the other legs of the call.'),
  'no-body': toggle('Leave the bodies of messages out.', { needs: ['messages'] }),
  raw: toggle('Print messages as bytes, to a pipe or a file only.', { needs: ['messages'], excludes: ['json'] }),
  'show-secrets': toggle('Show credentials and media keys in messages.', {
    needs: ['messages', 'sipp', 'interactive'],
  }),
  wav: value('CALL', text, 'Write the audio of a call to the file of --to.', {
    implies: { flag: 'retain-audio', value: 'true' },
    needs: ['to'],
  }),
  span: value('SPAN', text, 'Write this part of the audio: seconds such as 10..12, or worst.', { needs: ['wav'] }),
  sipp: value('CALL', text, 'Write SIPp scenarios that replay a call into the folder of --to.', { needs: ['to'] }),
  to: value('PATH', text, 'Write to this file or folder.', { needs: ['wav', 'sipp', 'html'] }),
  force: toggle('Replace files of --to that are there already.', { needs: ['to'] }),
  markdown: toggle('Format the call report as Markdown.', { needs: ['call-report'] }),
  html: toggle('Make the call report a page for somebody without access: one HTML file.', {
    needs: ['call-report'],
    excludes: ['markdown'],
  }),
  'show-frame': value('POINTER', text, 'Print the frame of this pointer: <source>#<ordinal>@<digest>.'),
});

const API_METRICS = group('API and metrics', {
  api: value('ADDR', address, 'Serve the HTTP API on this address; port 0 picks a free port.', {
    feature: 'api',
    toml: 'api.listen',
  }),
  ask: toggle('Serve /ask too: rich questions about calls, with the credentials of --api.', {
    toml: 'api.ask',
    needs: ['api'],
  }),
  console: toggle('Serve the web console at /console/, with the data of /ask.', {
    feature: 'console',
    implies: { flag: 'ask', value: 'true' },
    toml: 'api.console',
    needs: ['api'],
  }),
  mcp: toggle('Serve /mcp too: the tools of agents (Model Context Protocol).', {
    feature: 'mcp',
    toml: 'api.mcp',
    needs: ['api'],
  }),
  'api-max-rows': value('N', int(1, 100_000), 'Return at most N rows per page.', {
    default: String(API_MAX_ROWS),
    toml: 'api.max_rows',
  }),
  'api-max-conn': value('N', int(1, 65_535), 'Serve at most N connections at a time, and answer 503 to more.', {
    default: String(API_MAX_CONN),
    toml: 'api.max_conn',
  }),
  metrics: value('ADDR', address, 'Serve only the metrics on this address.', {
    feature: 'metrics',
    toml: 'metrics.listen',
  }),
  'metrics-families': value('GROUPS', text, 'Show these groups of metrics, such as default,calls; or all.', {
    feature: 'metrics',
    default: 'default',
    toml: 'metrics.families',
  }),
  'metrics-exemplars': toggle('Show Call-IDs beside histograms, to who takes OpenMetrics.', {
    feature: 'metrics',
    toml: 'metrics.exemplars',
  }),
  'peer-ctl': value('PATH', text, 'Run this control program of the peer instead of the one in PATH.', {
    feature: 'peer',
    toml: 'peer.ctl',
  }),
  'peer-db': value('PATH', text, 'Pass this database to the control program.', { feature: 'peer', toml: 'peer.db' }),
});

/** Options that people look for and that there are not. */
const REFUSED = group('API and metrics', {
  'api-tls-cert': value('FILE', text, 'End TLS in a reverse proxy instead.', { toml: 'api.tls_cert', refusal: NO_TLS }),
  'api-tls-key': value('FILE', text, 'End TLS in a reverse proxy instead.', { toml: 'api.tls_key', refusal: NO_TLS }),
});

const ANALYSIS = group('Analysis', {
  'quality-interval': value('SECS', int(1, 5), 'Measure quality in windows of this length.', {
    default: '5',
    toml: 'analysis.quality_interval',
  }),
  trunk: value('PLACE=NAME', text, 'Call the trunk at this address, network or domain by this name.', {
    repeatable: true,
    toml: 'analysis.trunk',
  }),
  'trunk-local': value('CIDR', text, 'Count this network to our own side, and to no trunk.', {
    repeatable: true,
    toml: 'analysis.trunk_local',
  }),
  'trunk-down-after': value('N', int(1, 1_000), 'Call a trunk down after N OPTIONS in a row without any answer.', {
    default: '3',
    toml: 'analysis.trunk_down_after',
  }),
  'trunk-ner': value('BAD..GOOD', text, 'Call a trunk refusing by the NER of its last calls, in percent.', {
    default: TRUNK_BOUNDS.ner.usual,
    toml: 'trunks.ner',
  }),
  'trunk-mos': value('BAD..GOOD', text, 'Report a trunk whose calls sound bad, by MOS p05.', {
    default: TRUNK_BOUNDS.mos.usual,
    toml: 'trunks.mos',
  }),
  'trunk-pdd': value('BAD..GOOD', text, 'Report a trunk whose callers wait, by PDD p95 in seconds.', {
    default: TRUNK_BOUNDS.pdd.usual,
    toml: 'trunks.pdd',
  }),
  'trunk-registrations': value('BAD..GOOD', text, 'Report a trunk whose registrations fail, in percent.', {
    default: TRUNK_BOUNDS.registrations.usual,
    toml: 'trunks.registrations',
  }),
  'trunk-limit': value('NAME=N', text, 'Allow this trunk N calls at a time, for its utilisation in the metrics.', {
    repeatable: true,
    toml: 'trunks.limit',
  }),
  'device-class': value('NAME=REGEXP', text, 'Call phones whose User-Agent matches by this name, in the metrics.', {
    repeatable: true,
    toml: 'metrics.device_class',
  }),
  'country-code': value('CC', text, 'Read national numbers as of this country, in the metrics.', {
    toml: 'metrics.country_code',
  }),
  'call-id-header': value(
    'NAME[=~PATTERN]',
    { kind: 'call-id-header' },
    'Find other legs by this header, or by what a group finds in it.',
    { repeatable: true, toml: 'analysis.call_id_header' },
  ),
  'lint-suppress': value('RULE', text, 'Skip this lint rule.', { repeatable: true, toml: 'analysis.lint_suppress' }),
  'retain-audio': toggle('Keep RTP payload to export audio.', { toml: 'analysis.retain_audio' }),
  'audio-bytes': value(
    'BYTES',
    size(2 * 1024 * 1024, 64 * 1024 ** 3),
    'Keep at most this much payload for --retain-audio.',
    { default: String(AUDIO_BYTES), toml: 'limits.audio_bytes' },
  ),
  'stir-shaken': toggle('Log the freshness of Identity tokens, without checking signatures.', {
    feature: 'tls',
    toml: 'analysis.stir_shaken',
  }),
});

const HOOKS_SECURITY = group('Hooks and security', {
  'on-dialog-exec': value(
    'COMMAND',
    text,
    'Run a command when a dialog changes state, with JSON on its standard input.',
    { toml: 'hooks.on_dialog_exec' },
  ),
  'on-quality-exec': value('COMMAND', text, 'Run a command when RTP quality drops, with JSON on its standard input.', {
    toml: 'hooks.on_quality_exec',
  }),
  'on-trunk-exec': value(
    'COMMAND',
    text,
    'Run a command when a named trunk gets into trouble, and when that is over.',
    {
      toml: 'hooks.on_trunk_exec',
    },
  ),
  'quality-threshold': value('MOS', number(1, 5), 'Run --on-quality-exec below this MOS.', {
    default: '3.5',
    toml: 'hooks.quality_threshold',
  }),
  'exec-rate-limit': value('N', int(1, 10_000), 'Run at most N commands a second for each hook.', {
    default: '10',
    toml: 'hooks.exec_rate_limit',
  }),
  'kill-scanner': toggle('Detect SIP scanners and registration floods.', { toml: 'security.kill_scanner' }),
  'kill-ua': value('REGEXP', regexp, 'Treat user agents that match as scanners.', { toml: 'security.kill_ua' }),
  'kill-response': value('CODE', int(200, 699), 'Answer scanners on UDP with this SIP status; without a value, 200.', {
    valueIfBare: '200',
    toml: 'security.kill_response',
    needs: ['kill-scanner'],
  }),
  fail2ban: toggle('Print a line for fail2ban for each scanner and flood.', { toml: 'security.fail2ban' }),
  alert: value('KIND', choice('syslog'), 'Send alerts to syslog (with --syslog).', { toml: 'security.alert' }),
  syslog: toggle('Use syslog with facility local0.', { toml: 'security.syslog', needs: ['alert'] }),
  'syslog-socket': value('PATH', text, 'Send to this socket of the syslog daemon.', {
    default: '/dev/log',
    toml: 'security.syslog_socket',
  }),
  'security-peer': value('CIDR', text, 'Never report and never answer this network, or the trunk of this name.', {
    repeatable: true,
    toml: 'security.peers',
  }),
  'security-mirrored': toggle('Judge HEP and probes too; use it only with trusted HEP senders.', {
    toml: 'security.mirrored',
  }),
  fraud: toggle('Detect toll fraud: spikes, number sequences, short calls, calls at night.', {
    toml: 'security.fraud',
  }),
  'fraud-night': value('HOURS', text, 'Count these hours of local time as night, such as 22-6.', {
    toml: 'security.fraud_night',
    needs: ['fraud'],
  }),
});

const LIMITS = group('Limits', {
  'max-dialogs': value('N', int(1, 10_000_000), 'Keep at most N dialogs; evict strangers first, answered calls last.', {
    default: String(MAX_DIALOGS),
    toml: 'limits.max_dialogs',
  }),
  'max-streams': value('N', int(1, 10_000_000), 'Keep at most N RTP streams; refuse and count the rest.', {
    default: String(MAX_STREAMS),
    toml: 'limits.max_streams',
  }),
  'message-log-bytes': value(
    'SIZE',
    size(65_536, 64 * 1024 ** 3),
    'Keep at most this much message text of all dialogs.',
    { default: `${MESSAGE_LOG_BYTES / 1024 ** 2}M`, toml: 'limits.message_log_bytes' },
  ),
});

const GENERAL = group('General', {
  config: value('FILE', text, 'Read options from a TOML file.', { env: 'CALLTAP_CONFIG' }),
  'print-config': toggle('Print the effective options as TOML and exit.'),
  version: toggle('Print the version and the features of this build, and exit.', { short: 'V' }),
  help: value(
    'TOPIC',
    choice('options', 'filter', 'findings'),
    'Print every option, or explain filters or findings; -h prints examples.',
    {
      short: 'h',
      valueIfBare: 'options',
      takesNext: true,
    },
  ),
  interactive: toggle('Show calls, ladders and messages on the whole terminal.', {
    short: 'i',
    excludes: ['api', 'metrics'],
    clash: { reason: 'a service has no screen', remedy: 'leave one of them out' },
  }),
  'mcp-stdio': toggle('Speak MCP on standard input and output; `calltap mcp FILE` is short for it.', {
    feature: 'mcp',
    excludes: ['api', 'metrics'],
    clash: { reason: 'a service speaks MCP over HTTP', remedy: 'leave it out, or give --mcp with --api' },
  }),
  connect: value('URL', text, 'Show the calls of a running service as -i does; bare, of that of this host.', {
    valueIfBare: 'local',
    takesNext: true,
  }),
  log: value('FILE', text, 'Append to this file what -i keeps from standard error and standard output.', {
    needs: ['interactive'],
  }),
  'no-interface': toggle('Accept the -N of sngrep: without -i calltap prints a table.', {
    isHidden: true,
    short: 'N',
    excludes: ['interactive'],
  }),
});

/** The rows whose values are members of the configuration; DIAGNOSIS is its member `thresholds`. */
export const TABLE = {
  ...SOURCES,
  ...SHIPPING,
  ...OUTPUT,
  ...API_METRICS,
  ...CREDENTIALS,
  ...ANALYSIS,
  ...HOOKS_SECURITY,
  ...HUB,
  ...LIMITS,
  ...GENERAL,
};

export type Flag = keyof typeof TABLE;

/** Every row, group by group: the options, and keys that the configuration file alone has. */
export const ROWS: readonly OptionSpec[] = [
  SOURCES,
  SHIPPING,
  OUTPUT,
  API_METRICS,
  REFUSED,
  CREDENTIALS,
  ANALYSIS,
  DIAGNOSIS,
  HOOKS_SECURITY,
  HUB,
  LIMITS,
  GENERAL,
].flatMap((rows) => Object.values<OptionSpec>(rows));

/** What can stand on the command line. */
export const OPTIONS = ROWS.filter(({ isKeyOnly }) => isKeyOnly !== true);

/** The option of this flag; asking for one that is not in the table is a bug. */
export function optionByFlag(name: string): OptionSpec {
  const spec = OPTIONS.find((option) => option.flag === name);
  if (spec === undefined) throw new Error(`no option --${name} in the table`);
  return spec;
}
