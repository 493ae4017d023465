/**
 * Reads server-sent events (WHATWG HTML section 9.2.6) as they come: name and data of each. A line or an event beyond the cap
 * is an error of who sends it.
 */
import { wrongShape } from './failures.ts';

/** Bytes of one event of `/ask/changes`. @cap */
export const REMOTE_EVENT_BYTES = 256 * 1024;

export type ServerEvent = { readonly name: string; readonly data: string };

export class EventReader {
  readonly #decoder = new TextDecoder();
  #rest = '';
  #name = '';
  #data: string[] = [];
  #size = 0;

  /** The events that end in this chunk. Throws RemoteFailure. */
  *read(chunk: Uint8Array): Generator<ServerEvent> {
    const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split(/\r?\n/);
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > REMOTE_EVENT_BYTES) throw wrongShape();
    for (const line of lines) {
      if (line !== '') this.#field(line);
      else {
        if (this.#data.length > 0) yield { name: this.#name, data: this.#data.join('\n') };
        this.#name = '';
        this.#data = [];
        this.#size = 0;
      }
    }
  }

  #field(line: string): void {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    this.#size += line.length;
    if (this.#size > REMOTE_EVENT_BYTES) throw wrongShape();
    if (name === 'event') this.#name = value;
    else if (name === 'data') this.#data.push(value);
  }
}
