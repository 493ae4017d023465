/** Turns rows into figures, and figures into Markdown; ratios are to the floor of the same corpus in the same run. */
import type { Row } from './measure.ts';
import { median } from './measure.ts';
import type { Counts } from './peers.ts';
import { COUNT_NAMES, FLOOR } from './peers.ts';

export interface Figure {
  readonly peer: string;
  readonly runs: number;
  readonly wallSec: number;
  readonly packetsPerSec: number;
  readonly cpuSec: number;
  readonly peakRssMib: number;
  readonly checked: readonly string[];
  /** Share of the floor's rate; absent when the floor gave no figure. */
  readonly ofFloor?: number;
  /** From the tool's own clock: without the start of the process. */
  readonly inProcessPerSec?: number;
  readonly sipMessageUs?: number;
}
export interface Refusal {
  readonly peer: string;
  readonly reason: string;
}
export interface Report {
  readonly profile: string;
  readonly truth: Required<Counts>;
  readonly figures: readonly Figure[];
  readonly refusals: readonly Refusal[];
}

function figureOf(row: Row, truth: Required<Counts>, floorSec: number | undefined): Figure | Refusal {
  if (row.outcome.kind === 'refused') return { peer: row.peer, reason: row.outcome.reason };
  const { costs, claim, elapsedSec } = row.outcome;
  const wallSec = median(costs.map((c) => c.wallSec));
  const inProcess = elapsedSec.length > 0 ? median(elapsedSec) : undefined;
  return {
    peer: row.peer,
    runs: costs.length,
    wallSec,
    packetsPerSec: truth.packets / wallSec,
    cpuSec: median(costs.map((c) => c.userSec + c.sysSec)),
    peakRssMib: Math.max(...costs.map((c) => c.peakRssKib)) / 1024,
    checked: COUNT_NAMES.filter((name) => claim.counts[name] !== undefined),
    ...(floorSec === undefined ? {} : { ofFloor: floorSec / wallSec }),
    ...(inProcess === undefined ? {} : { inProcessPerSec: truth.packets / inProcess }),
    /* Only where nothing but SIP was read is the time all SIP's. */
    ...(inProcess === undefined || truth.rtpPackets > 0 ? {} : { sipMessageUs: (inProcess * 1e6) / truth.sipMessages }),
  };
}

export function report(profile: string, truth: Required<Counts>, rows: readonly Row[]): Report {
  const floor = rows.find((r) => r.peer === FLOOR)?.outcome;
  const floorSec = floor?.kind === 'measured' ? median(floor.costs.map((c) => c.wallSec)) : undefined;
  const all = rows.map((row) => figureOf(row, truth, floorSec));
  return {
    profile,
    truth,
    figures: all.filter((f) => 'wallSec' in f),
    refusals: all.filter((f) => 'reason' in f),
  };
}

const mega = (v: number | undefined): string => (v === undefined ? '–' : (v / 1e6).toPrecision(3));

function line(f: Figure): string {
  const cells = [
    f.peer,
    f.wallSec.toFixed(3),
    mega(f.packetsPerSec),
    mega(f.inProcessPerSec),
    f.ofFloor === undefined ? '–' : f.ofFloor.toPrecision(2),
    f.cpuSec.toFixed(2),
    f.peakRssMib.toFixed(0),
    String(f.runs),
    f.checked.join(', '),
  ];
  return `| ${cells.join(' | ')} |`;
}

export function markdown(r: Report): string {
  const t = r.truth;
  const out = [
    `### ${r.profile}: ${t.packets} packets, ${t.sipMessages} SIP messages, ${t.dialogs} dialogs, ` +
      `${t.streams} streams, ${t.rtpLost} RTP packets lost`,
    '',
    '| tool | wall s | M packets/s | in process | × tcpdump | CPU s | peak RSS MiB | runs | equals the truth in |',
    '|---|---:|---:|---:|---:|---:|---:|---:|---|',
    ...r.figures.map(line),
  ];
  for (const f of r.figures) {
    if (f.sipMessageUs === undefined) continue;
    out.push('', `${f.peer}: ${f.sipMessageUs.toFixed(2)} µs a SIP message, in process.`);
  }
  for (const f of r.refusals) out.push('', `No figure for ${f.peer}: ${f.reason}.`);
  return `${out.join('\n')}\n`;
}
