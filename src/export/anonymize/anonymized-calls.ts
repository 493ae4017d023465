/**
 * Stands before the files of calls (--split call --anonymize): frames and names become anonymous before they get there.
 *
 * All calls have one stream of frames: what waits for the rest of a message holds those of other calls, in capture time.
 */
import type { CapturedFrame } from '../../ingest/frame-intake.ts';
import type { CallFile } from '../call-file.ts';
import type { NamedCall } from '../call-file-name.ts';
import { callFileName } from '../call-file-name.ts';
import type { CallFiles } from '../call-files.ts';
import type { CallTarget } from '../call-split.ts';
import type { Anonymizer } from './anonymizer.ts';
import { createAnonymizer } from './anonymizer.ts';
import type { Anonymizing } from './anonymizing.ts';
import { FrameAnonymizer } from './frame-anonymizer.ts';
import { reportOf } from './report.ts';

type Note = Pick<CapturedFrame, 'source' | 'frame' | 'linkType' | 'tsUs' | 'nanos' | 'isPart' | 'wireLength'> & {
  readonly file: CallFile;
};

export class AnonymizedCalls implements CallTarget {
  readonly #files: CallFiles;
  readonly #anonymizer: Anonymizer;
  readonly #frames: FrameAnonymizer<Note>;

  constructor(files: CallFiles, { key, options }: Anonymizing) {
    this.#files = files;
    this.#anonymizer = createAnonymizer(key, options);
    this.#frames = new FrameAnonymizer<Note>(this.#anonymizer, (bytes, start, end, wireLength, { file, ...note }) =>
      files.write(file, { ...note, bytes, start, end, wireLength }),
    );
  }

  get counters(): CallFiles['counters'] {
    return this.#files.counters;
  }

  nameOf({ createdUs, fromUser, toUser, callId }: NamedCall): string {
    const [from, to, id] = [fromUser, toUser, callId].map((text) => this.#text(text));
    return callFileName({ createdUs, fromUser: from ?? '', toUser: to ?? '', callId: id ?? '' });
  }

  write(file: CallFile, { bytes, start, end, ...frame }: CapturedFrame): void {
    this.#frames.take(bytes, start, end, { ...frame, file });
  }

  /** Once its frames are written. */
  finish(file: CallFile): void {
    const note = { file, source: 0, frame: -1, linkType: 0, tsUs: 0, nanos: 0, isPart: false, wireLength: 0 };
    this.#frames.after(() => this.#files.finish(file), note);
  }

  /** No more frames come; what was done, in lines. */
  end(): readonly string[] {
    this.#frames.end();
    return reportOf(this.#anonymizer, this.#frames.counts);
  }

  #text(text: string): string {
    return this.#anonymizer.text(Buffer.from(text, 'latin1')).toString('latin1');
  }
}
