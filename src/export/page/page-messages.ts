/** The messages of the page: each with its first line, who sent it to whom and when, and its text without secrets. */
import type { AskLadder, AskMessage } from '../../contract/index.ts';
import type { Steps } from '../../core/turns.ts';
import { legName } from '../../view/ladder-text.ts';
import type { Markup } from './markup.ts';
import { cut, html } from './markup.ts';
import type { PageInput } from './page-input.ts';
import { anchorOf } from './page-ladder.ts';
import { momentText, paragraphs, section } from './parts.ts';

/** Messages of a page, characters of the text of one as captured, and of all as written. @cap */
const PAGE_MESSAGES = 1_000;
const PAGE_MESSAGE_CHARS = 16 * 1024;
const PAGE_MESSAGES_CHARS = 2 * 1024 * 1024;

export type PageMessages = {
  readonly section: Markup;
  /** Of the messages that are on the page. */
  readonly anchors: ReadonlySet<string>;
};

/** A step a message. */
export function* messagesSection({ ladder, messages, isUtc }: PageInput): Steps<PageMessages> {
  const anchors = new Set<string>();
  const shown: Markup[] = [];
  let chars = 0;
  for (const message of messages.messages) {
    if (shown.length >= PAGE_MESSAGES || chars >= PAGE_MESSAGES_CHARS) break;
    const anchor = anchorOf(ladder, message);
    const made = messageMarkup(message, anchor, ladder, isUtc);
    chars += made.text.length;
    anchors.add(anchor);
    shown.push(made);
    yield;
  }
  const beyond = messages.messages.length - shown.length + (messages.not_shown?.messages ?? 0);
  const sentences = [
    'Credentials, keys and passwords are removed.',
    ...(beyond > 0 ? [`${beyond} messages are left out: the page has no room for them.`] : []),
    ...(messages.not_kept > 0 ? [`${messages.not_kept} messages of the call were not kept.`] : []),
  ];
  return { section: section('messages', 'Messages', paragraphs(sentences), html`${shown}`), anchors };
}

function messageMarkup(message: AskMessage, anchor: string, ladder: AskLadder, isUtc: boolean): Markup {
  const { index, summary, at, src, dst, transport, notes, text, hosts = [] } = message;
  const letter = ladder.call_ids.length > 1 ? `${legName(ladder, message.call_id)} ` : '';
  const facts = [momentText(at, isUtc), `${src} \u2192 ${dst}`, transport, ...hosts, ...notes];
  const beyond = text.length - PAGE_MESSAGE_CHARS;
  // The end of a line is no character to be shown; a blank stands for a tab, as columns of headers need none.
  const lines = text
    .slice(0, PAGE_MESSAGE_CHARS)
    .replace(/[\r\n]+$/, '')
    .replaceAll('\t', ' ')
    .split(/\r?\n/);
  return html`<article id="${anchor}"><h3>${letter}${index} ${cut(summary, 200)}</h3>
<p class="dim">${cut(facts.join(', '), 400)}</p>
<pre>${lines.map((line) => html`${line}`)}</pre>
${beyond > 0 ? [html`<p class="warn">${beyond} more characters of this message are left out.</p>`] : []}</article>`;
}
