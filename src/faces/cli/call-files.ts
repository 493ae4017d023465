/**
 * What is written beside the capture for one call: its page, its audio, and SIPp scenarios that replay it.
 */
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { oneLine } from '../../config/option-value.ts';
import type { AskQuality } from '../../contract/index.ts';
import { writeNewFile } from '../../core/create-file.ts';
import { errnoOf, failure } from '../../core/errors.ts';
import { makeFolder } from '../../core/make-folder.ts';
import type { Explorer } from '../../explore/port.ts';
import { type Answer, whyRefused } from '../../explore/refusal.ts';
import type { Lines } from './print-lines.ts';

/** Writes the WAV of a call, or of a span of it; a line says what is in it. */
export async function writeAudio(
  explorer: Explorer,
  { to, force, span, qualityInterval }: Config,
  callId: string,
): Promise<Lines> {
  const path = to ?? '';
  const part = span === 'worst' ? worstSpan(await explorer.quality(callId), qualityInterval) : readSpan(span);
  const audio = await refusedAs('AUDIO_NOT_MADE', () => explorer.audio(callId, part ?? undefined));
  writeNewFile(path, audio.wav, force);
  const where = part === null ? '' : `, ${part.fromSec.toFixed(1)} to ${part.toSec.toFixed(1)} s of the call`;
  const lack = audio.isPartial ? ', partial (its comment says what is missing)' : '';
  const sealed = audio.sealed === undefined ? [] : [`silent: ${oneLine(audio.sealed)}`];
  return [`${oneLine(path)}: ${audio.wav.length} bytes${where}${lack}`, ...sealed];
}

/** The answer; a refusal is the line of that error. */
async function refusedAs<T>(code: 'AUDIO_NOT_MADE' | 'SCENARIOS_NOT_MADE', asked: () => Answer<T>): Promise<T> {
  try {
    return await asked();
  } catch (error) {
    throw failure(code, { reason: whyRefused(error).replace(/\.$/, '') });
  }
}

type Span = { readonly fromSec: number; readonly toSec: number };

/** `10..12`, in seconds after the first packet; null without one. Throws SPAN_INVALID. */
function readSpan(text: string | null): Span | null {
  if (text === null) return null;
  const [, from = '', to = ''] = /^(\d{1,6}(?:\.\d{1,3})?)\.\.(\d{1,6}(?:\.\d{1,3})?)$/.exec(text) ?? [];
  if (from === '' || Number(to) <= Number(from)) throw failure('SPAN_INVALID', { value: oneLine(text.slice(0, 60)) });
  return { fromSec: Number(from), toSec: Number(to) };
}

/** The window with the lowest score, else with most loss; null where no window was measured. */
function worstSpan({ streams }: AskQuality, windowSec: number): Span | null {
  const startMs = Math.min(...streams.map(({ first_seen }) => Date.parse(first_seen)));
  let worst: { readonly atMs: number; readonly badness: number } | null = null;
  for (const { quality_intervals } of streams) {
    for (const { timestamp, mos, loss_pct } of quality_intervals) {
      const badness = typeof mos === 'number' ? 500 - 100 * mos : loss_pct;
      if (worst === null || badness > worst.badness) worst = { atMs: Date.parse(timestamp), badness };
    }
  }
  if (worst === null) return null;
  const fromSec = Math.max(0, (worst.atMs - startMs) / 1000);
  return { fromSec, toSec: fromSec + windowSec };
}

/** Writes the page of a call; a line says how large it is. */
export function writePage(page: string, path: string, force: boolean): Lines {
  const bytes = Buffer.from(page);
  writeNewFile(path, bytes, force);
  return [`${oneLine(path)}: ${bytes.length} bytes`];
}

/** Writes the pair of scenarios into a folder; lines say how to run them, and what is not replayed as captured. */
export async function writeScenarios(
  explorer: Explorer,
  { to, force, showSecrets }: Config,
  callId: string,
): Promise<Lines> {
  const pair = await refusedAs('SCENARIOS_NOT_MADE', () => explorer.sipp(callId, showSecrets));
  const folder = to ?? '';
  makeScenarioFolder(folder);
  const [uac = '', uas = ''] = (['uac', 'uas'] as const).map((side) => {
    const path = join(folder, `${side}.xml`);
    writeNewFile(path, Buffer.from(pair[side], 'latin1'), force);
    return oneLine(path);
  });
  return [
    `sipp -sf ${uas} -m 1 -i 127.0.0.1 -p 5070 &`,
    `sipp -sf ${uac} -m 1 -i 127.0.0.1 -p 5071 127.0.0.1:5070`,
    ...pair.notes.map((note) => `note: ${note}`),
  ];
}

/** Throws WRITE_FAILED. */
function makeScenarioFolder(path: string): void {
  try {
    makeFolder(path, 0o700);
  } catch (error) {
    throw failure('WRITE_FAILED', { path, cause: errnoOf(error) ?? 'error' });
  }
}
