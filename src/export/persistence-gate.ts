/**
 * Decides whether captured content may reach disk right now: the persistence gate.
 *
 * The command line sets a ceiling (`authorized`) once; the network may only narrow below it. The rows are those of
 * the interface's table "Persistence gate".
 */
import type { Persistence } from '../contract/persistence.ts';

export class PersistenceGate {
  readonly #isAuthorized: boolean;
  readonly #apply: (isEnabled: boolean) => void;
  #isEnabled: boolean;

  /**
   * `isAuthorized`: the command line lets content reach disk. `apply` gets each change before the answer that
   * shows it is given: when it returns for `false`, nothing more may be written.
   */
  constructor(isAuthorized: boolean, apply: (isEnabled: boolean) => void = () => {}) {
    this.#isAuthorized = isAuthorized;
    this.#apply = apply;
    this.#isEnabled = isAuthorized;
  }

  /** Content may reach disk right now. */
  get isEnabled(): boolean {
    return this.#isEnabled;
  }

  get isAuthorized(): boolean {
    return this.#isAuthorized;
  }

  /** The state that holds afterwards: asking for more than is authorized changes nothing. */
  request(enabled: boolean): Persistence {
    const next = enabled && this.#isAuthorized;
    if (next !== this.#isEnabled) {
      this.#apply(next);
      this.#isEnabled = next;
    }
    return this.state();
  }

  state(): Persistence {
    return { enabled: this.#isEnabled, authorized: this.#isAuthorized };
  }
}
