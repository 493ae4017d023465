// What differs between two folders of answers: each question once by name, then a unified diff.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MARK } from './answers.mjs';

/** Answers of both builds as files; equal ones only where they are kept. */
export class Folders {
  constructor(folder, keeps) {
    this.folder = folder;
    this.#keeps = keeps;
    for (const name of ['old', 'new']) {
      rmSync(join(folder, name), { recursive: true, force: true });
      mkdirSync(join(folder, name), { recursive: true });
    }
  }

  #keeps;

  write(capture, surface, before, after) {
    if (before === after && !this.#keeps) return;
    for (const [name, text] of [
      ['old', before],
      ['new', after],
    ]) {
      const path = join(this.folder, name, capture, `${surface}.txt`);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `${text}\n`);
    }
  }

  /** A unified diff of all files; each hunk names its question. */
  diff() {
    const args = ['-r', '-N', '-U', '2', '-F', `^${MARK}`, 'old', 'new'];
    const r = spawnSync('diff', args, { cwd: this.folder, encoding: 'utf8', maxBuffer: 1 << 30 });
    if (r.error !== undefined || r.status > 1) throw new Error(`diff: ${r.error?.message ?? r.stderr}`);
    return r.stdout;
  }
}
