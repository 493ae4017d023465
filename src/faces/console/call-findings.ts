/** The tab of the findings: all that is wrong with a call, what it rests on and where to look, and what breaks a standard. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import type { AskHead, CallDocument, LintResult } from '../../contract/index.ts';
import { useFetched } from './asking.ts';
import { Explained, MessageButton } from './call-cause.ts';
import { BASES } from './message-view.ts';
import { Waiting } from './parts.ts';
import { sentence } from './sentence.ts';
import { Table } from './table.ts';
import { shownLine } from './words.ts';

type Props = {
  readonly call: CallDocument;
  readonly head: AskHead | undefined;
  readonly onMessage: (index: number) => void;
};

const HEAD = ['Rule', 'Severity', 'Message', '~Observed', '~Expected', '~Why'];
const SPARE = ['Why', 'Expected'];

export function CallFindings({ call, head, onMessage }: Props): ComponentChild {
  const lint = useFetched<LintResult>(`v1/dialogs/${encodeURIComponent(call.call_id)}/lint`);
  const explained = head?.explanation ?? [];
  return [
    h('h2', null, 'What is wrong'),
    head !== undefined && explained.length === 0 ? h('p', null, 'Nothing that calltap looks for.') : null,
    explained.map((one, i) =>
      h(
        'div',
        { key: i, class: 'note' },
        h(Explained, { one, onMessage }),
        one.look && h('p', { class: 'dim' }, sentence(one.look)),
      ),
    ),
    h('h2', null, 'What breaks a standard, or trips equipment'),
    lint.value === undefined
      ? h(Waiting, { fetched: lint, what: 'The check of the messages' })
      : lint.value.findings.length === 0
        ? h('p', null, 'Nothing in the messages of this call.')
        : h(Table, {
            name: 'Lint',
            head: HEAD,
            spare: SPARE,
            rows: lint.value.findings.map((found) => [
              `${found.rule_id}, RFC ${found.rfc} ${found.section}`,
              `${found.severity}: ${BASES[found.basis]}`,
              h(MessageButton, { index: found.message_index, onMessage }),
              shownLine(found.observed),
              found.expected,
              found.explanation,
            ]),
          }),
  ];
}
