/**
 * What phones and agents reported, as rows for people: who says it, in which form, of which way, and what was measured here of the
 * same packets. The report of a call, its page, the terminal and the console show these.
 */
import type { REPORT_KINDS, REPORT_PROOFS } from './words.ts';

type Figures = {
  readonly loss_pct?: number;
  readonly discard_pct?: number;
  readonly jitter_ms?: number;
  readonly round_trip_ms?: number;
  readonly mos_lq?: number;
  readonly mos_cq?: number;
};

/** A report as documents have it. */
export type Reported = {
  readonly kind: (typeof REPORT_KINDS)[number];
  readonly from: string;
  readonly side?: string;
  readonly verified_by?: (typeof REPORT_PROOFS)[number];
  readonly heard?: Figures;
  readonly sent?: Figures;
  readonly measured?: readonly { readonly loss_pct: number; readonly jitter_ms: number; readonly mos?: number }[];
};

export const REPORT_HEAD = [
  'Reported by',
  'Form',
  'Way',
  'Loss',
  'Discarded',
  'Jitter',
  'MOS',
  'Round trip',
  'Measured here',
];

/** What people call the form in which a report comes. */
export const REPORT_FORMS: Readonly<Record<Reported['kind'], string>> = {
  session: 'vq-rtcpxr',
  interval: 'vq-rtcpxr interval',
  alert: 'vq-rtcpxr alert',
  xr: 'RTCP XR',
  rtp_stat: 'RTP-Stat header',
  hep: 'HEP',
};

/** A row for what it hears, and one for what the other side told it, where that has more than counts. */
export function reportRows(reports: readonly Reported[]): string[][] {
  return reports.flatMap((one) => {
    const who = `${one.side === undefined ? '' : `${one.side} `}${one.from}`.trim();
    const name = one.verified_by === undefined ? `${who} (unverified)` : who;
    const lead = (way: string, i: number): string[] => (i === 0 ? [name, REPORT_FORMS[one.kind], way] : ['', '', way]);
    const ways = [
      ...(hasSome(one.heard) ? [['hears', one.heard, measuredText(one)] as const] : []),
      ...(hasSome(one.sent) ? [['sends', one.sent, '-'] as const] : []),
    ];
    return ways.map(([way, figures, measured], i) => [...lead(way, i), ...cells(figures), measured]);
  });
}

/** The same as sentences without their end, for who has no room for columns. */
export function reportLines(reports: readonly Reported[]): string[] {
  let [who, form] = ['', ''];
  return reportRows(reports).map((row) => {
    const [by = '', kind = '', way = '', loss = '', discarded = '', jitter = '', mos = '', trip = '', here = ''] = row;
    if (by !== '') [who, form] = [by, kind];
    const all = [`${loss} lost`, `${discarded} discarded`, `jitter ${jitter}`, `MOS ${mos}`, `round trip ${trip}`];
    const said = all.filter((words) => !/(^| )-( |$)/.test(words)).join(', ');
    return `${who} ${way} ${said} (${form})${here === '-' ? '' : `; here ${here}`}`;
  });
}

function hasSome(figures: Figures | undefined): figures is Figures {
  return figures !== undefined && cells(figures).some((cell) => cell !== '-');
}

function cells(f: Figures): string[] {
  const mos = [f.mos_lq, f.mos_cq].filter((value) => value !== undefined);
  return [
    amount(f.loss_pct, 1, ' %'),
    amount(f.discard_pct, 1, ' %'),
    amount(f.jitter_ms, 1, ' ms'),
    amount(mos.length === 0 ? undefined : Math.min(...mos), 2, ''),
    amount(f.round_trip_ms, 0, ' ms'),
  ];
}

function amount(value: number | undefined, digits: number, unit: string): string {
  return value === undefined ? '-' : `${value.toFixed(digits)}${unit}`;
}

/** Of several streams, as relays make them, the one that lost most. */
function measuredText({ measured = [] }: Reported): string {
  const worst = [...measured].sort((a, b) => b.loss_pct - a.loss_pct)[0];
  if (worst === undefined) return '-';
  const mos = worst.mos === undefined ? '' : `, MOS ${worst.mos.toFixed(2)}`;
  return `${worst.loss_pct.toFixed(1)} % lost, jitter ${worst.jitter_ms.toFixed(1)} ms${mos}`;
}
