/**
 * A program of calltap whose capture rings have 16 blocks, so that they are full after 0.16 s without a reader, or with 16
 * large frames. It is put before the program's own command line:
 *
 *     node small-ring.js node calltap.js -d eth0 ...
 */
import { start } from '../../src/app/program.ts';
import type { NativeLiveOptions } from '../../src/sources/native.ts';
import { loadNative } from '../../src/sources/native.ts';

const BLOCKS = 16;

const { prototype } = loadNative().Capture;
const { openLive } = prototype;
prototype.openLive = function openSmall(options: NativeLiveOptions) {
  return openLive.call(this, { ...options, blocks: BLOCKS });
};
await start(process.argv.slice(4));
