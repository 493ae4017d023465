/** Rows of the table of options: what is captured and read, and what is mirrored. */
import {
  address,
  files,
  group,
  int,
  ports,
  regexp,
  size,
  text,
  textSecret,
  time,
  toggle,
  value,
} from './option-spec.ts';

/** Collectors of `-H`. @cap */
export const MAX_COLLECTORS = 8;

/** Bytes of a file of `--hep-spool`. @cap */
export const HEP_SPOOL_FILE_BYTES = 1024 * 1024;

/** Files that `--keep` may keep of a split; 48 bytes of memory each. @cap */
export const MAX_KEPT_FILES = 100_000;

/** Capture agent id of mirrored packets (`--hep-id`): the one that collectors' examples use. @cap */
const HEP_AGENT_ID = 2001;

/** HEP packets a second that are accepted, all senders together (`--hep-rate-limit`). @cap */
const HEP_RATE_LIMIT = 50_000;

/** Bytes on disk that wait for a collector that is away (`--hep-spool-bytes`). @cap */
const HEP_SPOOL_BYTES = 1024 ** 3;

/** What `--anonymize` says where no file is named: a key that nobody keeps. */
export const NEW_KEY = '-';

const OF_PROBES = { needs: ['uprobe', 'uprobe-list', 'check'], of: 'service' } as const;

export const SOURCES = group('Sources', {
  device: value('IFACE', text, 'Capture from an interface, or from all of them with any.', {
    short: 'd',
    repeatable: true,
    feature: 'live',
    toml: 'capture.device',
    env: 'CALLTAP_DEVICE',
  }),
  'no-promisc': toggle('Leave the interfaces out of promiscuous mode.', {
    feature: 'live',
    toml: 'capture.no_promisc',
    needs: ['device'],
    of: 'service',
  }),
  input: value('FILE', text, 'Read a file, a folder, a pattern or - (standard input); -I is optional.', {
    short: 'I',
    repeatable: true,
    toml: 'capture.input',
    excludes: ['device', 'hep-listen', 'uprobe'],
    clash: {
      reason: 'a run reads capture files or live sources, not both',
      remedy: 'leave out the files, or -d, -L and --uprobe',
    },
  }),
  bpf: value('EXPR', text, "Analyse only packets that match tcpdump's filter expression.", {
    toml: 'capture.bpf',
    needs: ['input', 'device'],
    unmet: { reason: 'it filters the packets of files and interfaces' },
  }),
  'hep-listen': value('ADDR', address, 'Receive HEP on this address, over UDP and over TCP without TLS (with -E).', {
    short: 'L',
    feature: 'hep',
    toml: 'hep.listen',
    needs: ['hep-decode'],
  }),
  'hep-decode': toggle('Decode HEP packets and analyse what they carry.', { short: 'E', toml: 'hep.decode' }),
  'hep-listen-cert': value('FILE', text, 'Take HEP over TLS instead of plain TCP, with this certificate chain (PEM).', {
    toml: 'hep.listen_cert',
    needs: ['hep-listen'],
  }),
  'hep-listen-key': value('FILE', text, 'Read the private key of this certificate from a file (PEM).', {
    toml: 'hep.listen_key',
    needs: ['hep-listen-cert'],
  }),
  'hep-listen-client-ca': value('FILE', text, 'Take HEP over TLS alone, from agents that these CAs certify (PEM).', {
    toml: 'hep.listen_client_ca',
    needs: ['hep-listen-cert'],
  }),
  'hep-allow': value('CIDR', text, 'Accept HEP only from this network.', {
    repeatable: true,
    toml: 'hep.allow',
    needs: ['hep-listen'],
  }),
  'hep-rate-limit': value(
    'N',
    int(1, 100_000_000),
    'Accept at most N HEP packets a second from all senders together.',
    { default: String(HEP_RATE_LIMIT), toml: 'hep.rate_limit' },
  ),
  'hep-auth': value('KEY', textSecret, 'Accept only HEP packets with this key; set it in the environment.', {
    env: 'CALLTAP_HEP_AUTH',
    needs: ['hep-listen'],
  }),
  'hep-send': value(
    'ADDR',
    { kind: 'collector' },
    'Mirror signaling to a HEP collector by UDP, or tcp://ADDR or tls://ADDR.',
    { short: 'H', repeatable: true, feature: 'hep', toml: 'hep.send', env: 'CALLTAP_HEP_SEND' },
  ),
  'hep-failover': toggle('Mirror to the first collector of -H that is there, instead of to all.', {
    toml: 'hep.failover',
  }),
  'hep-rtp-reports': toggle('Mirror the measured quality of RTP streams too, a report a window.', {
    toml: 'hep.rtp_reports',
    needs: ['hep-send'],
  }),
  'export-uprobe': toggle('Mirror and ship SIP that --uprobe reads too; else it stays on this host.', {
    toml: 'hep.export_uprobe',
    needs: ['hep-send', 'ship'],
  }),
  'hep-ca': value('FILE', text, 'Trust the CA of this PEM file too, for -H over TLS.', { toml: 'hep.ca' }),
  'hep-cert': value('FILE', text, 'Show the collector this certificate (PEM), for -H over TLS.', {
    toml: 'hep.cert',
    needs: ['hep-key'],
  }),
  'hep-key': value('FILE', text, 'Read the private key of --hep-cert (PEM).', {
    toml: 'hep.key',
    needs: ['hep-cert'],
  }),
  'hep-spool': value('DIR', text, 'Keep messages in this folder while a collector is away.', {
    toml: 'hep.spool',
    needs: ['hep-send'],
  }),
  'hep-spool-bytes': value(
    'SIZE',
    size(HEP_SPOOL_FILE_BYTES, 1024 ** 5),
    'Keep at most this much of them for each collector; the oldest go first.',
    { default: `${HEP_SPOOL_BYTES / 1024 ** 3}G`, toml: 'hep.spool_bytes' },
  ),
  'hep-id': value('N', int(0, 4_294_967_295), 'Send this capture agent id to the collector.', {
    default: String(HEP_AGENT_ID),
    toml: 'hep.id',
  }),
  'hep-node': value('NAME', text, 'Send this node name to the collector instead of the host name.', {
    toml: 'hep.node',
    needs: ['hep-send'],
  }),
  'hep-send-auth': value('KEY', textSecret, 'Send this key to the collector; set it in the environment.', {
    env: 'CALLTAP_HEP_SEND_AUTH',
    needs: ['hep-send'],
  }),
  uprobe: value('PID|PATH|all', text, 'Read SIP over TLS at the TLS library of running servers.', {
    repeatable: true,
    valueIfBare: 'all',
    toml: 'capture.uprobe',
  }),
  'uprobe-comm': value('REGEXP', regexp, 'Observe only processes whose name or program matches (RE2).', {
    toml: 'capture.uprobe_comm',
    implies: { flag: 'uprobe', value: 'all' },
  }),
  'uprobe-offsets': value('FILE', text, 'Read addresses of TLS functions from lines such as /opt/sbc SSL_read=0x10.', {
    toml: 'capture.uprobe_offsets',
    ...OF_PROBES,
  }),
  'uprobe-ring-bytes': value(
    'SIZE',
    size(65_536, 1024 ** 3),
    'Set the size of the kernel ring for TLS events instead of 1/128 of memory.',
    { toml: 'limits.uprobe_ring_bytes', ...OF_PROBES },
  ),
  'uprobe-list': toggle('List the processes that --uprobe can observe, and why not the others.'),
  check: toggle('Say what this host offers calltap, what it lacks, and what to do.'),
  for: value('TIME', time, 'End the live capture after this time (60s, 2h), as Ctrl-C does.', {
    needs: ['device', 'hep-listen', 'uprobe'],
    unmet: { reason: 'a capture file ends by itself', remedy: 'leave it out, or add -d IFACE' },
  }),
  output: value('FILE', text, 'Write captured frames to a file: pcapng if its name ends so, else pcap.', {
    short: 'O',
    toml: 'capture.output',
  }),
  split: value(
    'SIZE|TIME|call',
    { kind: 'split' },
    'Start the next file at this size or time (100M, 1h), or for each call.',
    { toml: 'capture.split', needs: ['output'] },
  ),
  keep: value('N|TIME', files(2, MAX_KEPT_FILES), 'Keep the newest N files of --split, or those of a time (24h).', {
    toml: 'capture.keep',
    needs: ['split'],
    unmet: { remedy: 'add --split SIZE|TIME' },
  }),
  'no-history': toggle('Keep and use no index of calls beside the files of --split.', {
    toml: 'capture.no_history',
  }),
  anonymize: value('KEYFILE', text, 'Replace names, numbers and addresses in what is saved, by the key in a file.', {
    valueIfBare: NEW_KEY,
    takesNext: true,
    toml: 'capture.anonymize',
    needs: ['output', 'api', 'interactive', 'html'],
    unmet: { reason: 'it is about what is saved', remedy: 'add -O FILE' },
  }),
  'keep-audio': toggle('Keep the audio in what --anonymize saves.', {
    toml: 'capture.keep_audio',
    needs: ['anonymize'],
  }),
  'anonymize-keep': value('WORDS', text, 'Keep these as they are: country, last-digits, user-agent.', {
    toml: 'capture.anonymize_keep',
    needs: ['anonymize'],
  }),
  user: value('NAME', text, 'Switch to this user after opening sockets and listeners.', {
    toml: 'general.user',
    needs: ['device', 'hep-listen', 'uprobe'],
    unmet: { reason: 'reading a file needs no privileges to give up', remedy: 'start as that user, or add -d or -L' },
  }),
  portrange: value('PORTS', ports, 'Analyse SIP on these ports alone, and only count it on others.', {
    toml: 'capture.portrange',
  }),
  'ws-portrange': value('PORTS', ports, 'Analyse SIP over WebSocket on these ports.', {
    default: '80,443,8080,8443',
    toml: 'capture.ws_portrange',
  }),
  'decode-esp-null': toggle('Decode ESP with NULL encryption.', { toml: 'capture.decode_esp_null' }),
});
