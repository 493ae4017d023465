/**
 * A terminal that tests read: tmux without anybody's configuration, one server a test. Keys go in as a person presses
 * them, and a screen is waited for, never a time.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../helpers/patience.ts';

export const skipWithoutTmux = spawnSync('tmux', ['-V']).status === 0 ? false : 'tmux is not installed';

/** What of a user's environment would change a screen. */
const UNSET = ['env', '-u', 'NO_COLOR', '-u', 'TMUX'];
const SET = ['TZ=UTC', 'LC_ALL=C.UTF-8'];

export type Size = readonly [width: number, height: number];

export class Tmux {
  readonly #name = `calltap-${process.pid}-${randomBytes(3).toString('hex')}`;
  readonly #env: NodeJS.ProcessEnv;

  /** Runs a command in a terminal of this size; when it has ended its code stands on the screen. */
  constructor(t: TestContext, command: readonly string[], [width, height]: Size, env: readonly string[] = []) {
    const { TMUX: _, ...rest } = process.env;
    this.#env = { ...rest, LC_ALL: 'C.UTF-8' };
    t.after(() => void spawnSync('tmux', ['-L', this.#name, 'kill-server'], { env: this.#env }));
    // Options of env(1) come before variables.
    const [flags, variables] = [env.filter(isFlag), env.filter((word) => !isFlag(word))];
    const words = [...UNSET, ...flags, ...SET, ...variables, ...command];
    const quoted = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
    const script = `was=$(stty -g); ${quoted}; echo "ended $?"; [ "$was" = "$(stty -g)" ] && echo 'modes as before'; exec sleep 1000`;
    this.#tmux('-f', '/dev/null', 'new-session', '-d', '-x', String(width), '-y', String(height), script);
  }

  #tmux(...words: string[]): string {
    return execFileSync('tmux', ['-L', this.#name, ...words], { env: this.#env, encoding: 'utf8' });
  }

  /** Keys by the names of tmux: `j`, `Enter`, `C-c`. One by one, as a person does: Esc and a letter are two keys. */
  async press(...keys: string[]): Promise<void> {
    for (const key of keys) {
      this.#tmux('send-keys', key);
      if (key === 'Escape') await sleep(100);
    }
  }

  type(text: string): void {
    this.#tmux('send-keys', '-l', text);
  }

  resize([width, height]: Size): void {
    this.#tmux('resize-window', '-x', String(width), '-y', String(height));
  }

  /** Lines without blanks at their ends. */
  screen(): string[] {
    return this.#tmux('capture-pane', '-p')
      .split('\n')
      .map((line) => line.trimEnd());
  }

  /** With the sequences that colour it. */
  colored(): string {
    return this.#tmux('capture-pane', '-p', '-e');
  }

  /** Each line with the foreground colours in it, by their numbers in SGR. */
  rows(): { readonly text: string; readonly colors: ReadonlySet<number> }[] {
    let color = 39;
    return this.colored()
      .split('\n')
      .map((line) => {
        const colors = new Set<number>();
        let text = '';
        // A colour holds on in the next line.
        for (const [piece, codes] of line.matchAll(/\u001b\[([\d;]*)m|[^\u001b]+/g)) {
          if (codes === undefined) {
            text += piece;
            if (piece.trim() !== '') colors.add(color);
            continue;
          }
          for (const code of codes.split(';').map(Number))
            if (code === 0) color = 39;
            else if (code >= 30 && code <= 39) color = code;
        }
        return { text, colors };
      });
  }

  /** Whether the terminal shows its cursor, and another screen than that of the shell. */
  get state(): { readonly hasCursor: boolean; readonly isOther: boolean } {
    const [cursor, other] = this.#tmux('display-message', '-p', '#{cursor_flag} #{alternate_on}').trim().split(' ');
    return { hasCursor: cursor === '1', isOther: other === '1' };
  }

  get shellPid(): number {
    return Number(this.#tmux('display-message', '-p', '#{pane_pid}'));
  }

  get pid(): number {
    return Number(
      execFileSync('pgrep', ['-P', String(this.shellPid), '-f', 'calltap.js'], { encoding: 'utf8' }).split('\n')[0],
    );
  }

  /** From now on what the program writes goes to a file too. Whoever calls the answer gets all of it: another program writes it. */
  record(path: string): () => Promise<Buffer> {
    this.#tmux('pipe-pane', `cat >'${path}'; mv '${path}' '${path}.whole'`);
    return () => {
      this.#tmux('pipe-pane');
      return until(
        () => (existsSync(`${path}.whole`) ? readFileSync(`${path}.whole`) : null),
        () => `nothing was recorded in ${path}`,
      );
    };
  }

  kill(): void {
    this.#tmux('kill-pane');
  }

  async shows(what: RegExp): Promise<string[]> {
    let last: string[] = [];
    return until(
      () => {
        last = this.screen();
        return what.test(last.join('\n')) ? last : null;
      },
      () => `the screen never showed ${what}:\n${last.join('\n')}`,
    );
  }

  /** The screen once two looks at it are equal, and `what` is on it. */
  async settled(what: RegExp): Promise<string[]> {
    let before = '';
    return until(
      () => {
        const now = this.screen();
        const isSame = now.join('\n') === before;
        before = now.join('\n');
        return isSame && what.test(before) ? now : null;
      },
      () => `the screen never settled on ${what}:\n${before}`,
      150,
    );
  }
}

const isFlag = (word: string): boolean => word.startsWith('--');

/** The screen as it was written down, and shown where it is another. */
export function assertScreen(lines: readonly string[], golden: string): void {
  assert.equal(lines.join('\n').trimEnd(), golden.trimEnd());
}
