/**
 * Reads from the bytes of a file which TLS is in it, if its functions have no names.
 *
 * Every TLS stack derives its keys by labels that the standards fix (RFC 5246 s8.1, RFC 8446 s7.1), and has them in its code
 * or its constants. A program that only uses a library names that library, and has no label.
 */

import { pieces } from './byte-search.ts';
import type { ElfImage } from './elf.ts';
import type { UnreadTls } from './unread-tls.ts';
import { GO, KINDS } from './unread-tls.ts';

const LABELS: readonly string[] = ['master secret', 's ap traffic'];
/** Who reads by the first and knows none of the others goes by BIO_read(3), and calls SSL_read(3) nowhere. */
const BY_BIO = 'BIO_f_ssl\0';
const BY_NAME: readonly string[] = ['SSL_read\0', 'SSL_read_ex\0'];

const NEEDLES: readonly string[] = [GO.mark, ...LABELS, ...KINDS.map(({ mark }) => mark), BY_BIO, ...BY_NAME];
const BYTES = NEEDLES.map((text) => Buffer.from(text, 'latin1'));

export type TlsText = {
  /** Whether it has code of TLS. */
  readonly hasTls: boolean;
  /** Whose TLS it is; null where it has none, or nothing says so. */
  readonly kind: UnreadTls | null;
  /** How it calls OpenSSL's library: by names that have probes, only by others, or not at all. */
  readonly callsOpenssl: 'by name' | 'by BIO' | 'no';
};

export function tlsTextOf(image: ElfImage): TlsText {
  const found = foundIn(image);
  const isGo = found.has(GO.mark);
  const hasTls = isGo || LABELS.some((label) => found.has(label));
  const named = isGo ? GO : KINDS.find(({ mark }) => found.has(mark));
  const isByName = BY_NAME.some((name) => found.has(name));
  return {
    hasTls,
    kind: hasTls ? (named ?? null) : null,
    callsOpenssl: isByName ? 'by name' : found.has(BY_BIO) ? 'by BIO' : 'no',
  };
}

/** In what the file maps read-only or writes on: a piece at a time. */
function foundIn(image: ElfImage): Set<string> {
  const found = new Set<string>();
  const overlap = Math.max(...BYTES.map((needle) => needle.length));
  for (const { bytes } of pieces(image, overlap, () => true))
    for (const [i, needle] of BYTES.entries()) {
      const text = NEEDLES[i] ?? '';
      if (!found.has(text) && bytes.includes(needle)) found.add(text);
    }
  return found;
}
