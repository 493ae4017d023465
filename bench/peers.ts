/** The tools of the offline table: how each is run, and how its own answer is read, so that it can be checked. */

/** What a corpus holds, or what a tool says it holds. A tool claims only what it prints. */
export interface Counts {
  readonly packets?: number;
  readonly sipMessages?: number;
  readonly dialogs?: number;
  readonly streams?: number;
  readonly rtpPackets?: number;
  readonly rtpLost?: number;
}
export const COUNT_NAMES = ['packets', 'sipMessages', 'dialogs', 'streams', 'rtpPackets', 'rtpLost'] as const;

export interface Claim {
  readonly counts: Counts;
  /** Seconds from opening the file to the last record, where the tool measures itself. */
  readonly elapsedSec?: number;
}

export interface Peer {
  readonly name: string;
  readonly program: string;
  /** 1 pins the tool to one core. */
  readonly cores: 0 | 1;
  readonly args: (file: string) => readonly string[];
  /** A second command that shows what the tool saw, where the measured one is silent. Run once, not measured. */
  readonly proof?: (file: string) => readonly string[];
  readonly read: (output: string) => Claim | undefined;
  /** True when the answer is as long as the corpus: it is checked on the warm-up, and discarded while measuring. */
  readonly longAnswer?: boolean;
}

/** Field names of `--stats-json`: the only place in the bench that knows them. */
export const STATS_JSON = {
  flag: '--stats-json',
  counts: COUNT_NAMES,
  elapsedSec: 'elapsedSec',
} as const;

function readCalltap(output: string): Claim | undefined {
  let document: unknown;
  try {
    document = JSON.parse(output.trim().split('\n').at(-1) ?? '');
  } catch {
    return undefined;
  }
  if (typeof document !== 'object' || document === null) return undefined;
  const fields = new Map<string, unknown>(Object.entries(document));
  const counts: Record<string, number> = {};
  for (const name of STATS_JSON.counts) {
    const value = fields.get(name);
    if (typeof value !== 'number') return undefined;
    counts[name] = value;
  }
  const elapsedSec = fields.get(STATS_JSON.elapsedSec);
  return typeof elapsedSec === 'number' ? { counts, elapsedSec } : { counts };
}

function readNumber(output: string, pattern: RegExp): number | undefined {
  const found = pattern.exec(output)?.[1];
  return found === undefined ? undefined : Number(found);
}

function readPackets(output: string, pattern: RegExp): Claim | undefined {
  const packets = readNumber(output, pattern);
  return packets === undefined ? undefined : { counts: { packets } };
}

/** Rows of `-z rtp,streams`: ... SSRC payload packets lost (percent%) ..., and the total of `-z sip,stat`. */
function readTshark(output: string): Claim | undefined {
  const sipMessages = readNumber(output, /Number of SIP messages: (\d+)/);
  if (sipMessages === undefined) return undefined;
  let [streams, rtpPackets, rtpLost] = [0, 0, 0];
  for (const row of output.matchAll(/^.* 0x[0-9A-F]{8} .*?(\d+)\s+(-?\d+) \(-?[\d.]+%\).*$/gm)) {
    streams += 1;
    rtpPackets += Number(row[1]);
    rtpLost += Number(row[2]);
  }
  return { counts: { sipMessages, streams, rtpPackets, rtpLost } };
}

/** One message a Call-ID header; the dialog report says "finished" once a call. */
function readSipgrep(output: string): Claim | undefined {
  return { counts: { sipMessages: output.match(/^Call-ID: /gm)?.length ?? 0 } };
}

function readSngrep(output: string): Claim | undefined {
  const dialogs = output.match(/Dialog count: \d+/g)?.at(-1);
  return dialogs === undefined ? undefined : { counts: { dialogs: Number(dialogs.slice('Dialog count: '.length)) } };
}

/** Rows of the table: its number and the date are the first words of each. */
function readTable(output: string): Claim {
  return { counts: { dialogs: output.match(/^ *\d+ +\d{4}-\d\d-\d\d /gm)?.length ?? 0 } };
}

function readDocuments(output: string): Claim {
  return { counts: { dialogs: output.match(/^\{"/gm)?.length ?? 0 } };
}

/** A filter has no truth of its own: rows, or the line that says how many there are. */
function readFiltered(output: string): Claim | undefined {
  const { counts } = readTable(output);
  return (counts.dialogs ?? 0) > 0 || /match the filter|No dialog/.test(output) ? { counts: {} } : undefined;
}

const FILTER = 'method:INVITE mos<4 loss>1% jitter>5ms';

/** calltap in the checkout at `root`, on one core and on all; then the commands that a person types. */
export function calltapPeers(node: string, main: string): readonly Peer[] {
  const args = (file: string): readonly string[] => [main, '-I', file, STATS_JSON.flag];
  const typed = (name: string, read: Peer['read'], ...options: string[]): Peer => ({
    name,
    program: node,
    cores: 0,
    args: (file) => [main, file, ...options],
    read,
    longAnswer: true,
  });
  return [
    { name: 'calltap', program: node, cores: 0, args, read: readCalltap },
    { name: 'calltap, 1 core', program: node, cores: 1, args, read: readCalltap },
    typed('calltap FILE (the table)', readTable),
    typed('calltap FILE --json', readDocuments, '--json'),
    typed('calltap FILE --filter', readFiltered, '--filter', FILTER),
  ];
}

/** The floor every ratio is taken against: reads every record and does nothing with it. */
export const FLOOR = 'tcpdump -w /dev/null';

export const PEERS: readonly Peer[] = [
  {
    name: FLOOR,
    program: 'tcpdump',
    cores: 0,
    args: (file) => ['-r', file, '-w', '/dev/null'],
    proof: (file) => ['-r', file, '--count'],
    read: (output) => readPackets(output, /^(\d+) packets?$/m),
  },
  {
    name: 'capinfos -c',
    program: 'capinfos',
    cores: 0,
    args: (file) => ['-c', '-M', file],
    read: (output) => readPackets(output, /Number of packets: *(\d+)/),
  },
  {
    name: 'sipgrep (no RTP)',
    program: 'sipgrep',
    cores: 0,
    args: (file) => ['-I', file, '-C', '-G'],
    read: readSipgrep,
    longAnswer: true,
  },
  {
    name: 'tshark rtp,streams sip,stat',
    program: 'tshark',
    cores: 0,
    args: (file) => ['-n', '-r', file, '-q', '-z', 'rtp,streams', '-z', 'sip,stat'],
    read: readTshark,
  },
  {
    name: 'sngrep -r',
    program: 'sngrep',
    cores: 0,
    args: (file) => ['-F', '-I', file, '-r', '-N', '-l', '1000000'],
    read: readSngrep,
  },
];

/** Counts that the tool claims and the truth does not confirm, in words; empty when all agree. */
export function disagreements(claim: Claim, truth: Required<Counts>): readonly string[] {
  const wrong: string[] = [];
  for (const name of COUNT_NAMES) {
    const said = claim.counts[name];
    if (said !== undefined && said !== truth[name]) wrong.push(`${name} ${said}, truth ${truth[name]}`);
  }
  return wrong;
}
