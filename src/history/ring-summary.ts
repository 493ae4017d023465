/**
 * What stands at the ends of the closed indexes of a folder, in one file beside them: so that one read opens a ring of thousands.
 *
 * It is believed of an index that has not changed since, and of no other. It has no user and no number: these go with their index.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { writeNewFile } from '../core/create-file.ts';
import type { Steps } from '../core/turns.ts';
import { BLOCK, packBlock } from './blocks.ts';
import type { Footer } from './footer.ts';
import { footerText, readFooter } from './footer.ts';
import { IndexBytes } from './index-bytes.ts';
import { jsonOf } from './values.ts';

/** `stamp`: of the index when it was looked at. `isIntact`: all of it was read, and no block was damaged. */
export type KnownEnd = { readonly stamp: string; readonly footer: Footer; readonly isIntact: boolean };

const NAME = '.calltap-ring';
/** Bytes of a block of the summary of a ring, and of what an index has in it: 50 usual indexes. */
const BLOCK_BYTES = 128 * 1024;
/** Blocks of the summary of a ring that are read and written; further indexes are opened one by one. @cap */
const HISTORY_SUMMARY_BLOCKS = 512;

/** By the names of the indexes, a step a block; empty where the summary is none, or another user's. */
export function* readSummarySteps(folder: string): Steps<ReadonlyMap<string, KnownEnd>> {
  const known = new Map<string, KnownEnd>();
  const path = join(folder, NAME);
  const found = IndexBytes.with(path, (bytes) => (mayBelieve(folder, bytes.owner) ? bytes.find(0).blocks : []));
  for (const { kind, offset } of found.ok ? found.value.slice(0, HISTORY_SUMMARY_BLOCKS) : []) {
    yield;
    const content = IndexBytes.with(path, (bytes) =>
      kind === BLOCK.summary && mayBelieve(folder, bytes.owner) ? bytes.content(offset, kind) : null,
    );
    const lines = content.ok && content.value !== null ? content.value.toString('utf8').split('\n') : [];
    for (let i = 0; i + 1 < lines.length; i += 2) {
      const [about, footer] = [jsonOf(lines[i] ?? ''), readFooter(lines[i + 1] ?? '')];
      if (!Array.isArray(about) || footer === null) continue;
      const [name, stamp, isIntact] = about as unknown[];
      if (typeof name === 'string' && typeof stamp === 'string')
        known.set(name, { stamp, footer, isIntact: isIntact === true });
    }
  }
  return known;
}

/** Replaces the summary; in a folder where nothing may be written it does nothing. */
export function writeSummary(folder: string, known: ReadonlyMap<string, KnownEnd>): void {
  const blocks: Buffer[] = [];
  let lines: string[] = [];
  let [bytes, offset] = [0, 0];
  const end = (): void => {
    if (lines.length === 0 || blocks.length >= HISTORY_SUMMARY_BLOCKS) return;
    const block = packBlock(BLOCK.summary, offset, Buffer.from(lines.join('\n')));
    blocks.push(block);
    offset += block.length;
    lines = [];
    bytes = 0;
  };
  for (const [name, { stamp, footer, isIntact }] of known) {
    const pair = [JSON.stringify([name, stamp, isIntact]), footerText(footer)];
    const more = pair.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
    if (more > BLOCK_BYTES) continue;
    if (bytes + more > BLOCK_BYTES) end();
    lines.push(...pair);
    bytes += more;
  }
  end();
  try {
    writeNewFile(join(folder, NAME), Buffer.concat(blocks), true);
  } catch {
    // The folder is another user's, or its disk is full: the next start opens the indexes one by one, as this one did.
  }
}

/** Whoever owns the folder may replace its indexes too; others that may write to it may not. */
function mayBelieve(folder: string, owner: number): boolean {
  return owner === 0 || owner === process.geteuid?.() || owner === statSync(folder).uid;
}
