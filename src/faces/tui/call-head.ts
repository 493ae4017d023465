/**
 * What stands above the ladder of a call: its state, who called whom, who ended it, and what is wrong, in whole sentences.
 */
import type { AskHead } from '../../contract/index.ts';
import type { Area } from './app.ts';
import type { Cells } from './cells.ts';
import { LOOK } from './cells.ts';
import { wrappedTo } from './wrap.ts';

const FACT_LINES = 2;
/** The part of the area that sentences take at most. */
const PART = 1 / 3;

export type HeadOf = {
  readonly callId: string;
  /** Null while it is read. */
  readonly head: AskHead | null;
  /** Why nothing newer is known, '' where all is well. */
  readonly trouble: string;
};

/** Draws it on top of the area; how many lines it took. */
export function drawHead(cells: Cells, { x, y, width, height }: Area, { callId, head, trouble }: HeadOf): number {
  const facts = wrappedTo([head === null ? callId : [...factsOf(head), callId].join('  ')], width, FACT_LINES);
  const wrong = head === null ? [] : wrongOf(head);
  const said = trouble !== '' ? [trouble] : wrong.length > 0 || head === null ? wrong : ['nothing wrong was found'];
  const sentences = wrappedTo(said, width, Math.max(1, Math.floor(height * PART)));
  for (const [i, line] of facts.entries()) cells.put(x, y + i, line, LOOK.bold, width);
  const look = trouble === '' && wrong.length > 0 ? LOOK.red : LOOK.dim;
  for (const [i, line] of sentences.entries()) cells.put(x, y + facts.length + i, line, look, width);
  return facts.length + Math.max(1, sentences.length);
}

/** A sentence a line; what follows from a cause has an arrow. */
function wrongOf({ explanation }: AskHead): string[] {
  return explanation.flatMap(({ depth, texts }) => texts.map((text) => (depth === 0 ? text : `\u2192 ${text}`)));
}

function factsOf({ call, from_display, to_display }: AskHead): string[] {
  const side = (user = '', display: string | undefined) => (display === undefined ? user : `${display} <${user}>`);
  return [
    call.state,
    call.code === undefined ? '' : `${call.code} ${call.reason ?? ''}`.trimEnd(),
    `${side(call.from_user ?? call.from_host, from_display)} \u2192 ${side(call.to_user ?? call.to_host, to_display)}`,
    call.ended_by === undefined ? '' : `ended by the ${call.ended_by}`,
  ].filter((part) => part !== '');
}
