/**
 * Prints what happens in a live capture: each message of the chosen calls, or each dialog when it has ended. Lines that the
 * reader of standard output does not take in time are counted, and hold nothing up.
 */
import type { Config } from '../../config/config.ts';
import type { Telling } from '../../view/live-documents.ts';
import type { Asked } from './asked.ts';
import { oneMessage } from './messages.ts';
import { standardOutput } from './standard-streams.ts';

/** Null where nothing is printed before the end. */
export function tellingOf(config: Config, { question, style }: Asked): Telling | null {
  const { json, messages, noBody, raw, showSecrets } = config;
  const isEach = messages === 'all';
  if (!json && !isEach) return null;
  const shown = { color: style.color, isUtc: style.isUtc, hasBody: !noBody, isRaw: raw };
  return {
    filter: question.filter,
    showsSecrets: showSecrets,
    onMessage: isEach ? (m, call) => standardOutput.write(`${[...oneMessage(m, shown, call)].join('\n')}\n`) : null,
    onEnd: json ? (document) => standardOutput.write(`${JSON.stringify(document)}\n`) : null,
  };
}
