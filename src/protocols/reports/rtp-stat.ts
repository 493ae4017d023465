/**
 * Reads the headers in which phones and gateways say at the end of a call what they heard: `P-RTP-Stat`, `X-RTP-Stat` and their
 * kin in a BYE or its 200, and the pair `RTP-RxStat` and `RTP-TxStat`.
 *
 *     P-RTP-Stat: PS=1000,OS=160000,PR=995,OR=159200,PL=5,JI=3,LA=20,DU=20    one value each, milliseconds
 *     X-RTP-Stat: PR=995;PS=1000;PL=5,0;JI=24.0,8.0                            received and sent, units of the RTP clock
 *     RTP-RxStat: Dur=20,Pkt=995,LostPkt=5,AvgJit=3,VQMetrics="MLQK=4.1;CCR=0.0"
 */
import { fail, ok, type Result } from '../../core/result.ts';
import type { SipScan } from '../sip/scanner/scan.ts';
import { decodeText } from '../sip/text.ts';
import type { FigureName, HeardFigures, QualityReport } from './quality-report.ts';
import {
  completed,
  completedOfSent,
  endOf,
  hasFigures,
  MAX_OWN_FIELDS,
  numberIn,
  pairsIn,
  reportOf,
  reportText,
  setFigure,
} from './quality-report.ts';

/** Characters of one such header, and such headers of one message. @cap phone_reports_too_long */
const MAX_STAT_CHARS = 1_024;
const MAX_STAT_HEADERS = 4;

/** Names in small letters, and whether the sender speaks of what it sent alone. */
const HEADERS: ReadonlyMap<string, 'both' | 'received' | 'sent'> = new Map([
  ['p-rtp-stat', 'both'],
  ['x-rtp-stat', 'both'],
  ['x-rtp-stats', 'both'],
  ['x-siemens-rtp-stats', 'both'],
  ['x-siemens-rtp-stats-list', 'both'],
  ['rtp-rxstat', 'received'],
  ['rtp-txstat', 'sent'],
]);
const LENGTHS: ReadonlySet<number> = new Set([...HEADERS.keys()].map(({ length }) => length));

export type StatHeader = { readonly name: string; readonly value: string };

/** Those of a message; nearly none has any, and the length of a name tells. */
export function statHeaders(buf: Buffer, scan: SipScan): StatHeader[] {
  const found: StatHeader[] = [];
  scan.forEachHeader((nameStart, nameEnd, start, end) => {
    if (!LENGTHS.has(nameEnd - nameStart) || found.length === MAX_STAT_HEADERS) return;
    const name = buf.toString('latin1', nameStart, nameEnd).toLowerCase();
    if (HEADERS.has(name))
      found.push({ name, value: decodeText(buf, start, Math.min(end, start + MAX_STAT_CHARS + 1)) });
  });
  return found;
}

/** Of what was heard, and of what was sent, by name; `Pkt` and its kin say in which header they stand. */
const RECEIVED: Readonly<Record<string, FigureName>> = {
  PR: 'packets',
  PL: 'lost',
  PD: 'discarded',
  MOS: 'mosLq',
  JITTER: 'jitterMs',
  PACKETLOSSPCT: 'lossPct',
  RTT: 'roundTripMs',
  TOTAL_RX_PKTS: 'packets',
  RX_PKTS_LOST: 'lost',
};
const SENT: Readonly<Record<string, FigureName>> = {
  PS: 'packets',
  TOTAL_TX_PKTS: 'packets',
  REMOTE_RX_PKTS_LOST: 'lost',
};
const OF_RX_STAT: Readonly<Record<string, FigureName>> = {
  PKT: 'packets',
  LOSTPKT: 'lost',
  LATEPKT: 'discarded',
  AVGJIT: 'jitterMs',
};
/** `VQMetrics` of RTP-RxStat: MLQK is a listening MOS. */
const OF_METRICS: Readonly<Record<string, FigureName>> = {
  MLQK: 'mosLq',
  MAXJITTER: 'jitterMaxMs',
  VOONEWAYDELAYMS: 'oneWayDelayMs',
};
/** Names of fields that say nothing of the quality. */
const PLAIN: ReadonlySet<string> = new Set(['OS', 'OR', 'CS', 'CD', 'DU', 'DUR', 'OCT', 'ES', 'ER', 'IP']);

const CLOCK = 8_000;

type Reading = {
  readonly heard: HeardFigures;
  readonly sent: HeardFigures;
  codec: string;
  user: string;
  /** Of the RTP clocks. */
  readonly rates: { heard: number; sent: number };
  jitter: string;
  ends: string;
  readonly own: [string, string][];
};

/** All such headers of one message are one report. */
export function parseRtpStat(headers: readonly StatHeader[]): Result<QualityReport, 'too_long' | 'no_figures'> {
  const r: Reading = {
    heard: {},
    sent: {},
    codec: '',
    user: '',
    rates: { heard: CLOCK, sent: CLOCK },
    jitter: '',
    ends: '',
    own: [],
  };
  for (const { name, value } of headers) {
    if (value.length > MAX_STAT_CHARS) return fail('too_long');
    const kind = HEADERS.get(name) ?? 'both';
    for (const [key, text] of pairsIn(value, separatorOf(value))) readPair(key, text, kind, r);
  }
  readJitter(r);
  completed(r.heard);
  completedOfSent(r.sent);
  if (!hasFigures(r.heard) && !hasFigures(r.sent)) return fail('no_figures');
  const [local = '', remote = ''] = r.ends.split(',');
  return ok(
    reportOf({
      kind: 'rtp_stat',
      heard: r.heard,
      sent: r.sent,
      codec: r.codec,
      user: r.user,
      own: r.own,
      local: socketIn(local),
      remote: socketIn(remote),
    }),
  );
}

/** Semicolons separate where there are any outside of quotes: commas are part of the values then. */
function separatorOf(text: string): string {
  let isQuoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charAt(i);
    if (c === '"') isQuoted = !isQuoted;
    else if (c === ';' && !isQuoted) return ';';
  }
  return ',';
}

function readPair(key: string, text: string, kind: 'both' | 'received' | 'sent', r: Reading): void {
  switch (key) {
    case 'JI':
      r.jitter = text;
      return;
    case 'DE':
      r.codec = reportText(text);
      r.rates.heard = rateIn(r.codec);
      return;
    case 'EN':
      r.rates.sent = rateIn(reportText(text));
      return;
    case 'EX':
      r.user = reportText(text);
      return;
    case 'IP':
      r.ends = text;
      return;
    case 'VQMETRICS':
      readMetrics(text, r);
      return;
    default:
      readCount(key, text, kind, r);
  }
}

function readMetrics(text: string, r: Reading): void {
  for (const [name, value] of pairsIn(text, ';')) {
    const figure = OF_METRICS[name];
    if (figure !== undefined) setFigure(r.heard, figure, numberIn(value));
    else if (name === 'VORXCODEC') r.codec = reportText(value);
  }
}

function readCount(key: string, text: string, kind: 'both' | 'received' | 'sent', { heard, sent, own }: Reading): void {
  const [first = '', second] = pairOf(text);
  if (kind === 'sent') {
    if (key === 'PKT' || SENT[key] === 'packets') setFigure(sent, 'packets', numberIn(first));
    return;
  }
  const received = (kind === 'received' ? OF_RX_STAT[key] : undefined) ?? RECEIVED[key];
  const ofSent = SENT[key];
  if (received !== undefined) {
    setFigure(heard, received, numberIn(first));
    if (second !== undefined) setFigure(sent, received, numberIn(second));
  } else if (ofSent !== undefined) setFigure(sent, ofSent, numberIn(first));
  else if (!PLAIN.has(key) && own.length < MAX_OWN_FIELDS) own.push([reportText(key), reportText(text)]);
}

/** Received, and sent where there are two. */
function pairOf(text: string): string[] {
  return text.split(',', 2).map((part) => part.trim());
}

/** One value is in milliseconds; two are those of both ways, in units of the clocks that the codecs name. */
function readJitter({ jitter, heard, sent, rates }: Reading): void {
  const [first = '', second] = pairOf(jitter);
  const isPair = second !== undefined;
  setFigure(heard, 'jitterMs', numberIn(first) / (isPair ? rates.heard / 1000 : 1));
  if (isPair) setFigure(sent, 'jitterMs', numberIn(second) / (rates.sent / 1000));
}

/** `opus/48000`; 8 kHz where the name has none. */
function rateIn(codec: string): number {
  const rate = Number(/\/(\d{4,6})$/.exec(codec)?.[1] ?? CLOCK);
  return rate > 0 ? rate : CLOCK;
}

function socketIn(text: string): QualityReport['local'] {
  const found = /^\s*(?:\[([0-9a-f:.]{2,45})\]|([0-9.]{7,15})):(\d{1,5})\s*$/i.exec(text);
  return found === null ? null : endOf(found[1] ?? found[2] ?? '', Number(found[3]));
}
