/**
 * Plays a sound by a program of this host, where it has one: no shell, in a process group of its own, and over when it is
 * asked to be. The sound lies in a private file while it plays.
 */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileAsync } from '../core/create-file.ts';
import { errnoOf } from '../core/errors.ts';
import { findProgram, giveUpPriority, killGroup, seenEnvironment } from '../core/started-process.ts';

/** Characters of what a program that plays sound says of its trouble. @cap */
const MAX_PLAYER_TEXT = 500;

/** In the order they are looked for; each plays the file that is its last word, and ends. */
const PLAYERS: readonly (readonly [name: string, ...words: string[]])[] = [
  ['pw-play'],
  ['paplay'],
  ['aplay', '-q'],
  ['ffplay', '-nodisp', '-autoexit', '-loglevel', 'error'],
  ['play', '-q'],
];
/** Where the sound server of a person is. */
const SOUND_SERVER = ['XDG_RUNTIME_DIR', 'PULSE_SERVER', 'PULSE_COOKIE', 'PIPEWIRE_REMOTE', 'DBUS_SESSION_BUS_ADDRESS'];

export const NO_PLAYER =
  'no program here plays sound: install alsa-utils (aplay), pipewire-bin, pulseaudio-utils, ffmpeg or sox';

type Environment = Readonly<Record<string, string | undefined>>;

export class Player {
  readonly #env: Environment;
  #playing: { readonly child: ChildProcess; readonly folder: string } | null = null;
  #isClosed = false;

  constructor(env: Environment) {
    this.#env = env;
  }

  get isPlaying(): boolean {
    return this.#playing !== null;
  }

  /** The name of the program, once it plays; or why nothing does. `onEnd`: why it ended early, '' where it did not. */
  async play(
    wav: Uint8Array,
    onEnd: (trouble: string) => void,
  ): Promise<{ readonly name: string } | { readonly reason: string }> {
    this.stop();
    const found = findPlayer(this.#env['PATH'] ?? '');
    if (found === null) return { reason: NO_PLAYER };
    let folder = '';
    let path = '';
    try {
      folder = privateFolder(this.#env['XDG_RUNTIME_DIR']);
      path = join(folder, 'call.wav');
      await written(path, wav);
    } catch (error) {
      if (folder !== '') forget(folder);
      return { reason: `cannot write the sound: ${errnoOf(error) ?? String(error)}` };
    }
    // Ended, or played again, meanwhile.
    if (this.#isClosed || this.#playing !== null) {
      forget(folder);
      return { reason: 'ended' };
    }
    const child = spawn(found.path, [...found.words, path], {
      detached: true,
      env: { ...seenEnvironment(this.#env), ...this.#soundServer() },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const playing = { child, folder };
    this.#playing = playing;
    if (child.pid !== undefined) giveUpPriority(child.pid);
    let text = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      text = `${text}${chunk.toString('utf8')}`.slice(0, MAX_PLAYER_TEXT);
    });
    const end = (trouble: string): void => {
      forget(folder);
      if (this.#playing !== playing) return;
      this.#playing = null;
      if (child.pid !== undefined) killGroup(child.pid);
      onEnd(trouble);
    };
    child.once('error', (error) => end(`${found.name}: cannot start it (${errnoOf(error) ?? error.message})`));
    child.once('exit', (code, signal) => {
      const [line = ''] = text.trim().split('\n');
      end(code === 0 ? '' : `${found.name} ended with ${code ?? signal}${line === '' ? '' : `: ${line}`}`);
    });
    return { name: found.name };
  }

  /** Ends what plays, at once. */
  stop(): void {
    const playing = this.#playing;
    this.#playing = null;
    if (playing?.child.pid !== undefined) killGroup(playing.child.pid);
    if (playing !== null) forget(playing.folder);
  }

  close(): void {
    this.#isClosed = true;
    this.stop();
  }

  #soundServer(): Record<string, string> {
    return Object.fromEntries(
      SOUND_SERVER.flatMap((name) => (this.#env[name] === undefined ? [] : [[name, this.#env[name]]])),
    );
  }
}

async function written(path: string, wav: Uint8Array): Promise<void> {
  const file = await createFileAsync(path);
  try {
    await file.writeFile(wav);
  } finally {
    await file.close();
  }
}

function findPlayer(
  path: string,
): { readonly name: string; readonly path: string; readonly words: readonly string[] } | null {
  for (const [name, ...words] of PLAYERS) {
    const file = findProgram(name, path);
    if (file !== null) return { name, path: file, words };
  }
  return null;
}

/** In memory where the system has such a place for a user. */
function privateFolder(runtime: string | undefined): string {
  const NAME = 'calltap-';
  try {
    return mkdtempSync(join(runtime ?? tmpdir(), NAME));
  } catch (error) {
    if (runtime === undefined) throw error;
    return mkdtempSync(join(tmpdir(), NAME));
  }
}

function forget(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // It stays in a folder that goes with the session of its owner.
  }
}
