/**
 * A program that ends native captures in every way there is: `SOURCE in-process` goes through what a process survives
 * and says "ok NAME" after each (`SOURCE in-process NAME`: through that alone); any other way is the end of this process. Run with --expose-gc.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import {
  type Feeder,
  feederFor,
  makeSource,
  type OnSlab,
  type Running,
  SOURCE_NAMES,
  type SourceName,
  type Target,
} from './lifecycle-sources.ts';

const FEED_EVERY_MS = 5;
const PATIENCE_MS = 60_000;
const QUIET_MS = 60;

/** What a worker is started with. */
type Job = { source: SourceName; target: Target; way: WorkerWay };
type WorkerWay = 'run' | 'block' | 'close-exit' | 'throw' | 'never-start';
type Message = 'started' | 'called';

const block = (): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
};

/** Feeds until it is so. */
async function feedUntil(feeder: Feeder, isSo: () => boolean, what: string): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; !isSo(); await sleep(FEED_EVERY_MS)) {
    if (performance.now() > end) throw new Error(`never: ${what}`);
    feeder.feed();
  }
}

/** A capture that runs, and what feeds it. */
async function started(source: SourceName, onSlab: OnSlab): Promise<{ feeder: Feeder; running: Running }> {
  const feeder = await feederFor(source);
  const running = makeSource(source, feeder.target, onSlab);
  feeder.target.port = running.start();
  return { feeder, running };
}

const gc = (): void => {
  if (globalThis.gc === undefined) throw new Error('needs --expose-gc');
  globalThis.gc();
};

/* ---- What a process survives ---- */

async function closedBeforeItStarts(source: SourceName): Promise<void> {
  const feeder = await feederFor(source);
  const running = makeSource(source, feeder.target, () => assert.fail('called'));
  running.capture.close();
  running.capture.close();
  running.useAll();
  await sleep(QUIET_MS);
  running.useAll();
  running.capture.close();
  feeder.end();
}

async function closedTwiceWhileItRuns(source: SourceName): Promise<void> {
  let calls = 0;
  const { feeder, running } = await started(source, () => calls++);
  await feedUntil(feeder, () => calls > 0, 'a slab');
  running.capture.close();
  running.capture.close();
  running.useAll();
  const before = calls;
  await sleep(QUIET_MS);
  assert.equal(calls, before, 'no callback after close()');
  running.useAll();
  feeder.end();
}

async function closedByItsOwnCallback(source: SourceName): Promise<void> {
  let calls = 0;
  const { feeder, running } = await started(source, () => {
    calls++;
    running.capture.close();
    running.useAll();
  });
  await feedUntil(feeder, () => calls > 0, 'a slab');
  await sleep(QUIET_MS);
  assert.equal(calls, 1);
  feeder.end();
}

/** Nobody but the addon knows the capture: it goes on, and goes away when it is closed. */
async function unreachableWhileItRuns(source: SourceName): Promise<void> {
  let calls = 0;
  const feeder = await feederFor(source);
  const begin = (): WeakRef<Running['capture']> => {
    const { capture, start } = makeSource(source, feeder.target, () => calls++);
    feeder.target.port = start();
    return new WeakRef(capture);
  };
  const capture = begin();
  for (let round = 0; round < 3; round++) {
    await sleep(1); // a WeakRef holds what it names until the turn is over
    gc();
    const before = calls;
    await feedUntil(feeder, () => calls > before, 'a slab for a capture that nobody holds');
  }
  (() => {
    const still = capture.deref();
    assert.ok(still !== undefined, 'a capture that runs is not collected');
    still.close();
  })();
  for (let round = 0; round < 50 && capture.deref() !== undefined; round++) {
    await sleep(1);
    gc();
  }
  assert.ok(capture.deref() === undefined, 'a capture that was closed is collected');
  feeder.end();
}

/** The thread writes into memory that JavaScript has given away and forgotten. */
async function memoryTakenAway(source: SourceName): Promise<void> {
  let calls = 0;
  const { feeder, running } = await started(source, () => calls++);
  for (const view of [running.memory.slabs, running.memory.descriptors, running.memory.counters]) {
    const { buffer } = view;
    assert.ok(buffer instanceof ArrayBuffer);
    structuredClone(buffer, { transfer: [buffer] });
    assert.equal(view.byteLength, 0);
  }
  await sleep(1);
  gc();
  // Round the ring and more, so that every slab of it has been written.
  await feedUntil(feeder, () => calls > 8, 'slabs in memory that was taken away');
  running.useAll();
  running.capture.close();
  feeder.end();
}

/** An exception costs the slab it came with, if somebody listens. */
async function callbackThatThrows(source: SourceName): Promise<void> {
  const slabs: number[] = [];
  const caught: unknown[] = [];
  const listen = (error: unknown): void => void caught.push(error);
  process.on('uncaughtException', listen);
  const { feeder, running } = await started(source, (slab) => {
    slabs.push(slab);
    if (slabs.length < 3) throw new Error('thrown by a callback');
  });
  await feedUntil(feeder, () => slabs.length >= 6, 'slabs behind an exception');
  process.off('uncaughtException', listen);
  running.capture.close();
  feeder.end();
  assert.deepEqual(slabs.slice(0, 6), [0, 1, 2, 3, 0, 1], 'no slab twice, none left out');
  assert.equal(caught.length, 2);
}

/** Starts a worker and feeds it until it has said what is awaited. */
async function work(source: SourceName, way: WorkerWay, awaited: Message | null): Promise<[Worker, Feeder]> {
  const feeder = await feederFor(source);
  const job: Job = { source, target: feeder.target, way };
  const worker = new Worker(new URL(import.meta.url), { workerData: job, execArgv: [] });
  const heard = new Set<Message>();
  worker.on('message', (m: { what: Message; port: number }) => {
    heard.add(m.what);
    if (m.what === 'started') feeder.target.port = m.port;
  });
  if (awaited !== null) {
    await feedUntil(feeder, () => heard.has('started'), 'the start of a worker');
    await feedUntil(feeder, () => heard.has(awaited), `"${awaited}" of a worker`);
  }
  return [worker, feeder];
}

async function workerTerminated(source: SourceName): Promise<void> {
  for (let round = 0; round < 2; round++) {
    const [worker, feeder] = await work(source, 'run', 'called');
    assert.equal(await worker.terminate(), 1);
    feeder.end();
  }
}

async function workerTerminatedInItsCallback(source: SourceName): Promise<void> {
  const [worker, feeder] = await work(source, 'block', 'called');
  for (let i = 0; i < 20; i++) feeder.feed(); // the reader finds no room, or as good as none
  await sleep(QUIET_MS);
  assert.equal(await worker.terminate(), 1);
  feeder.end();
}

/** The environment ends before the loop has had the turn in which the handle of libuv is given back. */
async function workerThatClosesAndExits(source: SourceName): Promise<void> {
  const [worker, feeder] = await work(source, 'close-exit', null);
  assert.deepEqual(await once(worker, 'exit'), [3]);
  feeder.end();
}

async function workerThatThrows(source: SourceName): Promise<void> {
  const [worker, feeder] = await work(source, 'throw', null);
  const errors: Error[] = [];
  let hasEnded = false;
  worker.on('error', (error: Error) => errors.push(error));
  worker.on('exit', () => (hasEnded = true));
  await feedUntil(feeder, () => hasEnded, 'the end of a worker whose callback throws');
  assert.match(errors.map(String).join(), /^Error: thrown by a callback$/);
  feeder.end();
}

/** A capture that was never started does not keep its worker. */
async function workerThatNeverStarts(source: SourceName): Promise<void> {
  const [worker, feeder] = await work(source, 'never-start', null);
  assert.deepEqual(await once(worker, 'exit'), [0]);
  feeder.end();
}

/* ---- What it does not ---- */

async function endProcess(source: SourceName, way: string): Promise<void> {
  if (way === 'exit') {
    const { feeder } = await started(source, () => process.exit(7));
    await feedUntil(feeder, () => false, 'the end');
  } else if (way === 'close-exit') {
    const { running } = await started(source, () => undefined);
    running.capture.close();
    process.exit(7);
  } else if (way === 'close') {
    const { feeder, running } = await started(source, () => undefined);
    running.capture.close();
    feeder.end();
  } else if (way === 'throw') {
    const { feeder } = await started(source, () => {
      throw new Error('thrown by a callback');
    });
    await feedUntil(feeder, () => false, 'the end');
  } else if (way === 'never-start') {
    const feeder = await feederFor(source);
    makeSource(source, feeder.target, () => undefined);
    feeder.end();
  } else if (way === 'exit-over-worker') {
    await work(source, 'run', 'called');
    process.exit(7);
  } else throw new Error(`no such way: ${way}`);
}

/* ---- A worker's part ---- */

function runJob({ source, target, way }: Job): void {
  const tell = (what: Message, port = 0): void => parentPort?.postMessage({ what, port });
  const running = makeSource(source, target, () => {
    tell('called');
    if (way === 'throw') throw new Error('thrown by a callback');
    if (way === 'block') block();
  });
  if (way === 'never-start') return;
  tell('started', running.start());
  if (way !== 'close-exit') return;
  running.capture.close();
  process.exit(3);
}

const SURVIVED: readonly ((source: SourceName) => Promise<void>)[] = [
  closedBeforeItStarts,
  closedTwiceWhileItRuns,
  closedByItsOwnCallback,
  unreachableWhileItRuns,
  memoryTakenAway,
  callbackThatThrows,
  workerTerminated,
  workerTerminatedInItsCallback,
  workerThatClosesAndExits,
  workerThatThrows,
  workerThatNeverStarts,
];

if (!isMainThread) {
  // Made by work() of this same file.
  runJob(workerData as Job);
} else {
  const [, , name, way = '', only = ''] = process.argv;
  const source = SOURCE_NAMES.find((one) => one === name);
  if (source === undefined) throw new Error(`no such source: ${name}`);
  if (way !== 'in-process') await endProcess(source, way);
  else
    for (const scenario of SURVIVED.filter((one) => one.name.includes(only))) {
      await scenario(source);
      process.stdout.write(`ok ${scenario.name}\n`);
    }
}
