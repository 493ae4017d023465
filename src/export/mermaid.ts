/**
 * The ladder as a Mermaid diagram in Markdown, which trackers draw. Captured text keeps no meaning: what is no plain
 * character is written as its number.
 */
import type { AskLadder, LadderMedia } from '../contract/index.ts';
import { whatIsNotShown } from '../core/not-shown.ts';
import { labelOf, sharedEnds, sharedLine } from '../view/ladder-text.ts';

/** Line by line, the fence included, after what it has no room for. */
export function* mermaidLines(l: AskLadder): Generator<string> {
  const notShown = whatIsNotShown(l);
  for (const sentence of notShown) yield `- ${sentence}`;
  if (notShown.length > 0) yield '';
  yield '```mermaid';
  yield 'sequenceDiagram';
  for (const [i, { label }] of l.lifelines.entries()) yield `  participant L${i} as ${plain(label)}`;
  const shared = sharedLine(l);
  let bars = 0;
  const bar = (m: LadderMedia): string => {
    const mos = m.mos === undefined ? '' : `, MOS ${m.mos.toFixed(2)}`;
    const what = ['RTP', m.type, m.codec].filter((word) => word !== undefined).join(' ');
    const way = m.one_way === true ? ', one way' : '';
    const loss = m.not_known === undefined ? `${m.loss_pct.toFixed(1)} % lost` : 'loss not known';
    return `  L${m.from}--)L${m.to}: ${plain(`${what} ${m.packets} packets, ${loss}${mos}${way}`)}`;
  };
  for (const step of l.steps) {
    for (let m = l.media[bars]; m !== undefined && m.first_seen <= step.at; m = l.media[++bars]) yield bar(m);
    const arrow = step.notes.length > 0 ? '-->>' : '->>';
    yield `  L${step.from}${arrow}L${step.to}: ${plain([`${step.index} ${labelOf(step)}`, ...sharedEnds(step, shared)].join(', '))}`;
  }
  for (const m of l.media.slice(bars)) yield bar(m);
  yield '```';
}

/** Entity codes of Mermaid (`#59;`) for all that could end a label, begin a directive or be markup. */
function plain(text: string): string {
  return text.replace(/[^\p{L}\p{N} .,()/+@_-]/gu, (c) => `#${c.codePointAt(0) ?? 63};`).replace(/--/g, '-#45;');
}
