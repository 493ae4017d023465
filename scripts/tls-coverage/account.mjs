// Compares what a program and its partner sent each other with what calltap printed (--messages), and says it in cells.
import { identity } from './sip.mjs';

/** The line before each message: date, time, addresses, transport, source, call and number, notes. */
const HEAD = /^\d{4}-\d\d-\d\d \S+ {2}(\S+) -> (\S+) {2}\S+ uprobe {2}\S+#\d+(?: {2}\((.*)\))?$/;

/** The messages of the probes in what calltap printed: [{ from, to, identity, isProven }]. */
export function printed(text) {
  const lines = text.split('\n');
  const found = [];
  let open = null;
  const close = () => {
    if (open === null) return;
    const { from, to, isProven } = open;
    found.push({ from, to, identity: identity(open.lines.join('\r\n')), isProven });
  };
  for (const line of lines) {
    const head = HEAD.exec(line);
    if (head === null) {
      open?.lines.push(line);
      continue;
    }
    close();
    const [, from, to, notes = ''] = head;
    open = { from, to, isProven: !/address-(likely|unknown)/.test(notes), lines: [] };
  }
  close();
  return found;
}

/**
 * `sent` and `seen` are lists of { from, to, identity }. Every message counts as often as it was sent; what nobody sent is
 * another program's. `read` and `written`, each [seen, sent], are by the program, whose partner is at `partner` (an
 * address without a port).
 */
export function compare(sent, seen, partner) {
  const waiting = new Map();
  for (const message of seen) waiting.set(message.identity, [...(waiting.get(message.identity) ?? []), message]);
  const count = { read: [0, 0], written: [0, 0], right: 0, unproven: 0, extra: 0 };
  for (const { from, to, identity: which } of sent) {
    const way = from.startsWith(`${partner}:`) ? count.read : count.written;
    way[1]++;
    const same = waiting.get(which) ?? [];
    const fitting = same.findIndex((message) => message.from === from && message.to === to);
    const [found] = same.splice(Math.max(fitting, 0), 1);
    if (found === undefined) continue;
    way[0]++;
    if (fitting >= 0) count.right++;
    if (fitting >= 0 && !found.isProven) count.unproven++;
  }
  const known = new Set(sent.map((message) => message.identity));
  for (const [which, left] of waiting) if (known.has(which)) count.extra += left.length;
  return count;
}

/** Whether every message was seen once, with its addresses. */
export function isWhole({ read, written, right, extra }) {
  const all = read[1] + written[1];
  return read[1] > 0 && written[1] > 0 && read[0] + written[0] === all && right === all && extra === 0;
}

/** Read, written, addresses: cells of the table. */
export function cells({ read, written, right, unproven, extra }) {
  const seen = read[0] + written[0];
  const wrong = right === seen ? 'right' : `${right} of ${seen} right`;
  const addresses = seen === 0 ? '' : unproven === 0 ? wrong : `${wrong}, ${unproven} only likely`;
  const more = extra === 0 ? '' : `, ${extra} more`;
  return [`${read[0]} of ${read[1]}`, `${written[0]} of ${written[1]}${more}`, addresses];
}
