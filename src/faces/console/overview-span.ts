/** The span that the overview shows, and what colours its trunks: in the address and in the request. */
import type { OverviewFigure } from '../../core/overview-words.ts';

export type Asked = {
  readonly minutes: string;
  /** Both are empty, or the span that was pulled with the mouse. */
  readonly since: string;
  readonly until: string;
  readonly by: OverviewFigure;
};

export const SPANS = [
  ['15', '15 min'],
  ['60', '1 h'],
  ['360', '6 h'],
  ['1440', '24 h'],
] as const;

export const FIGURES: Readonly<Record<OverviewFigure, string>> = { asr: 'ASR', ner: 'NER', pdd: 'PDD', mos: 'MOS' };
const HOUR = '60';

/** Of a link that may have been typed: what cannot be read is the last hour. */
export function askedOf(query: URLSearchParams): Asked {
  const minutes = query.get('minutes') ?? '';
  const [since, until] = [query.get('since') ?? '', query.get('until') ?? ''];
  const isPulled = !Number.isNaN(Date.parse(since)) && Date.parse(until) > Date.parse(since);
  const by = (Object.keys(FIGURES) as OverviewFigure[]).find((name) => name === query.get('by'));
  return {
    minutes: /^[1-9]\d{0,3}$/.test(minutes) ? minutes : HOUR,
    since: isPulled ? since : '',
    until: isPulled ? until : '',
    by: by ?? 'asr',
  };
}

export function isPulled({ since }: Asked): boolean {
  return since !== '';
}

/** What stands in the address; what is usual does not. The minutes stay beside a pulled span: they are the way back. */
export function addressOf({ minutes, since, until, by }: Asked): Record<string, string> {
  return { minutes: minutes === HOUR ? '' : minutes, since, until, by: by === 'asr' ? '' : by };
}

/** The request of this span. */
export function pathOf(asked: Asked): string {
  const { minutes, since, until, by } = asked;
  return `ask/overview?${new URLSearchParams({ ...(isPulled(asked) ? { since, until } : { minutes }), by })}`;
}

/** `15 min`, `6 h`; of hours and minutes the minutes. */
export function lengthWords(sec: number): string {
  const minutes = Math.round(sec / 60);
  return minutes >= 60 && minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`;
}

/** As the filter has it: `15m`, `6h`, `1d`. */
export function shortLength(sec: number): string {
  const minutes = Math.round(sec / 60);
  if (minutes % 1_440 === 0) return `${minutes / 1_440}d`;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return `${hours === 0 ? '' : `${hours}h`}${rest === 0 ? '' : `${rest}m`}`;
}

export function secondsBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 1_000;
}
