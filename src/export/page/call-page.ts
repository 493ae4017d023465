/**
 * The page of one call, to be mailed to somebody without access: one HTML file without scripts, and without anything that is
 * fetched. Its policy lets nothing but its own style through.
 */
import { createHash } from 'node:crypto';
import { packageVersion } from '../../core/package.ts';
import { timestampText } from '../../core/timestamp.ts';
import type { Steps } from '../../core/turns.ts';
import { html } from './markup.ts';
import { factsSection, findingsSection, head, limitsSection, offersSection, titleOf } from './page-head.ts';
import type { PageInput } from './page-input.ts';
import { ladderSection } from './page-ladder.ts';
import { messagesSection } from './page-messages.ts';
import { qualitySection } from './page-quality.ts';
import { PAGE_STYLE } from './page-style.ts';
import { momentText } from './parts.ts';

const STYLE_HASH = createHash('sha256').update(PAGE_STYLE).digest('base64');

/** Of the page itself, and of whoever serves it: no script, no request, one style. */
export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'`;

/** How every page begins: before its policy it has nothing that could run. */
export const PAGE_BEGIN =
  /^<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; base-uri 'none'; form-action 'none'">\n/;

/** Of what the capture dropped itself, and of times without a score. */
const HATCHES = html`<svg width="0" height="0" aria-hidden="true"><defs>
<pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line x1="0" y1="0" x2="0" y2="7"/></pattern>
<pattern id="bare" width="9" height="9" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line x1="0" y1="0" x2="0" y2="9"/></pattern>
</defs></svg>`;

const SECTIONS = [
  ['findings', 'Findings'],
  ['ladder', 'Ladder'],
  ['quality', 'Media'],
  ['messages', 'Messages'],
  ['facts', 'The call'],
] as const;

/** A step for each row of the ladder, picture and message. */
export function* callPage(input: PageInput): Steps<string> {
  const messages = yield* messagesSection(input);
  const ladder = yield* ladderSection(input, messages.anchors);
  const quality = yield* qualitySection(input);
  const made = momentText(timestampText(input.madeUs), input.isUtc);
  const begin = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${PAGE_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${titleOf(input.document)}</title>`;
  const body = html`</head>
<body>
${head(input)}
<main>
<nav aria-label="On this page">${SECTIONS.map(([id, title]) => html`<a href="#${id}">${title}</a>`)}</nav>
${findingsSection(input, messages.anchors)}
${limitsSection(input)}
${ladder}
${HATCHES}
${quality}
${offersSection(input)}
${factsSection(input)}
${messages.section}
</main>
<footer><p>Made by calltap ${packageVersion()} at ${made}. Times are in ${made.split(' ').at(-1) ?? ''}.</p></footer>
</body>
</html>`;
  return `${begin.text}\n<style>${PAGE_STYLE}</style>\n${body.text}\n`;
}
