/** The one table of options: flag, environment variable, configuration key, default and help of each. */

import {
  API_MAX_CONN,
  API_MAX_ROWS,
  AUDIO_BYTES,
  HEP_AGENT_ID,
  HEP_RATE_LIMIT,
  MAX_DIALOGS,
  MAX_STREAMS,
  MESSAGE_LOG_BYTES,
} from '../core/limits.ts';
import { DIAGNOSIS } from './diagnosis-options.ts';
import type { OptionSpec, Refusal } from './option-spec.ts';
import { group, toggle, value } from './option-spec.ts';
import type { OptionType } from './option-value.ts';

const text: OptionType = { kind: 'string' };
const address: OptionType = { kind: 'address' };
const ports: OptionType = { kind: 'portrange' };
const regexp: OptionType = { kind: 'regexp' };
const int = (min: number, max: number): OptionType => ({ kind: 'int', min, max });
const number = (min: number, max: number): OptionType => ({ kind: 'number', min, max });
const size = (min: number, max: number): OptionType => ({ kind: 'size', min, max });
const choice = (...values: readonly string[]): OptionType => ({ kind: 'choice', values });
const bearerSecret: OptionType = { kind: 'secret', form: 'bearer' };
const textSecret: OptionType = { kind: 'secret', form: 'text' };
const userPass: OptionType = { kind: 'secret', form: 'user-pass' };

/** Lifetime of a minted token in seconds (`--api-token-ttl`). */
const TOKEN_TTL_SECS = 3_600;

const NO_TLS: Refusal = {
  reason: 'the API does not speak TLS itself',
  remedy: 'leave it out, bind --api to loopback and end TLS in a reverse proxy in front of it',
};

const SOURCES: readonly OptionSpec[] = group('Sources', [
  value('device', 'IFACE', text, 'Capture live from an interface, or from any.', {
    short: 'd',
    repeatable: true,
    feature: 'live',
    toml: 'capture.device',
    env: 'CALLTAP_DEVICE',
  }),
  toggle('no-promisc', 'Capture only what is for this host: no promiscuous mode.', {
    feature: 'live',
    toml: 'capture.no_promisc',
  }),
  value('input', 'FILE', text, 'Read a capture file (pcap or pcapng); - reads standard input.', {
    short: 'I',
    repeatable: true,
    toml: 'capture.input',
  }),
  value('hep-listen', 'ADDR', address, 'Receive HEP on this address, by UDP and by TCP without TLS (with -E).', {
    short: 'L',
    feature: 'hep',
    toml: 'hep.listen',
  }),
  toggle('hep-decode', 'Decode HEP packets and analyse what they carry.', { short: 'E', toml: 'hep.decode' }),
  value('hep-allow', 'CIDR', text, 'Accept HEP only from these senders.', {
    repeatable: true,
    toml: 'hep.allow',
  }),
  value('hep-rate-limit', 'N', int(1, 100_000_000), 'Accept at most N HEP packets a second, all senders together.', {
    default: String(HEP_RATE_LIMIT),
    toml: 'hep.rate_limit',
  }),
  value('hep-auth', 'KEY', textSecret, 'Accept only HEP packets with this key (better in the environment).', {
    env: 'CALLTAP_HEP_AUTH',
  }),
  value('hep-send', 'ADDR', address, 'Mirror captured signaling to a HEP collector.', {
    short: 'H',
    feature: 'hep',
    toml: 'hep.send',
  }),
  value('hep-id', 'N', int(0, 4_294_967_295), 'Capture agent id of what is mirrored.', {
    default: String(HEP_AGENT_ID),
    toml: 'hep.id',
  }),
  value('hep-node', 'NAME', text, 'Node name of what is mirrored; the host name otherwise.', { toml: 'hep.node' }),
  value('hep-send-auth', 'KEY', textSecret, 'Key sent with what is mirrored (better in the environment).', {
    env: 'CALLTAP_HEP_SEND_AUTH',
  }),
  value('uprobe', 'PID|PATH|all', text, 'Read SIP over TLS at the TLS library of running servers.', {
    repeatable: true,
    valueIfBare: 'all',
    toml: 'capture.uprobe',
  }),
  value('uprobe-comm', 'REGEXP', regexp, 'Observe only processes whose name or program fits (RE2).', {
    toml: 'capture.uprobe_comm',
  }),
  value(
    'uprobe-ring-bytes',
    'SIZE',
    size(65_536, 1024 ** 3),
    'Ring of TLS events in the kernel; by memory otherwise.',
    {
      toml: 'limits.uprobe_ring_bytes',
    },
  ),
  toggle('uprobe-list', 'Print what can be observed on this host, and why not.'),
  value('output', 'FILE', text, 'Write captured frames to a file (pcap, or pcapng by its name).', {
    short: 'O',
    toml: 'capture.output',
  }),
  value('split', 'SIZE|TIME', { kind: 'split' }, 'Begin the next file at this size or after this time (100M, 1h).', {
    toml: 'capture.split',
  }),
  value('user', 'NAME', text, 'Go on as this user once sockets and listeners are open.', { toml: 'general.user' }),
  value('portrange', 'PORTS', ports, 'Ports whose SIP is analysed; SIP elsewhere is counted.', {
    default: '5060-5061',
    toml: 'capture.portrange',
  }),
  value('ws-portrange', 'PORTS', ports, 'Ports whose SIP over WebSocket is analysed.', {
    default: '80,443,8080,8443',
    toml: 'capture.ws_portrange',
  }),
  toggle('decode-esp-null', 'Look into ESP with NULL encryption.', { toml: 'capture.decode_esp_null' }),
]);

const OUTPUT: readonly OptionSpec[] = group('Output', [
  toggle('json', 'Print one JSON object a dialog.'),
  toggle('stats-json', 'Print the statistics of the capture as JSON.'),
  value('call-report', 'CALL_ID', text, 'Print the report of one dialog.'),
  toggle('markdown', 'Lay the call report out in Markdown.'),
  value('show-frame', 'POINTER', text, 'Print the frame that <source>#<ordinal>@<digest> names.'),
]);

const API_METRICS: readonly OptionSpec[] = group('API and metrics', [
  value('api', 'ADDR', address, 'Serve the HTTP API on this address (port 0 picks one).', {
    feature: 'api',
    toml: 'api.listen',
  }),
  value('api-max-rows', 'N', int(1, 100_000), 'Rows of a page at most.', {
    default: String(API_MAX_ROWS),
    toml: 'api.max_rows',
  }),
  value('api-max-conn', 'N', int(1, 65_535), 'Connections served at a time; more are answered 503.', {
    default: String(API_MAX_CONN),
    toml: 'api.max_conn',
  }),
  value('api-tls-cert', 'FILE', text, 'Refused: a reverse proxy ends TLS.', { toml: 'api.tls_cert', later: NO_TLS }),
  value('api-tls-key', 'FILE', text, 'Refused: a reverse proxy ends TLS.', { toml: 'api.tls_key', later: NO_TLS }),
  value('metrics', 'ADDR', address, 'Serve the metrics alone on this address.', {
    feature: 'metrics',
    toml: 'metrics.listen',
  }),
  value('peer-ctl', 'PATH', text, 'Control program of the peer; else one on the search path.', {
    feature: 'peer',
    toml: 'peer.ctl',
  }),
  value('peer-db', 'PATH', text, 'Database that program is told to use.', { feature: 'peer', toml: 'peer.db' }),
]);

const CREDENTIALS: readonly OptionSpec[] = group('Credentials', [
  value('api-key', 'KEY', bearerSecret, 'Static API key (better given in the environment).', {
    env: 'SERVICE_API_KEY',
  }),
  value('api-signing-key', 'KEY', textSecret, 'Key that signs and verifies tokens; the first one mints.', {
    repeatable: true,
    env: 'SERVICE_API_SIGNING_KEY',
  }),
  value('api-signing-key-file', 'FILE', text, 'Read one more from a file; it goes first, so it mints.', {
    toml: 'api.signing_key_file',
  }),
  value('api-token-ttl', 'SECS', int(1, 315_360_000), 'Lifetime of a minted token.', {
    default: String(TOKEN_TTL_SECS),
    toml: 'api.token_ttl',
  }),
  value('api-revoked-file', 'FILE', text, 'Ids of revoked tokens, one a line; read again on change.', {
    toml: 'api.revoked_file',
  }),
  toggle('mint-token', 'Print a signed token and exit.'),
  value('token-id', 'ID', { kind: 'token-id' }, 'Id of the minted token; a random one otherwise.'),
  value('token-scope', 'SCOPE', choice('full', 'metrics'), 'What the minted token reaches: full or metrics.', {
    default: 'full',
  }),
  value('mcp-signing-key', 'KEY', textSecret, 'Mint for MCP, which this version does not serve.', {
    repeatable: true,
    env: 'SERVICE_MCP_SIGNING_KEY',
  }),
  value('metrics-auth', 'USER:PASS', userPass, 'HTTP Basic credentials of the metrics server.', {
    env: 'CALLTAP_METRICS_AUTH',
  }),
  value('metrics-auth-file', 'FILE', text, 'Read those credentials from a file.', { toml: 'metrics.auth_file' }),
]);

const ANALYSIS: readonly OptionSpec[] = group('Analysis', [
  value('quality-interval', 'SECS', int(1, 5), 'Window of the quality intervals: the five seconds, or fewer.', {
    default: '5',
    toml: 'analysis.quality_interval',
  }),
  value(
    'call-id-header',
    'NAME',
    { kind: 'header-name' },
    'Header that carries the Call-ID of another leg, beside X-Call-ID and X-CID.',
    {
      repeatable: true,
      toml: 'analysis.call_id_header',
    },
  ),
  value('lint-suppress', 'RULE', text, 'Lint rule that is not run.', {
    repeatable: true,
    toml: 'analysis.lint_suppress',
  }),
  toggle('retain-audio', 'Keep RTP payload so that audio can be exported.', { toml: 'analysis.retain_audio' }),
  value(
    'audio-bytes',
    'BYTES',
    size(2 * 1024 * 1024, 64 * 1024 ** 3),
    'Memory for the payload that --retain-audio keeps.',
    {
      default: String(AUDIO_BYTES),
      toml: 'limits.audio_bytes',
    },
  ),
  toggle('stir-shaken', 'Log the freshness of Identity tokens (no signature is checked).', {
    feature: 'tls',
    toml: 'analysis.stir_shaken',
  }),
]);

const HOOKS_SECURITY: readonly OptionSpec[] = group('Hooks and security', [
  value('on-dialog-exec', 'COMMAND', text, 'Run a command when a dialog changes state; JSON on its standard input.', {
    toml: 'hooks.on_dialog_exec',
  }),
  value('on-quality-exec', 'COMMAND', text, 'Run a command when RTP quality drops; JSON on its standard input.', {
    toml: 'hooks.on_quality_exec',
  }),
  value('quality-threshold', 'MOS', number(1, 5), 'MOS below which --on-quality-exec runs.', {
    default: '3.5',
    toml: 'hooks.quality_threshold',
  }),
  value('exec-rate-limit', 'N', int(1, 10_000), 'Commands run in a second at most, of each hook.', {
    default: '10',
    toml: 'hooks.exec_rate_limit',
  }),
  toggle('kill-scanner', 'Detect SIP scanners and registration floods.', { toml: 'security.kill_scanner' }),
  value('kill-ua', 'REGEXP', regexp, 'User agents that count as scanners.', { toml: 'security.kill_ua' }),
  value('kill-response', 'CODE', int(200, 699), 'Answer a scanner on UDP with this SIP status; 200 without one.', {
    valueIfBare: '200',
    toml: 'security.kill_response',
  }),
  toggle('fail2ban', 'Print a line for fail2ban for each scanner and flood.', { toml: 'security.fail2ban' }),
  value('alert', 'KIND', choice('syslog'), 'Send alerts (syslog, with --syslog).', { toml: 'security.alert' }),
  toggle('syslog', 'Use syslog, facility local0.', { toml: 'security.syslog' }),
  value('syslog-socket', 'PATH', text, 'Socket of the syslog daemon.', {
    default: '/dev/log',
    toml: 'security.syslog_socket',
  }),
  value('security-peer', 'CIDR', text, 'Declared peers: never reported, never answered.', {
    repeatable: true,
    toml: 'security.peers',
  }),
  toggle('security-mirrored', 'Judge what HEP and probes report too; the senders of HEP must be trusted.', {
    toml: 'security.mirrored',
  }),
  toggle('fraud', 'Look for toll fraud: spikes, number sequences, short calls, calls at night.', {
    toml: 'security.fraud',
  }),
  value('fraud-night', 'HOURS', text, 'Hours of local time in which calls abroad are unusual, as 22-6.', {
    toml: 'security.fraud_night',
  }),
]);

const LIMITS: readonly OptionSpec[] = group('Limits', [
  value('max-dialogs', 'N', int(1, 10_000_000), 'Dialogs kept; strangers give room first, answered calls last.', {
    default: String(MAX_DIALOGS),
    toml: 'limits.max_dialogs',
  }),
  value('max-streams', 'N', int(1, 10_000_000), 'RTP streams kept; beyond them a new one is refused and counted.', {
    default: String(MAX_STREAMS),
    toml: 'limits.max_streams',
  }),
  value('message-log-bytes', 'SIZE', size(65_536, 64 * 1024 ** 3), 'Message text kept over all dialogs.', {
    default: `${MESSAGE_LOG_BYTES / 1024 ** 2}M`,
    toml: 'limits.message_log_bytes',
  }),
]);

const GENERAL: readonly OptionSpec[] = group('General', [
  value('config', 'FILE', text, 'Read options from a TOML file.', { env: 'CALLTAP_CONFIG' }),
  toggle('print-config', 'Print the options in force as TOML and exit.'),
  toggle('version', 'Print the version and what is built in, and exit.', { short: 'V' }),
  toggle('help', 'Print this help and exit.', { short: 'h' }),
]);

export const OPTIONS: readonly OptionSpec[] = [
  ...SOURCES,
  ...OUTPUT,
  ...API_METRICS,
  ...CREDENTIALS,
  ...ANALYSIS,
  ...DIAGNOSIS,
  ...HOOKS_SECURITY,
  ...LIMITS,
  ...GENERAL,
];

/** The option of this flag; asking for one that is not in the table is a bug. */
export function optionByFlag(name: string): OptionSpec {
  const spec = OPTIONS.find((option) => option.flag === name);
  if (spec === undefined) throw new Error(`no option --${name} in the table`);
  return spec;
}
