/** What a line of trunks says, for the command line and the terminal: counts stand beside ratios. */
import type { AskTrunk } from '../../contract/index.ts';
import type { Color } from '../../core/terminal-text.ts';
import { safeText } from '../../core/terminal-text.ts';

export type TrunkColumn = {
  readonly title: string;
  readonly isRight: boolean;
  /** `when` writes a time. */
  text(trunk: AskTrunk, when: (at: string) => string): string;
};

const figure = (n: number | undefined, places: number): string => (n === undefined ? '-' : n.toFixed(places));

function left(title: string, text: TrunkColumn['text']): TrunkColumn {
  return { title, isRight: false, text };
}

function right(title: string, text: TrunkColumn['text']): TrunkColumn {
  return { title, isRight: true, text };
}

export const TRUNK_COLUMNS = {
  trunk: left('Trunk', ({ trunk }) => safeText(trunk)),
  direction: left('Dir', ({ direction }) => direction),
  state: left('State', ({ state }) => state),
  since: left('Since', ({ since }, when) => (since === undefined ? '-' : when(since))),
  options: right('OPTIONS', ({ figures: f }) =>
    f.options_asked === 0 ? '-' : `${f.options_answered} of ${f.options_asked}`,
  ),
  roundTrip: right('RTT', ({ figures: f }) => figure(f.options_round_trip_ms, 0)),
  registrations: right('Reg/Fail', (t) =>
    t.registered === undefined ? '-' : `${t.registered}/${t.registrations_failing ?? 0}`,
  ),
  answered: right('Answered', ({ figures: f }) => `${f.answered} of ${f.attempts}`),
  asr: right('ASR', ({ figures: f }) => figure(f.asr_pct, 1)),
  ner: right('NER', ({ figures: f }) => figure(f.ner_pct, 1)),
  acd: right('ACD', ({ figures: f }) => figure(f.acd_sec, 0)),
  pdd: right('PDD95', ({ figures: f }) => figure(f.pdd_ms?.p95, 0)),
  mos: right('MOS05', ({ figures: f }) => figure(f.mos?.p05, 2)),
  loss: right('Loss', ({ figures: f }) => figure(f.loss_pct, 2)),
  talking: right('Now', ({ talking }) => String(talking ?? '-')),
  codes: left('Codes', ({ figures: f }) => f.codes.map(({ code, calls }) => `${code}:${calls}`).join(' ') || '-'),
  trouble: left('Trouble', ({ troubles }) => troubles.map(({ text }) => safeText(text)).join('; ') || '-'),
} satisfies Readonly<Record<string, TrunkColumn>>;

/** Red where calls are lost, yellow where they suffer. */
export function trunkColor({ troubles }: AskTrunk): Color | null {
  const [worst] = troubles;
  if (worst === undefined) return null;
  return worst.trouble === 'down' || worst.trouble === 'refusing' ? 'red' : 'yellow';
}
