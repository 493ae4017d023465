/** Asks for the format of a file, writes it, and says how that went. */
import { faults } from '../../core/faults.ts';
import type { App } from './app.ts';
import { LOOK } from './cells.ts';
import type { Saved } from './save.ts';

export type FileChoice = { readonly key: string; readonly help: string; save(): Promise<Saved> };

export function chooseFile(app: App, choices: readonly FileChoice[]): void {
  const write = async (save: FileChoice['save']): Promise<void> => {
    app.say('writing');
    const { said, isSaved } = await save();
    app.say(said, isSaved ? LOOK.green : LOOK.red);
  };
  app.choose(
    `Save as: ${choices.map(({ key, help }) => `${key} ${help}`).join('  ')}`,
    new Map(choices.map(({ key, save }) => [key, () => faults.run('face', () => write(save))])),
  );
}
