/** Parts that sections of the page share: a section, a list of facts, a table that becomes cards on a phone, times. */
import { clockAt } from '../../view/clock.ts';
import type { Markup } from './markup.ts';
import { cut, html } from './markup.ts';
import { PAGE_CELL_CHARS, PAGE_FACT_CHARS } from './page-input.ts';

/** Rows of a table of a page, and sentences of a list. @cap */
const PAGE_ROWS = 200;

export function section(id: string, title: string, ...content: readonly Markup[]): Markup {
  return html`<section id="${id}" aria-labelledby="h-${id}">
<h2 id="h-${id}">${title}</h2>
${content}
</section>`;
}

/** Label and value, in their order. */
export function facts(list: readonly (readonly [string, string])[]): Markup {
  const rows = list.map(([label, value]) => html`<div><dt>${label}</dt><dd>${cut(value, PAGE_FACT_CHARS)}</dd></div>`);
  return html`<dl>${rows}</dl>`;
}

export function paragraphs(sentences: readonly string[], look = 'dim'): Markup {
  const shown = sentences.slice(0, PAGE_ROWS).map((text) => html`<p class="${look}">${cut(text, PAGE_FACT_CHARS)}</p>`);
  const beyond = sentences.length - shown.length;
  return html`${shown}${beyond > 0 ? [html`<p class="${look}">${beyond} more are left out.</p>`] : []}`;
}

/** On a narrow page each row is a card, and each cell has the head of its column before it. */
export function table(name: string, head: readonly string[], rows: readonly (readonly (string | Markup)[])[]): Markup {
  const cell = (value: string | Markup, column: number): Markup =>
    html`<td data-head="${head[column] ?? ''}">${typeof value === 'string' ? cut(value, PAGE_CELL_CHARS) : value}</td>`;
  const shown = rows.slice(0, PAGE_ROWS).map((row) => html`<tr>${row.map(cell)}</tr>`);
  const beyond = rows.length - shown.length;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${name}"><table>
<thead><tr>${head.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>${shown}</tbody>
</table></div>${beyond > 0 ? [html`<p class="dim">${beyond} more rows are left out.</p>`] : []}`;
}

/** Day, time of day to the millisecond, and zone. */
export function momentText(at: string, isUtc: boolean): string {
  const { date, time, zone } = clockAt(at, isUtc);
  return `${date} ${time} ${zone === 'Z' ? 'UTC' : zone}`;
}

/** Seconds of the epoch, to the microsecond. */
export function secondsOf(at: string): number {
  return Math.floor(Date.parse(at) / 1000) + Number(`0.${/\.(\d+)/.exec(at)?.[1] ?? '0'}`);
}

/** A share of the width as SVG takes it. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(2)}%`;
}
