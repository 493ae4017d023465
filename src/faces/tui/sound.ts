/**
 * The key that plays a call, and ends what plays.
 */
import type { Player } from '../../actions/player.ts';
import type { TerminalPort } from '../../explore/terminal-port.ts';
import type { App } from './app.ts';
import { LOOK } from './cells.ts';
import type { HeardSpan } from './quality-view.ts';

export class Sound {
  readonly #app: App;
  readonly #port: Pick<TerminalPort, 'audio' | 'whyNone'>;
  readonly #player: Player;
  /** Which of several questions was the last one. */
  #asked = 0;

  constructor(app: App, port: Pick<TerminalPort, 'audio' | 'whyNone'>, player: Player) {
    this.#app = app;
    this.#port = port;
    this.#player = player;
  }

  /** Without a span the whole call. */
  async turn(callId: string, span?: HeardSpan): Promise<void> {
    const asked = ++this.#asked;
    if (this.#player.isPlaying) {
      this.#player.stop();
      return this.#app.say('it is quiet');
    }
    this.#app.say('decoding');
    const found = await this.#port.audio(callId, () => asked !== this.#asked, span);
    if (asked !== this.#asked) return;
    const audio =
      found === null
        ? { reason: this.#port.whyNone() }
        : (found.document ?? { reason: 'the call is not here any more' });
    if ('reason' in audio) return this.#app.say(audio.reason, LOOK.red);
    const played = await this.#player.play(audio.wav, (trouble) =>
      this.#app.say(trouble === '' ? 'played' : trouble, trouble === '' ? LOOK.plain : LOOK.red),
    );
    if ('reason' in played) return this.#app.say(`${played.reason}; s and w write the WAV`, LOOK.red);
    const part = audio.isPartial ? ', a part of it' : '';
    this.#app.say(`${played.name} plays${part}; a ends it`, LOOK.green);
  }
}
