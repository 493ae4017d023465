/**
 * Writes what TLS probes read beside the frames of -O: each message without its secrets, with the process that it was read
 * from in the comment.
 */
import { TRANSPORTS } from '../core/words.ts';
import { maskSecrets } from '../protocols/sip/redaction.ts';
import type { Packet } from '../sources/packet.ts';
import { ProcessNames } from '../sources/tls/process-names.ts';
import type { OutputFile } from './capture-file.ts';

export class ProbeMessages {
  readonly #file: () => OutputFile | null;
  readonly #names = new ProcessNames();

  /** `file` gives null until -O is open. */
  constructor(file: () => OutputFile | null) {
    this.#file = file;
  }

  /** The message of `pid` at bytes[start..end). */
  write(bytes: Uint8Array, start: number, end: number, packet: Packet, pid: number): void {
    const file = this.#file();
    if (file === null) return;
    const masked = maskSecrets(bytes.subarray(start, end));
    file.writeMessage(masked, 0, masked.length, packet, this.#comment(packet, pid));
  }

  #comment({ tsUs, transport, ipVersion, isWeak, isSnapped }: Packet, pid: number): string {
    const name = this.#names.name(pid, tsUs);
    const address = ipVersion === 0 ? 'address not known' : isWeak ? 'address likely, not proven' : null;
    return [
      name === '' ? `process ${pid}` : `process ${pid} (${name})`,
      TRANSPORTS[transport] ?? '',
      'uprobe',
      ...(address === null ? [] : [address]),
      ...(isSnapped ? ['cut'] : []),
    ].join(', ');
  }
}
