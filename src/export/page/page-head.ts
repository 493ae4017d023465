/** The top of the page: who called whom and when, how it ended and why, in a sentence; then the findings and the facts. */
import type { AskExplained, AskLadder, CallDocument } from '../../contract/index.ts';
import { counted } from '../../core/counted.ts';
import type { Markup } from './markup.ts';
import { cut, html, NOTHING } from './markup.ts';
import type { PageInput } from './page-input.ts';
import { PAGE_FACT_CHARS } from './page-input.ts';
import { anchorOf } from './page-ladder.ts';
import { facts, momentText, paragraphs, section, table } from './parts.ts';

/** Findings of a page, sentences of one, and messages that one names. @cap */
const PAGE_FINDINGS = 50;
const PAGE_FINDING_TEXTS = 50;
const PAGE_FINDING_MESSAGES = 12;

const SDP_HEAD = ['At', 'What', 'Media', 'Media address', 'Mode', 'Codecs', 'Change'];
/** Characters of a name of a caller. */
const PARTY_CHARS = 120;

/** `INVITE Alice <1001> → Bob <1002>`, for the heading and the title. */
export function titleOf({ method, from_display, to_display, ...of }: CallDocument): string {
  const [from, to] = [of.from ?? of.from_host, of.to ?? of.to_host];
  const party = (user = '', display = ''): string => {
    const whole = display === '' ? user : `${display} <${user}>`;
    return whole === '' ? 'unknown' : cut(whole, PARTY_CHARS);
  };
  return `${cut(method, 40)} ${party(from, from_display)} \u2192 ${party(to, to_display)}`;
}

export function head({ document, head: { call, explanation }, isUtc }: PageInput): Markup {
  const { created_at, duration_sec, msg_count, call_id, state } = document;
  const code = call.code === undefined ? '' : ` ${call.code} ${cut(call.reason ?? '', 100)}`;
  const when = [
    momentText(created_at, isUtc),
    `${duration_sec.toFixed(duration_sec < 10 ? 2 : 1)} s`,
    counted(msg_count, 'message'),
  ];
  const ended = call.ended_by === undefined ? [] : [html`<p>The ${call.ended_by} hung up.</p>`];
  return html`<header>
<h1>${titleOf(document)}</h1>
<p class="dim">${when.join(', ')}, Call-ID <code>${cut(call_id, PAGE_FACT_CHARS)}</code></p>
<div class="verdict ${lookOf(state, explanation)}">
<p><b>${state}${code}</b></p>
<p>${causeOf(explanation)}</p>
${ended}
</div>
</header>`;
}

function lookOf(state: string, explanation: readonly AskExplained[]): string {
  if (state === 'Failed') return 'bad';
  return explanation.some(({ finding }) => finding !== 'note') ? 'warn' : 'good';
}

/** What an expert says first. */
function causeOf(explanation: readonly AskExplained[]): string {
  const [first] = explanation.find(({ finding, texts }) => finding !== 'note' && texts.length > 0)?.texts ?? [];
  return cut(first ?? 'Nothing that calltap looks for is wrong with this call.', PAGE_FACT_CHARS);
}

/** What follows from a finding stands below it. `shown`: anchors of the messages that are on the page. */
export function findingsSection({ report, ladder }: PageInput, shown: ReadonlySet<string>): Markup {
  const { findings } = report;
  const listed = findings.slice(0, PAGE_FINDINGS).map((one) => findingMarkup(one, ladder, shown));
  const look = findings[0]?.look;
  return section(
    'findings',
    'Findings',
    listed.length === 0 ? html`<p>Nothing wrong was found.</p>` : html`<ul class="findings">${listed}</ul>`,
    paragraphs(findings.length > listed.length ? [`${findings.length - listed.length} more are left out.`] : []),
    look === undefined ? NOTHING : html`<p class="look">Next: ${cut(look, PAGE_FACT_CHARS)}</p>`,
    report.lint.length === 0 ? NOTHING : html`<h3>Protocol</h3>${paragraphs(report.lint)}`,
  );
}

function findingMarkup(one: AskExplained, ladder: AskLadder, shown: ReadonlySet<string>): Markup {
  const { finding, depth, texts, ground, messages = [] } = one;
  const kept = texts.slice(0, PAGE_FINDING_TEXTS);
  const said = kept.map((text) => html`<p>${cut(text, PAGE_FACT_CHARS)}</p>`);
  const rests = ground === 'seen' ? '' : ` (${ground})`;
  const more = texts.length - kept.length;
  return html`<li class="depth${Math.min(4, depth)} ${finding === 'note' ? 'note' : 'wrong'}"><p class="name">${finding}${rests}</p>
${said}${more > 0 ? [html`<p class="dim">${more} more sentences are left out.</p>`] : []}
${messages.length === 0 ? [] : [proof(messages, ladder, shown)]}</li>`;
}

/** The messages that show it, by their numbers in the ladder. */
function proof(messages: readonly number[], ladder: AskLadder, shown: ReadonlySet<string>): Markup {
  const named = messages.slice(0, PAGE_FINDING_MESSAGES).map((index) => {
    const anchor = anchorOf(ladder, { call_id: ladder.call_ids[0] ?? '', index });
    return shown.has(anchor) ? html`<a href="#${anchor}">message ${index}</a>` : html`<span>message ${index}</span>`;
  });
  const more = messages.length - named.length;
  return html`<p class="proof">Shown by ${named}${more > 0 ? ` and ${more} more` : ''}</p>`;
}

export function factsSection({ report }: PageInput): Markup {
  return section('facts', 'The call', facts([...report.facts, ...report.timing]));
}

export function offersSection({ report }: PageInput): Markup {
  return report.sdp.length === 0
    ? NOTHING
    : section('offers', 'Offers and answers', table('Offers and answers', SDP_HEAD, report.sdp));
}

/** What may be missing from the answer, and why. */
export function limitsSection({ limits, ladder, streams }: PageInput): Markup {
  const unknown = streams.flat().filter(({ not_known }) => not_known !== undefined).length;
  const clocks = (ladder.clocks ?? []).map(({ host, ahead_ms, pairs }) =>
    pairs === 0
      ? `How far the clock of ${host} is ahead is not known.`
      : `The clock of ${host} is ${ahead_ms} ms ahead of that of the first host.`,
  );
  const sentences = [
    ...limits,
    ...(unknown > 0
      ? [`The capture dropped packets itself: loss of ${counted(unknown, 'stream')} is not known in full.`]
      : []),
    ...clocks,
  ];
  return sentences.length === 0 ? NOTHING : section('limits', 'What limits this page', paragraphs(sentences, 'warn'));
}
