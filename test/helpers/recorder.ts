/** Turns what peers say into a capture file. */
import { Capture } from '../../fixtures/build/capture.ts';
import { attack, Peers, Script } from './attack.ts';

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

/** A capture of the attacks, and of nobody else. */
export function attackCapture(): Uint8Array {
  const script = new Script();
  attack(script);
  const recorder = new Recorder(1_700_000_000 * 1e6);
  script.play(recorder);
  return recorder.capture.pcap();
}
