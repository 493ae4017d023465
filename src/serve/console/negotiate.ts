/** Which encoding of a file a client takes, and whether it has the file already (RFC 9110 sections 12.5.3 and 13.1.2). */
import type { ConsoleFile, Encoding } from './files.ts';
import { ENCODINGS } from './files.ts';

/** The smallest that the header admits; as it is where it admits none. */
export function encodingFor(accepted: string, { bytes }: Pick<ConsoleFile, 'bytes'>): Encoding {
  const weights = new Map(
    accepted.split(',').map((part): [string, number] => {
      const [name = '', ...parameters] = part.split(';').map((word) => word.trim().toLowerCase());
      const q = parameters.find((word) => word.startsWith('q='));
      return [name, q === undefined ? 1 : Number(q.slice(2))];
    }),
  );
  const takes = (name: string): boolean => (weights.get(name) ?? weights.get('*') ?? 0) > 0;
  return ENCODINGS.find(([name]) => bytes.has(name) && takes(name))?.[0] ?? 'identity';
}

/** The validator of one representation: compressed bytes are another one. */
export function etagOf({ etag }: Pick<ConsoleFile, 'etag'>, encoding: Encoding): string {
  return encoding === 'identity' ? `"${etag}"` : `"${etag}-${encoding}"`;
}

/** True when one of the validators of `If-None-Match` is this one. */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const given = (ifNoneMatch ?? '').split(',').map((word) => word.trim().replace(/^W\//, ''));
  return given.includes(etag) || given.includes('*');
}
