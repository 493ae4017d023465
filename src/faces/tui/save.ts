/**
 * Writes one call to files of the working directory, in each format. What is there already is never written over, and a
 * Call-ID becomes a name of harmless characters.
 */
import { mkdir, unlink } from 'node:fs/promises';
import { createFileAsync } from '../../core/create-file.ts';
import { errnoOf } from '../../core/errors.ts';
import { callIdFileName } from '../../core/file-name.ts';
import type { TerminalPort } from '../../explore/port.ts';
import { Refusal } from '../../explore/refusal.ts';
import { whyMissing } from './answered.ts';

export type SavePort = Pick<TerminalPort, 'capture' | 'text' | 'call' | 'sipp' | 'audio'>;

export const FORMATS = [
  { key: 'p', name: 'pcapng', help: 'pcapng' },
  { key: 'm', name: 'md', help: 'Markdown' },
  { key: 't', name: 'txt', help: 'report' },
  { key: 'l', name: 'ladder.txt', help: 'ladder' },
  { key: 'j', name: 'json', help: 'JSON' },
  { key: 'x', name: 'sipp', help: 'SIPp' },
  { key: 'w', name: 'wav', help: 'WAV' },
] as const;
export type Format = (typeof FORMATS)[number]['name'];

const NAMES_TRIED = 1_000;

export type SaveStyle = { readonly isUtc: boolean; readonly showsSecrets: boolean };

/** What was written, or why nothing was. */
export async function saveCall(
  port: SavePort,
  callIds: readonly string[],
  format: Format,
  { isUtc, showsSecrets }: SaveStyle,
): Promise<{ readonly said: string; readonly isSaved: boolean }> {
  const [first = ''] = callIds;
  const name = callIdFileName(first);
  const no = (reason: string) => ({ said: reason, isSaved: false });
  const written = (path: string, more = '') => ({ said: `${path}${more}`, isSaved: true });
  try {
    if (format === 'pcapng') {
      const { file, bytes, lack } = await port.capture(callIds);
      const path = await writeNew(`${name}.pcapng`, file);
      return written(path, `: ${bytes} bytes${lack === '' ? '' : `, without ${lack}`}`);
    }
    if (format === 'json') {
      const document = await port.call(first);
      return written(await writeNew(`${name}.json`, [`${JSON.stringify(document, null, 2)}\n`]));
    }
    if (format === 'sipp') {
      const { uac, uas } = await port.sipp(first, showsSecrets);
      const folder = await newFolder(`${name}-sipp`);
      await writeNew(`${folder}/uac.xml`, [uac]);
      await writeNew(`${folder}/uas.xml`, [uas]);
      return written(`${folder}/uac.xml and uas.xml`);
    }
    if (format === 'wav') {
      const { wav, isPartial } = await port.audio(first);
      const path = await writeNew(`${name}.wav`, [Buffer.from(wav)]);
      return written(path, isPartial ? ': a part of the call' : '');
    }
    const layout = format === 'md' ? 'markdown' : format === 'txt' ? 'text' : 'ladder';
    const lines = await port.text(callIds, layout, { width: null, color: false, isUtc });
    return written(await writeNew(`${name}.${format}`, [`${[...lines].join('\n')}\n`]));
  } catch (error) {
    if (error instanceof Refusal) return no(whyMissing(error));
    return no(`cannot write it: ${errnoOf(error) ?? (error instanceof Error ? error.message : String(error))}`);
  }
}

/** `name`, else `name-2` and so on in front of its ending: the first that is not there yet. */
async function firstFree<T>(name: string, make: (path: string) => Promise<T>): Promise<{ path: string; made: T }> {
  const [, stem = name, ending = ''] = /^(.*?)((?:\.ladder)?\.[a-z]+)$/.exec(name) ?? [];
  for (let n = 1; ; n++) {
    const path = n === 1 ? name : `${stem}-${n}${ending}`;
    try {
      return { path, made: await make(path) };
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST' || n === NAMES_TRIED) throw error;
    }
  }
}

async function writeNew(
  name: string,
  chunks: AsyncIterable<string | Buffer> | Iterable<string | Buffer>,
): Promise<string> {
  const { path, made } = await firstFree(name, createFileAsync);
  try {
    for await (const chunk of chunks) await made.writeFile(chunk);
  } catch (error) {
    // Half of a capture is none.
    await unlink(path);
    throw error;
  } finally {
    await made.close();
  }
  return path;
}

async function newFolder(name: string): Promise<string> {
  return (await firstFree(name, (free) => mkdir(free, 0o700))).path;
}
