/**
 * What agents ship as JSON is held to the contract before anything reads it: an agent may be of another version, and whoever has
 * its password can insert what he likes.
 */

import type { AskExplained } from '../../contract/index.ts';
import { AskExplanation, CallDocument } from '../../contract/index.ts';
import { parseJson } from '../../core/json-text.ts';
import type { Binding } from '../../view/ask-registrations.ts';
import { AGENT_VALUES } from '../limits.ts';
import { Away } from '../refusal.ts';
import { readShape } from '../remote/shapes.ts';
import { HUB_ROW_VALUES } from './store-rows.ts';

/** Null where it is no document of a call. */
export function readDocument(text: string): CallDocument | null {
  try {
    return readShape(CallDocument, text, AGENT_VALUES);
  } catch {
    return null;
  }
}

/** Of what a row says is wrong with its call: characters, findings, sentences of each, characters of one, and messages that show it. @cap */
const MAX_EXPLANATION_CHARS = 1_048_576;
const MAX_EXPLAINED = 64;
const MAX_SENTENCES = 256;
const MAX_SENTENCE_CHARS = 2_048;
const MAX_NUMBERS = 500;

/** What a row says is wrong with its call; of an earlier version of calltap the sentences alone. */
export function explanationIn({ explanation, hints }: { explanation: string; hints: string[] }): AskExplained[] {
  if (explanation.length > MAX_EXPLANATION_CHARS) return [];
  if (explanation !== '')
    try {
      return readShape(AskExplanation, explanation, AGENT_VALUES).slice(0, MAX_EXPLAINED).map(bounded);
    } catch {
      return [];
    }
  return hints.length === 0 ? [] : [{ finding: 'note', ground: 'seen', depth: 0, texts: sentences(hints) }];
}

/** What the contract names of it, and no more of that than a page shows. */
function bounded({ finding, ground, depth, texts, messages }: AskExplained): AskExplained {
  const all = { finding: finding.slice(0, MAX_SENTENCE_CHARS), ground, depth, texts: sentences(texts) };
  return messages === undefined ? all : { ...all, messages: messages.slice(0, MAX_NUMBERS) };
}

function sentences(texts: readonly string[]): string[] {
  return texts.slice(0, MAX_SENTENCES).map((text) => text.slice(0, MAX_SENTENCE_CHARS));
}

/** None of the documents of a call can be read. */
export function unreadable(hosts: readonly string[]): Away {
  return new Away(
    'agent-away',
    `What ${hosts.join(', ')} shipped of this call cannot be read: update that agent, or this hub.`,
  );
}

const NO_BINDING: Binding = { contacts: [] };

/** What a REGISTER binds; nothing where it cannot be read, or an earlier version shipped none. */
export function readBinding(text: string): Binding {
  let value: unknown;
  try {
    value = parseJson(text, HUB_ROW_VALUES);
  } catch {
    return NO_BINDING;
  }
  if (typeof value !== 'object' || value === null) return NO_BINDING;
  const of: Readonly<Record<string, unknown>> = { ...value };
  const { aor, contacts, expires_asked_sec: asked, expires_granted_sec: granted, expires_at: ends } = of;
  const isSeconds = (n: unknown): n is number => typeof n === 'number' && Number.isInteger(n) && n >= 0;
  return {
    ...(typeof aor === 'string' ? { aor } : {}),
    contacts: Array.isArray(contacts) ? contacts.filter((one) => typeof one === 'string') : [],
    ...(isSeconds(asked) ? { expires_asked_sec: asked } : {}),
    ...(isSeconds(granted) ? { expires_granted_sec: granted } : {}),
    ...(typeof ends === 'string' && !Number.isNaN(Date.parse(ends)) ? { expires_at: ends } : {}),
  };
}
