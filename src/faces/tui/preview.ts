/**
 * The call of the row that is chosen, beside the list: what is wrong, and its ladder. It is read when the row is another one or has
 * changed, one call at a time: whoever goes down fast sees the last one.
 */
import type { AskHead, AskLadder, Call } from '../../contract/index.ts';
import { faults } from '../../core/faults.ts';
import { rowKey } from '../../core/maps.ts';
import type { TerminalPort } from '../../explore/port.ts';
import { whyMissing } from './answered.ts';
import type { Area } from './app.ts';
import { drawHead } from './call-head.ts';
import type { Cells } from './cells.ts';
import { LOOK } from './cells.ts';
import { LadderPane } from './ladder-pane.ts';
import type { Shown } from './shown.ts';

/** Cells of a screen from which on the call stands beside the list, and those of the list then. */
const LEAST = 160;
const LIST_PART = 0.59;

/** Cells of the list and of the call beside it; 0 where there is no room for it. */
export function besideList(width: number): { readonly list: number; readonly call: number } {
  if (width < LEAST) return { list: width, call: 0 };
  const list = Math.floor(width * LIST_PART);
  return { list, call: width - list - BORDER.length };
}

const BORDER = ' | ';

type Read = { readonly head: AskHead | null; readonly ladder: AskLadder | null; readonly trouble: string };
const NOTHING: Read = { head: null, ladder: null, trouble: '' };

export class Preview {
  readonly #port: Pick<TerminalPort, 'head' | 'ladder'>;
  readonly #onChanged: () => void;
  readonly #drawing = new LadderPane();
  /** What is shown, and of which call in which state. */
  #read = NOTHING;
  #readOf = '';
  #callId = '';
  #isReading = false;

  constructor(port: Pick<TerminalPort, 'head' | 'ladder'>, onChanged: () => void) {
    this.#port = port;
    this.#onChanged = onChanged;
  }

  draw(cells: Cells, { x, y, width, height }: Area, call: Call | undefined, shown: Shown): void {
    for (let i = 0; i < height; i++) cells.put(x, y + i, BORDER, LOOK.dim);
    if (call === undefined) return;
    this.#follow(call);
    // That of another call is none of this one.
    const { head, ladder, trouble } = this.#callId === call.call_id ? this.#read : NOTHING;
    const area = { x: x + BORDER.length, y, width, height };
    const above = drawHead(cells, area, { callId: call.call_id, head, trouble });
    const below = { ...area, y: y + above, height: height - above };
    if (ladder !== null && below.height > 1) this.#drawing.draw(cells, below, ladder, null, shown);
  }

  #follow(call: Call): void {
    const wanted = `${rowKey(call)} ${call.updated_at} ${call.msg_count} ${call.state} ${call.findings.join()}`;
    if (this.#isReading || wanted === this.#readOf) return;
    this.#readOf = wanted;
    this.#isReading = true;
    faults.run('face', () => this.#readCall(call.call_id));
  }

  async #readCall(callId: string): Promise<void> {
    try {
      const [head, ladder] = await Promise.all([this.#port.head(callId), this.#port.ladder([callId])]);
      this.#read = { head, ladder, trouble: '' };
    } catch (error) {
      this.#read = { ...NOTHING, trouble: whyMissing(error) };
    } finally {
      this.#isReading = false;
    }
    this.#callId = callId;
    this.#onChanged();
  }
}
