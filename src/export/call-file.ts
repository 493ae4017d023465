/** The file of one call: the frames that wait for the disk, and what of the file is there already. */
import type { CapturedFrame } from '../ingest/frame-intake.ts';
import type { MadeFile } from './call-folder.ts';
import { INTERFACE_BYTES, packetBytes, putInterface, putPacket, putSection, SECTION_BYTES } from './pcapng-blocks.ts';

/** Whether the call has been given a file: not asked yet, yes, or never. */
export type Admission = 'open' | 'granted' | 'refused';

export class CallFile {
  /** Its name without an ending, where nobody has that. */
  readonly base: string;
  admission: Admission = 'open';
  made: MadeFile | null = null;
  /** -1 while it is closed. */
  fd = -1;
  /** Something of the call is on the disk. */
  isCounted = false;
  /** Bytes on the disk: whole blocks. */
  size = 0;
  buffer: Buffer | null = null;
  used = 0;
  /** Frames in the buffer. */
  waiting = 0;
  /** Link types that the section describes, and how many of them are on the disk. */
  #links: number[] = [];
  #linksWritten = 0;
  #hasSection = false;

  constructor(base: string) {
    this.base = base;
  }

  /** Bytes that the frame takes now. */
  need({ start, end, linkType }: CapturedFrame): number {
    const section = this.#hasSection ? 0 : SECTION_BYTES;
    return section + (this.#links.includes(linkType) ? 0 : INTERFACE_BYTES) + packetBytes(end - start);
  }

  /** Puts the frame at the end of the buffer, which has room. */
  put(b: Buffer, frame: CapturedFrame): void {
    let at = this.used;
    if (!this.#hasSection) at = putSection(b, at);
    this.#hasSection = true;
    let link = this.#links.indexOf(frame.linkType);
    if (link < 0) {
      at = putInterface(b, at, frame.linkType);
      link = this.#links.push(frame.linkType) - 1;
    }
    this.used = putPacket(b, at, link, frame, frame);
    this.waiting++;
  }

  /** What waited is on the disk, or is lost: then the next frame begins a section again. */
  emptied(isWritten: boolean): void {
    this.buffer = null;
    this.used = 0;
    this.waiting = 0;
    if (!isWritten) {
      this.#links = [];
      this.#hasSection = false;
    }
    this.#linksWritten = this.#links.length;
  }

  /** What a new file must begin with, where the blocks before those that wait went to one that was taken away. */
  head(): Buffer | null {
    if (this.#linksWritten === 0) return null;
    const links = this.#links.slice(0, this.#linksWritten);
    const head = Buffer.alloc(SECTION_BYTES + links.length * INTERFACE_BYTES);
    let at = putSection(head, 0);
    for (const link of links) at = putInterface(head, at, link);
    return head;
  }
}
