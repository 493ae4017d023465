/** What a caller gets wrong is refused with words: no thread is waited for in vain, no memory is trusted. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { allocateCaptureMemory, nativeOptions } from '../../src/sources/capture-memory.ts';
import { loadNative, type NativeCaptureOptions } from '../../src/sources/native.ts';
import { RECORD_BYTES, SLAB_BYTES, SLAB_RECORDS } from '../../src/sources/records.ts';
import { liveSkip } from '../live/native-program.ts';
import { feederFor, makeSource } from './lifecycle-sources.ts';

const binding = loadNative();
const info = binding.info();
process.env['LIFECYCLE_FOLDER'] = mkdtempSync(join(tmpdir(), 'calltap-wrong-use-'));
after(() => rmSync(process.env['LIFECYCLE_FOLDER'] ?? '', { recursive: true }));

function options(slabs = 2): NativeCaptureOptions {
  const look = { sipPorts: [], wsPorts: [], maxStreams: 8, windowSec: 10 };
  const nothing = { espNull: false, hep: false, retainsPayload: false };
  return nativeOptions(allocateCaptureMemory(slabs, info.counterCount), { ...look, ...nothing }, false);
}
const ignore = (): void => undefined;
const NOT_HELD = Int32Array.of(-1);

test('memory of the wrong size, number or place is refused', () => {
  const row = SLAB_RECORDS * RECORD_BYTES;
  const wrong: [Partial<Record<keyof NativeCaptureOptions, unknown>>, RegExp][] = [
    [{ slabs: new Uint8Array(SLAB_BYTES), descriptors: new Uint8Array(row) }, /slabs/],
    [{ slabs: new Uint8Array(2 * SLAB_BYTES + 1) }, /slabs/],
    [{ slabs: new Uint8Array(3 * SLAB_BYTES), descriptors: new Uint8Array(3 * row) }, /slabs: 2, 4, 8/],
    [{ slabs: undefined }, /slabs/],
    [{ descriptors: new Uint8Array(2 * row - 1) }, /descriptors: wrong size/],
    [{ descriptors: new Uint8Array(2 * row + 1).subarray(1) }, /descriptors: not aligned/],
    [{ counters: new BigUint64Array(info.counterCount - 1) }, /counters/],
    [{ wsOutPorts: new Uint32Array(65_535) }, /port counters/],
    [{ seed: new Uint8Array(15) }, /seed/],
    [{ sipGate: new Uint8Array(8191) }, /gates/],
  ];
  for (const [change, why] of wrong)
    assert.throws(() => Reflect.construct(binding.Capture, [{ ...options(), ...change }, ignore]), why);
  for (const name of ['Capture', 'HepCapture', 'TlsCapture'] as const) {
    assert.throws(() => Reflect.construct(binding[name], []), new RegExp(`new ${name}\\(options, onSlab\\)`));
    assert.throws(() => Reflect.construct(binding[name], [{}, ignore]), /slabs/);
    assert.throws(() => Reflect.apply(binding[name], null, [options(), ignore]), TypeError, 'without new');
  }
});

test('an option whose getter throws does not end the process', () => {
  const hostile = Object.defineProperty({ ...options() }, 'slabs', {
    get: () => {
      throw new Error('getter');
    },
  });
  assert.throws(() => new binding.Capture(hostile, ignore));
});

test('methods on another object are refused', () => {
  const capture = new binding.Capture(options(), ignore);
  assert.throws(() => Reflect.apply(capture.close, {}, []), TypeError);
  assert.throws(() => Reflect.apply(capture.progress, new binding.OutputFile(), []), TypeError);
  capture.close();
});

test('the end of a file that still runs is not waited for', async () => {
  const feeder = await feederFor('file');
  const capture = new binding.Capture(options(), ignore);
  assert.equal(capture.openFiles([feeder.target.path], NOT_HELD), 0);
  assert.throws(() => capture.endFiles(), /not at their end/);
  assert.throws(() => capture.openFiles([feeder.target.path], NOT_HELD), /busy/);
  capture.close();
  capture.endFiles();
  feeder.end();
});

test('interfaces and a file are not read by one capture', { skip: liveSkip() }, async () => {
  const feeder = await feederFor('file');
  const capture = new binding.Capture(options(), ignore);
  const live = {
    interfaces: ['lo'],
    liveCounters: new BigUint64Array(info.liveCounterNames.length),
    blocks: 2,
    bestFilter: 1,
    promiscuous: false,
    wholeRtp: false,
  };
  assert.throws(() => capture.openLive({ ...live, liveCounters: new BigUint64Array(1) }), /one row of counters/);
  assert.equal(capture.openLive(live).errno, 0);
  assert.throws(() => capture.openFiles([feeder.target.path], NOT_HELD), /busy/);
  assert.throws(() => capture.openLive(live), /busy/);
  assert.equal(capture.startLive(), 0);
  assert.throws(() => capture.openFiles([feeder.target.path], NOT_HELD), /busy/);
  assert.throws(() => capture.startLive(), /not open/);
  capture.close();
  assert.throws(() => capture.openLive(live), /closed/);
  feeder.end();
});

test('a capture that its options close while they are read stays closed', { skip: liveSkip() }, () => {
  const capture = new binding.Capture(options(), ignore);
  const liveCounters = new BigUint64Array(info.liveCounterNames.length);
  const trap = {
    interfaces: ['lo'],
    liveCounters,
    blocks: 2,
    promiscuous: false,
    wholeRtp: false,
    get bestFilter() {
      capture.close();
      return 1;
    },
  };
  assert.throws(() => capture.openLive(trap), /closed/);
});

test('what is not a running listener says so', () => {
  const running = makeSource('hep', { port: 0, path: '' }, ignore);
  running.start();
  assert.throws(() => running.start(), /open/);
  running.capture.close();
  assert.throws(() => running.start(), /closed/);
});
