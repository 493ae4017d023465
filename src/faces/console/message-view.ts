/** One message: its headers with what is unusual beside them, its body, and what differs from a marked one. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { useState } from 'preact/hooks';
import type { AskMessage, LintFinding, LintResult } from '../../contract/index.ts';
import { lineDifference } from '../../core/line-difference.ts';
import { useFetched, whyOf } from './asking.ts';
import { copied } from './copy.ts';
import { line, rawText } from './message-lines.ts';
import type { HeaderLine } from './message-text.ts';
import { linesOf, partsOf } from './message-text.ts';
import { clock, shown, shownLine } from './words.ts';

type Props = {
  readonly message: AskMessage;
  /** Another message to compare with. */
  readonly other: AskMessage | null;
  readonly isMarked: boolean;
  readonly onMark: () => void;
};

/** How the user wants messages shown: it holds for the next one too. */
let wantsRaw = false;
let wantsAll = false;

export function MessageView({ message, other, isMarked, onMark }: Props): ComponentChild {
  const { value: lint } = useFetched<LintResult>(`v1/dialogs/${encodeURIComponent(message.call_id)}/lint`);
  const findings = (lint?.findings ?? []).filter((finding) => finding.message_index === message.index);
  const [isRaw, setRaw] = useState(wantsRaw);
  const [said, setSaid] = useState('');
  const showRaw = (is: boolean): void => {
    wantsRaw = is;
    setRaw(is);
  };
  const copy = (): void => {
    copied(rawText(message.text), 'The message is copied.').then(setSaid, (error: unknown) => setSaid(whyOf(error)));
  };
  return h(
    'section',
    { class: 'message', 'aria-label': 'Message', tabIndex: 0 },
    h(
      'p',
      { class: 'dim' },
      `${clock(message.at, 6)} ${shown(message.src)} \u2192 ${shown(message.dst)} ${message.transport}, by ${message.origin}`,
      message.notes.map((note) => h('span', { key: note, class: 'chip' }, note)),
    ),
    h(
      'div',
      { class: 'bar' },
      h(
        'button',
        { type: 'button', 'aria-pressed': isMarked, title: 'Mark it, then choose another message', onClick: onMark },
        isMarked ? '\u25c6 Marked: choose another' : 'Compare with another',
      ),
      h('button', { type: 'button', 'aria-pressed': isRaw, onClick: () => showRaw(!isRaw) }, 'Raw text'),
      h('button', { type: 'button', onClick: copy }, 'Copy'),
      h('span', { role: 'status', class: 'said' }, shown(said)),
    ),
    other !== null
      ? h(Difference, { a: other, b: message })
      : isRaw
        ? h('pre', { class: 'sip' }, rawText(message.text))
        : h(Whole, { text: message.text, findings }),
  );
}

function Whole({
  text,
  findings,
}: {
  readonly text: string;
  readonly findings: readonly LintFinding[];
}): ComponentChild {
  const { start, first, folded, body, lint } = partsOf(text, findings);
  return h(
    'div',
    { class: 'sip' },
    h('p', { class: 'start' }, line(start)),
    lint.map((finding) => h(Lint, { key: finding.rule_id, finding })),
    h('dl', null, first.map(header)),
    folded.length === 0
      ? null
      : h(
          'details',
          {
            open: wantsAll,
            onToggle: (event: Event) => {
              wantsAll = (event.currentTarget as HTMLDetailsElement).open;
            },
          },
          h('summary', null, `${folded.length} more headers`),
          h('dl', null, folded.map(header)),
        ),
    body.length === 0
      ? null
      : h(
          'div',
          { class: 'body', role: 'group', 'aria-label': 'Body' },
          body.map((text, i) => h('div', { key: i, class: bodyTone(text) }, line(text))),
        ),
  );
}

/** Lines of an SDP that say where media goes and how stand out. */
function bodyTone(text: string): string {
  return /^(?:m=|c=|a=(?:sendonly|recvonly|inactive|sendrecv))/.test(text) ? 'strong' : '';
}

function header({ name, value, lint }: HeaderLine, i: number): ComponentChild {
  return [
    h('dt', { key: `n${i}` }, line(name)),
    h(
      'dd',
      { key: `v${i}` },
      line(value),
      lint.map((finding) => h(Lint, { key: finding.rule_id, finding })),
    ),
  ];
}

/** On what a finding of lint rests. */
export const BASES = {
  must: 'breach',
  should: 'against a recommendation',
  interop: 'trips equipment',
  observation: 'observed',
} as const;

function Lint({ finding }: { readonly finding: LintFinding }): ComponentChild {
  const { severity, basis, rule_id, rfc, section, observed, expected, explanation } = finding;
  return h(
    'div',
    { class: `lint ${severity === 'error' ? 'bad' : 'warn'}` },
    h('b', null, `\u26a0 ${severity}: ${rule_id}`),
    ` (${BASES[basis]}, RFC ${rfc} ${section}) ${shownLine(observed)}. Expected: ${expected}. ${explanation}`,
  );
}

function Difference({ a, b }: { readonly a: AskMessage; readonly b: AskMessage }): ComponentChild {
  const lines = ({ text }: AskMessage): string[] => linesOf(text);
  const marks = { both: ' ', a: '\u2212', b: '+' } as const;
  return h(
    'div',
    { class: 'sip difference', role: 'group', 'aria-label': 'Difference' },
    h(
      'p',
      null,
      h('del', null, `\u2212 message ${a.index} of ${shown(a.call_id)}`),
      h('br', null),
      h('ins', null, `+ message ${b.index} of ${shown(b.call_id)}`),
    ),
    lineDifference(lines(a), lines(b)).map(({ text, side }, i) =>
      h(side === 'a' ? 'del' : side === 'b' ? 'ins' : 'div', { key: i }, `${marks[side]} ${line(text)}`),
    ),
  );
}
