/**
 * The table of words that hands know from sngrep, tcpdump, tshark and others: for each what to write instead. Nothing here is
 * accepted; it is what the line says after "there is no such option".
 */

/** In a hint {FILE} is the word that follows, or FILE where none does. */
type Hints = Readonly<Record<string, string>>;

const NAME_FILE = 'write calltap {FILE}: a capture needs no option';
const WRITE = 'write -O {FILE}';
const DEVICE = 'write -d {IFACE}';
const DISPLAY_FILTER = 'write --filter {FILTER}; --help filter has the keys';
const TEXT = 'write --messages all, or --messages CALL for those of one call';
const FORM = 'write --csv or --json; --columns LIST chooses the fields';
const NO_NAMES = 'leave it out: calltap looks up no names; --names FILE gives them';
const WHOLE = 'leave it out: calltap takes whole packets';
const AT_ONCE = 'leave it out: calltap writes each line and each packet at once';
const QUIET = 'leave it out: calltap says only what went wrong';
const SERVE = 'write --api 127.0.0.1:8080 --console';
const LIST = 'write calltap alone: it lists the interfaces';
const RING = 'write -O FILE --split 100M --keep {N}';
const TLS = 'write --uprobe: it reads SIP over TLS at the server, without a key';
const ROOM = 'leave it out: the oldest dialogs give room by themselves; --max-dialogs N says how many are kept';
const COLLECTOR = 'write -H {ADDR}';
const ALIVE = 'write -d any: a live capture goes on until Ctrl-C, or for the time of --for';
const WATCH = 'write --kill-scanner --show attackers';
const CONFIG = 'write --config {FILE}';
const ENDS = 'write --for {TIME}';
const COUNT = 'write --limit {N}: it ends after N calls';
const BACKGROUND = 'leave it out: systemd runs calltap in the background (deploy/calltap.service)';
const NOT_CASE = 'leave it out: filters take no notice of case';

/** Letters that calltap has not. */
const LETTERS: Hints = {
  A: TEXT,
  a: 'write --for 60s to end after a time, or -O FILE --split 1h to begin files',
  B: 'leave it out: the rings are large, and what they lose is counted',
  b: RING,
  C: 'write -O FILE --split {N}M',
  D: 'write calltap alone to list the interfaces, or --print-config to see the options in force',
  e: FORM,
  F: 'leave it out: calltap reads no configuration without --config, and -O FILE.pcapng writes pcapng',
  f: 'write --bpf EXPR for a filter of packets, or --config FILE for a configuration',
  G: 'write -O FILE --split {N}s',
  K: WHOLE,
  k: TLS,
  l: `${AT_ONCE}; the -l of sngrep is --max-dialogs`,
  m: 'leave it out: calltap finds SIP, RTP and RTCP by itself',
  n: NO_NAMES,
  o: 'write --config FILE: there are no preferences, and --print-config shows the keys',
  p: 'write --no-promisc, or leave it out',
  q: QUIET,
  R: `${ROOM}; a read filter is --filter`,
  r: `${NAME_FILE}, and RTP is always read`,
  S: 'leave it out; -O FOLDER --split call writes a file for each call',
  s: WHOLE,
  T: FORM,
  t: 'leave it out: each line has its time; --utc shows UTC',
  U: AT_ONCE,
  u: 'write --utc for UTC, or --user NAME to run as another user',
  v: 'write --messages all to see more, --filter -WORD to leave calls out, or -V for the version',
  W: `${RING}; the texts of messages are --messages all`,
  w: WRITE,
  X: TEXT,
  x: TEXT,
  Y: DISPLAY_FILTER,
  Z: 'write --user {NAME}',
  z: 'write --show findings, --trunks, or --stats-json',
};

/** What -z of tshark sums up. */
const SUMS: readonly (readonly [begins: string, hint: string])[] = [
  ['sip', 'write --show findings: it counts final codes'],
  ['rtp', 'write --columns callid,codec,mos,loss,jitter, or --quality CALL'],
  ['voip', 'write calltap FILE: the table has a line a call'],
  ['conv', 'write --trunks'],
  ['endpoints', 'write --trunks'],
  ['io', 'write --stats-json'],
  ['follow', 'write --ladder CALL or --messages CALL'],
];

const FILTERS = [
  'from',
  'code',
  'number',
  'state',
  'ua',
  'method',
  'callid',
  'since',
  'mos',
  'ip',
  'src',
  'dst',
  'cause',
];

/** Long names that calltap has not. */
const NAMES: Hints = {
  ...each(DEVICE, 'interface', 'iface', 'dev', 'nic', 'if'),
  ...each(NAME_FILE, 'file', 'read', 'read-file', 'pcap', 'pcap-file', 'infile', 'in'),
  ...each(WRITE, 'write', 'write-file', 'out', 'outfile', 'output-file', 'save'),
  ...each(LIST, 'list-interfaces', 'interfaces', 'devices', 'list'),
  ...each(ENDS, 'duration', 'time', 'timeout', 'seconds'),
  ...each(COUNT, 'count', 'num', 'max', 'max-calls', 'packet-count'),
  ...each('write --calls', 'invite', 'invites', 'calls-only', 'only-calls'),
  ...each('write --filter state:Failed', 'failed', 'errors', 'failures'),
  ...each('write --portrange {PORT}', 'port', 'ports', 'sip-port'),
  ...each('write --filter ip:{ADDRESS}', 'host', 'address', 'addr'),
  ...Object.fromEntries(FILTERS.map((key) => [key, `write --filter ${key}:{VALUE}`])),
  ...each('write --filter ua:{VALUE}', 'user-agent', 'useragent'),
  ...each('write --filter callid:{VALUE}', 'call-id'),
  ...each('write --filter code:{VALUE}', 'status', 'response'),
  ...each('write --filter {TEXT}', 'search', 'grep', 'find', 'match', 'query', 'display-filter', 'where'),
  ...each(FORM, 'format', 'fields', 'xml', 'yaml', 'pretty'),
  ...each(SERVE, 'web', 'ui', 'gui', 'http', 'serve', 'server', 'listen', 'browser'),
  ...each('write -i', 'tui', 'curses', 'ncurses', 'screen', 'text-ui'),
  ...each('write --stats-json, --show findings or --trunks', 'stats', 'statistics', 'summary'),
  ...each('write --call-report {CALL}', 'report', 'call', 'explain', 'why'),
  ...each(WATCH, 'scanners', 'scanner', 'attackers', 'attacks'),
  ...each('write --show registrations', 'registrations', 'registers', 'register'),
  ...each('write --show findings', 'findings', 'codes', 'diagnose'),
  ...each('write --wav {CALL} --to FILE.wav', 'audio', 'play', 'record', 'export-audio'),
  ...each(COLLECTOR, 'eep-send', 'hep', 'homer', 'hep-server', 'hs'),
  ...each('write -L {ADDR} -E', 'eep-listen'),
  ...each('write -E', 'eep-parse'),
  ...each(TLS, 'keyfile', 'tls', 'keylog', 'ssl'),
  ...each(CONFIG, 'config-file', 'conf'),
  ...each('leave it out: calltap reads no configuration without --config', 'no-config'),
  ...each('write --print-config', 'dump-config'),
  ...each(ROOM, 'rotate', 'buffer'),
  ...each(NOT_CASE, 'icase', 'ignore-case'),
  ...each('write --filter -WORD: it leaves out what matches', 'invert', 'exclude', 'not'),
  ...each(QUIET, 'quiet', 'silent'),
  ...each('write --messages all to see more', 'verbose', 'debug'),
  ...each(NO_NAMES, 'no-resolve', 'numeric'),
  ...each(WHOLE, 'snaplen', 'snapshot-length'),
  ...each('leave it out: calltap finds SIP, RTP and RTCP by itself', 'sip', 'rtp'),
  ...each(AT_ONCE, 'immediate-mode', 'packet-buffered'),
  ...each('write --user {NAME}', 'relinquish-privileges'),
  ...each('write --no-promisc', 'no-promiscuous-mode'),
  ...each(BACKGROUND, 'daemon', 'background'),
  ...each(ALIVE, 'live', 'follow', 'tail', 'watch'),
  ...each('write -h', 'examples', 'usage'),
};

/** First words that are no captures, where no file has this name. */
const COMMANDS: Hints = {
  ...each('write calltap -h', 'help', 'usage', 'examples'),
  ...each('write calltap -V', 'version'),
  ...each('write calltap alone: it lists the interfaces', 'interfaces', 'devices', 'list'),
  ...each(SERVE, 'serve', 'server', 'web', 'console', 'gui'),
  ...each(ALIVE, 'live', 'capture', 'start', 'run', 'sniff'),
  ...each('write -i', 'tui', 'sngrep'),
  ...each('write --trunks', 'trunks', 'carriers'),
  ...each('write --show registrations', 'registrations'),
  ...each(WATCH, 'scanners', 'attackers'),
  ...each('write --show findings', 'findings', 'failures', 'errors'),
  ...each('write --stats-json', 'stats', 'statistics'),
  ...each('write --check', 'check', 'doctor', 'test'),
  ...each('write --connect', 'connect', 'attach'),
  ...each('write --print-config', 'config'),
  ...each('leave it out: calltap looks for SIP and RTP alone', 'sip', 'rtp', 'rtcp'),
};

function each(hint: string, ...names: readonly string[]): Hints {
  return Object.fromEntries(names.map((name) => [name, hint]));
}

/** What to write for an option of others, `-r` or `--interface`; `next` is the word after it. Null for one that nobody has. */
export function foreignOption(written: string, next: string): string | null {
  const name = written.replace(/^--?/, '');
  const sum = written === '-z' ? SUMS.find(([begins]) => next.startsWith(begins)) : undefined;
  const table = written.startsWith('--') ? NAMES : LETTERS;
  const hint = sum?.[1] ?? (Object.hasOwn(table, name) ? table[name] : undefined);
  return hint === undefined ? null : filled(hint, next);
}

/** The hint with the next word in it. A word that looks like an option, or is long, is left out: the hint keeps its FILE or IFACE. */
function filled(hint: string, next: string): string {
  const isWord = next !== '' && next.length <= 60 && !next.startsWith('-');
  return hint.replace(/\{([A-Z]+)\}/, (_, name: string) => (isWord ? shellWord(next) : name));
}

/** As a shell takes it for one word. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** What to write for the command that a first word looks like; null where it looks like none. */
export function foreignCommand(word: string): string | null {
  return Object.hasOwn(COMMANDS, word) ? (COMMANDS[word] ?? null) : null;
}
