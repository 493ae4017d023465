/** Builds what a folder of captures lacks of indexes before it is asked: it was copied, or a run was killed. */
import { oneLine } from '../../config/option-value.ts';
import { counted } from '../../core/counted.ts';
import { finish } from '../../core/turns.ts';
import type { Ring } from '../../explore/history/ring.ts';
import type { Built } from './index-builder.ts';
import { HISTORY_BUILT_FILES } from './index-builder.ts';

type BuildsIndexes = (paths: readonly string[]) => Promise<readonly Built[]>;

/** Builds the indexes that captures of the folder lack, in the order of their time, and says so. Throws ServiceError. */
export async function completeRing(ring: Ring, build: BuildsIndexes, say: (line: string) => void): Promise<void> {
  const { folder } = ring;
  const paths = finish(ring.unindexedSteps());
  for (let from = 0; from < paths.length; from += HISTORY_BUILT_FILES) {
    const some = paths.slice(from, from + HISTORY_BUILT_FILES);
    say(`${oneLine(folder)}: building the indexes of ${counted(some.length, 'capture')} without a whole one`);
    for (const { path, trouble } of await build(some))
      if (trouble !== null) say(`${oneLine(path)}: no index: ${trouble}; its calls are not listed`);
  }
  if (paths.length > 0) {
    ring.lookAgain();
    finish(ring.filesSteps());
  }
  ring.keepSummary();
}
