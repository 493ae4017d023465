/**
 * Finds the headers of some names by the bytes of each name, compact or full, in any case (RFC 3261 7.3.3). Nearly every header of a
 * message is another one, and a text of its name would take longer than all else.
 */
import { HEADER, spellingsOf } from './header-name.ts';

type Wanted = { readonly id: number; readonly name: Uint8Array };

export class HeaderFinder {
  /** By the length of the name. */
  readonly #wanted: (readonly Wanted[] | undefined)[] = [];

  constructor(ids: readonly number[]) {
    for (const id of ids)
      for (const text of spellingsOf(id)) {
        const name = Buffer.from(text);
        this.#wanted[name.length] = [...(this.#wanted[name.length] ?? []), { id, name }];
      }
  }

  /** The id of the header whose name stands there; `HEADER.OTHER` where it is none that is looked for. */
  idAt(buf: Uint8Array, start: number, end: number): number {
    const wanted = this.#wanted[end - start];
    if (wanted === undefined) return HEADER.OTHER;
    for (const { id, name } of wanted) if (isName(buf, start, name)) return id;
    return HEADER.OTHER;
  }
}

function isName(buf: Uint8Array, start: number, name: Uint8Array): boolean {
  for (let i = 0; i < name.length; i++) {
    const byte = buf[start + i] ?? 0;
    const isCapital = byte >= 0x41 && byte <= 0x5a;
    if ((isCapital ? byte + 0x20 : byte) !== name[i]) return false;
  }
  return true;
}
