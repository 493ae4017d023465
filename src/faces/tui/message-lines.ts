/** The messages of calls one below the other, each with who sent it to whom, and when. */
import type { AskMessages } from '../../contract/index.ts';
import { counted } from '../../core/counted.ts';
import { clockAt } from '../../view/clock.ts';
import { LOOK } from './cells.ts';
import type { ShownLine } from './difference.ts';
import { linesOf } from './message-pane.ts';
import type { Shown } from './shown.ts';

export function messageLines(found: AskMessages, { isUtc }: Pick<Shown, 'isUtc'>): ShownLine[] {
  const missing = (found.not_shown?.messages ?? 0) + found.not_kept;
  const notShown =
    missing === 0
      ? []
      : [{ text: `${counted(missing, 'more message')}: not kept, or without room here.`, look: LOOK.dim }];
  return [
    ...notShown,
    ...found.messages.flatMap((message) => {
      const { date, time } = clockAt(message.at, isUtc);
      const head = `${date} ${time}  ${message.src} -> ${message.dst}  ${message.transport} ${message.origin}`;
      return [
        { text: head, look: LOOK.bold },
        ...linesOf(message).map((text) => ({ text, look: LOOK.plain })),
        { text: '', look: LOOK.plain },
      ];
    }),
  ];
}
