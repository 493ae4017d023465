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

/** What a row says is wrong with its call; of an earlier version of calltap the sentences alone. */
export function explanationIn({ explanation, hints }: { explanation: string; hints: string[] }): AskExplained[] {
  if (explanation !== '')
    try {
      return readShape(AskExplanation, explanation, AGENT_VALUES);
    } catch {
      return [];
    }
  return hints.length === 0 ? [] : [{ finding: 'note', ground: 'seen', depth: 0, texts: hints }];
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
