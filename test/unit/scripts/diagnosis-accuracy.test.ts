/** How often diagnosis is right is counted by one function, for calls of known deeds and for older captures alike. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../../src/core/package.ts';
import { SCENES } from '../../golden/scenes/all.ts';
import { captureOf } from '../../golden/scenes/scene.ts';
import { readDeeds, readTruth, withLoss } from '../../helpers/labels.ts';
import { temporaryFolder } from '../../helpers/read-capture.ts';
import { type Judged, score, scoreText } from '../../helpers/score.ts';

const call = (more: Partial<Judged>): Judged => ({
  origin: 'lab',
  note: '',
  isHealthy: false,
  said: [],
  must: [],
  may: [],
  ...more,
});
const WORDS = ['no-media', 'final'];

function rowsOf(calls: readonly Judged[]): unknown {
  return score(calls, WORDS).rows.map(({ name, right, falseAlarms, missed }) => [name, right, falseAlarms, missed]);
}

test('what is said is right, a false alarm, or neither; what is not said is missed', () => {
  const calls = [
    call({ must: ['no-media'], said: ['no-media'] }),
    call({ must: ['no-media'], said: [] }),
    call({ must: ['no-media'], said: null }),
    call({ isHealthy: true, said: ['no-media'] }),
    call({ isHealthy: true, said: ['no-media'], may: ['no-media'] }),
    call({ said: ['no-media'], may: ['*'] }),
    call({ must: ['no-media'], may: ['no-media'] }),
  ];
  assert.deepEqual(rowsOf(calls), [
    ['no-media', 1, 1, 2],
    ['final', 0, 0, 0],
  ]);
  assert.deepEqual(score(calls, WORDS).healthy, { calls: 2, alarmed: 1 });
});

test('a failure is right with its own code alone', () => {
  const wrong = call({ must: ['final:503'], said: ['final:500'] });
  assert.deepEqual(rowsOf([wrong, call({ must: ['final:486'], said: ['final:486'] })]), [
    ['no-media', 0, 0, 0],
    ['final', 1, 1, 1],
  ]);
});

test('what the program has no word for is listed, and counts neither way', () => {
  const { rows, wrong, unspoken } = score([call({ must: ['request-loop'] })], WORDS);
  assert.deepEqual([...unspoken], [['request-loop', 1]]);
  assert.deepEqual([rows.every(({ missed }) => missed === 0), wrong], [true, []]);
  assert.match(scoreText(score([call({ must: ['request-loop'] })], WORDS)), /no word for: request-loop \(1\)/);
});

test('how media sounds is measured, where nobody has judged it', () => {
  const deed = { capture: 'one', call_id: 'a', healthy: true, should: [], may: [], note: 'n', source: 's' };
  const labels = readDeeds(`${JSON.stringify(deed)}\n${JSON.stringify({ ...deed, call_id: 'b', auto: false })}\n`).get(
    'one',
  );
  const [measured, judged] = [labels?.get('a'), labels?.get('b')];
  assert.ok(measured !== undefined && judged !== undefined);
  assert.deepEqual([measured.may.includes('jitter'), judged.may], [true, []]);
  assert.deepEqual(withLoss(measured, [0, 5]).must, ['packet-loss']);
  assert.ok(withLoss(measured, [0.9]).may.includes('packet-loss'));
  assert.ok(withLoss(measured, [0, undefined]).may.includes('packet-loss'));
  assert.ok(!withLoss(measured, [0.2, 0]).may.includes('packet-loss'));
  assert.equal(withLoss(judged, [5]), judged);
  assert.throws(() => readDeeds('{"capture":"one"}'), /deeds.jsonl, line 1: needs capture, call_id, should and may/);
  assert.throws(() => readDeeds('\nno'), /deeds.jsonl, line 2: no JSON/);
});

test('the older labels name a call by its encoded Call-ID', () => {
  const labels = readTruth('# nothing\na.pcap\tb%40c\tno_media,abandoned\tnobody sent\n');
  assert.deepEqual(labels.get('a.pcap')?.get('b@c')?.must, ['no_media', 'abandoned']);
});

function run(folder: string) {
  const script = join(packageRoot(), 'scripts/diagnosis-accuracy.mjs');
  return spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
}

test('a folder of captures and deeds becomes a table', (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'captures'));
  const names = ['failed-with-reason', 'announcement-one-way', 'caller-unheard', 'lost-and-seen-twice'];
  const deeds = SCENES.filter(({ name }) => names.includes(name)).map((scene) => {
    writeFileSync(join(folder, `captures/${scene.name}.pcap`), captureOf(scene));
    // One label is wrong: the call was healthy, it says. Loss is in no label.
    const isTold = scene.name !== 'caller-unheard';
    const should = scene.finds.filter((name) => isTold && name !== 'packet-loss');
    const id = `${scene.name}@calltap.example.com`;
    return {
      capture: scene.name,
      call_id: id,
      healthy: should.length === 0,
      should,
      may: [],
      note: scene.note,
      source: 'scenes',
    };
  });
  writeFileSync(join(folder, 'deeds.jsonl'), deeds.map((deed) => `${JSON.stringify(deed)}\n`).join(''));
  const { status, stdout } = run(folder);
  assert.equal(status, 0);
  assert.match(stdout, /^\| scenes \| 4 \| 2 \|$/m);
  assert.match(stdout, /^\| one-way-audio \| 0 \| 1 \| 0 \| 3 \| 0.0 % \| - \|$/m);
  assert.match(stdout, /^\| final \| 1 \| 0 \| 0 \| 3 \| 100.0 % \| 100.0 % \|$/m);
  assert.match(stdout, /^\| packet-loss \| 1 \| 0 \| 0 \| 3 \| 100.0 % \| 100.0 % \|$/m);
  assert.match(stdout, /^1 of 2 healthy calls have a false alarm \(50.0 %\)\.$/m);
  assert.match(stdout, /^- false alarm: `one-way-audio` in scenes\. only the callee sends$/m);
});

test('a folder that is not there, and deeds that cannot be read, are one line', (t) => {
  const folder = temporaryFolder(t);
  const { status, stderr } = run(join(folder, 'gone'));
  assert.equal(status, 1);
  assert.match(stderr, /^diagnosis-accuracy: .*gone is not there; name folders of captures\n$/);
  writeFileSync(join(folder, 'deeds.jsonl'), 'no\n');
  assert.match(run(folder).stderr, /^diagnosis-accuracy: deeds.jsonl, line 1: no JSON\n$/);
});
