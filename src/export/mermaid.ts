/**
 * The ladder as a Mermaid diagram in Markdown, which trackers draw. Captured text keeps no meaning: what is no plain
 * character is written as its number.
 */
import type { AskLadder } from '../contract/index.ts';
import { labelOf } from '../view/ladder-text.ts';

/** Line by line, the fence included. */
export function* mermaidLines(l: AskLadder): Generator<string> {
  yield '```mermaid';
  yield 'sequenceDiagram';
  for (const [i, { label }] of l.lifelines.entries()) yield `  participant L${i} as ${plain(label)}`;
  const media = l.media.slice();
  const bar = (m: (typeof media)[number]): string => {
    const mos = m.mos === undefined ? '' : `, MOS ${m.mos.toFixed(2)}`;
    return `  L${m.from}--)L${m.to}: ${plain(`RTP ${m.codec ?? ''} ${m.packets} packets, ${m.loss_pct.toFixed(1)} % lost${mos}`)}`;
  };
  for (const step of l.steps) {
    for (let m = media[0]; m !== undefined && m.first_seen <= step.at; m = media[0]) {
      yield bar(m);
      media.shift();
    }
    const arrow = step.notes.length > 0 ? '-->>' : '->>';
    yield `  L${step.from}${arrow}L${step.to}: ${plain(`${step.index} ${labelOf(step)}`)}`;
  }
  for (const m of media) yield bar(m);
  yield '```';
}

/** Entity codes of Mermaid (`#59;`) for all that could end a label, begin a directive or be markup. */
function plain(text: string): string {
  return text.replace(/[^\p{L}\p{N} .,()/+@_-]/gu, (c) => `#${c.codePointAt(0) ?? 63};`).replace(/--/g, '-#45;');
}
