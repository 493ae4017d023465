/**
 * The page of a call for somebody who must not know whose it is: its capture is made anonymous, and the ordinary reader of files makes
 * the page of that. So the page holds nothing that the capture does not.
 */
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Names } from '../core/names.ts';
import { Trunks } from '../core/trunks.ts';
import { textReplacer } from '../export/anonymize/anonymizer.ts';
import type { Anonymizing } from '../export/anonymize/anonymizing.ts';
import type { Figures } from '../view/figures.ts';
import type { CallCapture } from './captures.ts';
import { withSeenMedia } from './missed-media.ts';
import type { Explorer } from './port.ts';
import { ALL_CALLS } from './question.ts';

/** An anonymous capture as it is read: its figures, and who answers from them. */
type Anonymous = { explorerOf(figures: Figures): Pick<Explorer, 'calls' | 'html'>; figures: Figures; close(): void };

/** What is known of the call as it was. */
export type KnownCall = { readonly messages: number; readonly missesMedia: boolean };

export type PageParts = {
  readonly as: Anonymizing;
  readonly isUtc: boolean;
  /** Reads the files into stores of their own. */
  read(paths: readonly string[]): Promise<Anonymous>;
};

/**
 * `callIds`: those of the capture as they were, the call first. Null where the capture does not show them all:
 * on a connection a message may need frames of others.
 */
export async function anonymizedPage(
  { file, isRebuilt, lack, report = [] }: CallCapture,
  callIds: readonly string[],
  { messages, missesMedia }: KnownCall,
  { as, isUtc, read }: PageParts,
): Promise<string | null> {
  const folder = mkdtempSync(join(tmpdir(), 'calltap-page-'));
  try {
    const path = join(folder, 'capture.pcapng');
    await pipeline(file, createWriteStream(path, { mode: 0o600, flags: 'wx' }));
    const { explorerOf, figures, close } = await read([path]);
    try {
      const explorer = explorerOf({ ...figures, evidence: nameless(withSeenMedia(figures.evidence, missesMedia)) });
      const names = renamed(explorer, callIds, as);
      const shown = figures.evidence.stores.dialogs.get(names[0] ?? '')?.msgCount ?? 0;
      if (shown === 0 || (shown < messages && !isRebuilt)) return null;
      const notes = [...report.map(sentence), ...(lack === '' ? [] : [`Missing: ${lack}.`])];
      return await explorer.html(names, { notes, isUtc });
    } finally {
      close();
    }
  } finally {
    file.destroy();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The calls of the capture by their new names, the call first. Of a name that was cut, time decides. */
function renamed({ calls }: Pick<Explorer, 'calls'>, callIds: readonly string[], as: Anonymizing): readonly string[] {
  const here = new Set([...calls(ALL_CALLS)].map(({ call_id: callId }) => callId));
  const replace = textReplacer(as);
  const found = callIds.map(replace).filter((callId) => here.has(callId));
  return found.length > 0 ? found : [...here];
}

/** What the operator calls addresses may be an original, and an address may be another one's now. */
function nameless(evidence: Figures['evidence']): Figures['evidence'] {
  const rules = { ...evidence.rules, names: new Names([]), trunks: new Trunks([], []), host: '' };
  return { ...evidence, rules, trunkAt: (address) => address };
}

const sentence = (line: string): string => `${line.charAt(0).toUpperCase()}${line.slice(1)}.`;
