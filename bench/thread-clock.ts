/** The processor time of the calling thread: Node 20 has no other way to it than a clock of WASI. */
import { WASI } from 'node:wasi';

/** Clock of a WASI call that is the thread's processor time. */
const THREAD_CPU = 3;

/** A function that says milliseconds of processor time of the calling thread. */
export function threadClock(): () => number {
  const wasi = new WASI({ version: 'preview1' });
  // WebAssembly stands in no library that the compiler is told to read.
  const { Memory } = Object(Reflect.get(globalThis, 'WebAssembly'));
  const memory = new Memory({ initial: 1 });
  wasi.initialize({ exports: { memory } });
  const view = new DataView(memory.buffer);
  const { clock_time_get: read } = Object(wasi.wasiImport);
  return () => {
    if (read(THREAD_CPU, 0n, 0) !== 0) throw new Error("the thread's clock cannot be read");
    return Number(view.getBigUint64(0, true)) / 1e6;
  };
}
