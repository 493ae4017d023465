/** Turns what peers say into a capture file. */
import { Capture } from '../../fixtures/build/capture.ts';
import { Peers } from './attack.ts';

/** Peers whose messages become a capture file. */
export class Recorder extends Peers {
  readonly capture = new Capture();
  readonly #epochUs: number;

  constructor(epochUs: number) {
    super();
    this.#epochUs = epochUs;
  }

  send(sec: number, from: string, to: string, text: string): void {
    const tsUs = Math.round(this.#epochUs + sec * 1e6);
    const src = { address: from, port: 5060 };
    this.capture.add([{ tsUs, src, dst: { address: to, port: 5060 }, bytes: Buffer.from(text) }]);
  }
}
