/**
 * The key that plays a call, and ends what plays.
 */
import type { Player } from '../../actions/player.ts';
import type { TerminalPort } from '../../explore/port.ts';
import { answerOr } from './answered.ts';
import type { App } from './app.ts';
import { LOOK } from './cells.ts';
import type { HeardSpan } from './quality-view.ts';

export class Sound {
  readonly #app: App;
  readonly #port: Pick<TerminalPort, 'audio'>;
  readonly #player: Player;
  /** Of the last one of several questions. */
  #asking = new AbortController();

  constructor(app: App, port: Pick<TerminalPort, 'audio'>, player: Player) {
    this.#app = app;
    this.#port = port;
    this.#player = player;
  }

  /** Without a span the whole call. */
  async turn(callId: string, span?: HeardSpan): Promise<void> {
    this.#asking.abort();
    this.#asking = new AbortController();
    const { signal } = this.#asking;
    if (this.#player.isPlaying) {
      this.#player.stop();
      return this.#app.say('it is quiet');
    }
    this.#app.say('decoding');
    const say = (why: string): void => {
      if (!signal.aborted) this.#app.say(why, LOOK.red);
    };
    const audio = await answerOr(() => this.#port.audio(callId, span, signal), say);
    if (signal.aborted || audio === null) return;
    const played = await this.#player.play(audio.wav, (trouble) =>
      this.#app.say(trouble === '' ? 'played' : trouble, trouble === '' ? LOOK.plain : LOOK.red),
    );
    if ('reason' in played) return this.#app.say(`${played.reason}; s and w write the WAV`, LOOK.red);
    const part = audio.isPartial ? ', a part of it' : '';
    this.#app.say(`${played.name} plays${part}; a ends it`, LOOK.green);
  }
}
