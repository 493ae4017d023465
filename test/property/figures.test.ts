/**
 * One function a figure: what a column shows, the filter finds and the order follows; documents and rows of the store say the
 * same; and the windows of a stream add up to the stream.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { callLine, documentText } from '../../src/actions/ship/call-lines.ts';
import { FIELD_READERS, figureReaderOf } from '../../src/analysis/call-field-readers.ts';
import { CallSource } from '../../src/analysis/call-source.ts';
import { findingNames } from '../../src/analysis/finding-names.ts';
import { openingOf } from '../../src/analysis/opening.ts';
import { streamQuality } from '../../src/analysis/stream-quality.ts';
import type { Call, CallField, FieldKind } from '../../src/core/call-fields.ts';
import { FIELDS, fieldValue, SORT_KEYS, WORST_FIGURE, worstWord } from '../../src/core/call-fields.ts';
import { rounded } from '../../src/core/rounded.ts';
import { finish } from '../../src/core/turns.ts';
import { chosenSteps } from '../../src/explore/chosen.ts';
import { COLUMNS } from '../../src/faces/cli/columns.ts';
import { lossPct } from '../../src/protocols/rtp/quality.ts';
import { windowLosses } from '../../src/protocols/rtp/stream-figures.ts';
import { windowCounts } from '../../src/protocols/rtp/stream-window.ts';
import { KEYS } from '../../src/query/keys.ts';
import { parseFilter } from '../../src/query/parse.ts';
import type { Dialog } from '../../src/store/dialogs/dialog.ts';
import { toCall } from '../../src/view/call.ts';
import { streamDocumentsSteps } from '../../src/view/documents.ts';
import { percent, toRtpStream } from '../../src/view/stream-document.ts';
import { CallObservations } from '../../src/watch/observations.ts';
import { heardOf, mediaOn } from '../../src/watch/trunks/trunk-media.ts';
import { dialogFacts, saidOf } from '../helpers/at-once.ts';
import { asJson } from '../helpers/json.ts';
import type { OpenSession } from '../helpers/open-session.ts';
import { readCapture } from '../helpers/read-capture.ts';
import { variedCalls } from '../helpers/varied-calls.ts';

const SEEDS = [1, 2, 3, 4];
/** As given; and with room for a few calls, so that others are evicted with their streams left behind. */
const ROOMS = [[], ['--max-dialogs', '5']];

const NUMBERS: readonly FieldKind[] = ['code', 'figure', 'milliseconds', 'seconds'];
/** Every field of a call that is a number and a key of the filter. */
const FIGURES = FIELDS.flatMap((field) =>
  field.key !== undefined && field.filter !== undefined && NUMBERS.includes(field.kind)
    ? [{ ...field, key: field.key }]
    : [],
);

test('every key that compares numbers is asked about here', () => {
  assert.deepEqual(
    KEYS.filter(({ kind }) => kind.isOrdered)
      .map(({ key }) => key)
      .sort(),
    FIGURES.map(({ key }) => key).sort(),
  );
});

for (const seed of SEEDS)
  for (const room of ROOMS)
    test(`column, filter, order, documents and store: seed ${seed} ${room.join(' ')}`, async (t) => {
      const session = await read(t, seed, room);
      const { evidence: e, dialogs } = session;
      const calls = [...dialogs.oldestFirst()];
      assert.ok(room.length === 0 ? calls.length > 10 : calls.length <= 5);
      for (const field of FIGURES) {
        const { key } = field;
        const measured = (d: Dialog): number | null => numberOrNull(FIELD_READERS[field.name][1](new CallSource(e, d)));
        const { read: readFigure } = figureReaderOf(field);
        const figure = (d: Dialog): number | null => readFigure(new CallSource(e, d));
        for (const d of calls) {
          const n = figure(d);
          const call = toCall(e, d);
          const own = measured(d);
          assert.equal(numberOrNull(fieldValue(call, field)), own, `/ask of ${key}, ${d.callId}`);
          const stored = Number(storedOf(session, d, field) ?? Number.NaN);
          if (own === null) assert.ok(Number.isNaN(stored) || stored === 0, `row of ${key}, ${d.callId}`);
          else
            assert.equal(rounded(key === 'duration' ? stored : Math.fround(stored), key === 'duration' ? 6 : 4), own);
          // A call that lacks a direction: what was measured is not what it is worth.
          const word = worstWord(call, field);
          assert.equal(n, word === undefined ? own : WORST_FIGURE, `${key} of ${d.callId}`);
          if (word !== undefined) {
            assert.equal(COLUMNS.get(key)?.text(call, { number: 1, isUtc: true }), word);
            assert.equal(csvOf(key, call), null);
          }
          for (const shown of word === undefined ? [textOf, csvOf] : []) {
            const text = shown(key, call);
            assert.equal(text === null, n === null, `${key} of ${d.callId}: ${text}`);
            if (text === null) continue;
            const places = text.replace(/[^\d.]/g, '').split('.')[1]?.length ?? 0;
            const same = calls.filter((one) => figure(one)?.toFixed(places) === text.replace(/[^\d.]/g, ''));
            assert.ok(same.includes(d), `${key} of ${d.callId} is ${n}, shown as ${text}`);
            assert.deepEqual(namesOf(found(session, `${key}=${text}`)), namesOf(same), `${key}=${text}`);
          }
          if (n === null) continue;
          const atLeast = calls.filter((one) => (figure(one) ?? -1) >= n);
          assert.deepEqual(namesOf(found(session, `${key}>=${plain(n)}`)), namesOf(atLeast), `${key}>=${n}`);
          const less = calls.filter((one) => (figure(one) ?? n) < n);
          assert.deepEqual(namesOf(found(session, `${key}<${plain(n)}`)), namesOf(less), `${key}<${n}`);
        }
        if (!SORT_KEYS.includes(key)) continue;
        for (const isDescending of [false, true]) {
          const order: (number | null)[] = finish(
            chosenSteps(e, { filter: null, sort: { by: key, isDescending } }),
          ).dialogs.map(figure);
          const known: number[] = order.filter((n) => n !== null).sort((a, b) => (isDescending ? b - a : a - b));
          assert.deepEqual(order, [...known, ...order.filter((n) => n === null)], `--sort ${key}`);
        }
      }
    });

for (const seed of SEEDS)
  test(`windows add up to their stream: seed ${seed}`, async (t) => {
    const { streams, evidence } = await read(t, seed, ['--quality-interval', '1']);
    let lateOverWindows = 0;
    for (const stream of streams.fromOldest()) {
      const q = streamQuality(stream, evidence.capture.quality) ?? assert.fail();
      const { snapshot: s, windows } = q;
      const sum = (of: (w: (typeof windows)[number]) => number): number => windows.reduce((all, w) => all + of(w), 0);
      const lost = windowLosses(windows);
      const of = `stream ${s.packets} packets, ${s.lost} lost`;
      assert.equal(
        sum(({ packets }) => packets),
        s.packets,
        of,
      );
      assert.equal(
        sum(({ net }) => net.expected),
        s.expected,
        of,
      );
      assert.equal(
        sum((w) => windowCounts(w, q.jitterClock).discarded),
        q.late,
        of,
      );
      assert.equal(
        lost.reduce((all, n) => all + n, 0),
        s.lost,
        of,
      );
      if (sum((w) => w.lost) > s.lost) lateOverWindows++;
      // What is shown of each window is loss.
      const shown = toRtpStream(stream, q, { sources: [], clockSteps: [] }).quality_intervals;
      for (const [i, w] of windows.entries())
        assert.equal(shown[i]?.loss_pct, percent(lossPct(lost[i] ?? 0, w.expected)));
    }
    assert.ok(lateOverWindows > 0, 'no packet came after its window');
  });

test('of key presses alone nobody hears a loss', async (t) => {
  const session = await read(t, 1, []);
  const [keys] = found(session, 'callid:keys-alone@varied');
  assert.ok(keys !== undefined);
  const streams = session.streams.ownedBy(keys).map((s) => session.streams.snapshot(s));
  assert.ok(streams.some((s) => s !== null && s.lost > 0));
  assert.equal(toCall(session.evidence, keys).loss_pct_max, undefined);
  assert.ok(!found(session, 'loss>0').includes(keys));
  const { capture } = session.evidence;
  const observed = new CallObservations(true);
  for (const stream of session.streams.ownedBy(keys)) observed.onStreamEnd(stream, capture);
  assert.deepEqual([observed.lossPercent.snapshot().count, observed.jitterMs.snapshot().count], [0, 2]);
  assert.deepEqual(
    mediaOn(heardOf(keys, capture), () => true),
    { mos: null, lost: 0, expected: 0 },
  );
});

async function read(t: TestContext, seed: number, options: readonly string[]): Promise<OpenSession> {
  return (await readCapture(t, variedCalls(seed), options)).session;
}

function found({ evidence }: OpenSession, text: string): Dialog[] {
  const parsed = parseFilter(text, { isUtc: true });
  assert.ok(parsed.ok, text);
  const question = { filter: parsed.filter, sort: { by: 'created', isDescending: false } } as const;
  return [...finish(chosenSteps(evidence, question)).dialogs];
}

const namesOf = (calls: readonly Dialog[]): string[] => calls.map(({ callId }) => callId);

const numberOrNull = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** Without an exponent. */
const plain = (n: number): string => n.toFixed(9).replace(/\.?0+$/, '');

const CONTEXT = { number: 1, isUtc: true };

/** What the table shows, as a filter takes it; null where it has no figure. */
function textOf(key: string, call: Call): string | null {
  const text = COLUMNS.get(key)?.text(call, CONTEXT) ?? assert.fail(key);
  if (key !== 'duration') return text === '-' ? null : text.replace(' ', '');
  const [sec = 0, min = 0, hours = 0] = text.split(':').map(Number).reverse();
  return String(hours * 3600 + min * 60 + sec);
}

function csvOf(key: string, call: Call): string | null {
  return COLUMNS.get(key)?.csv?.(call, CONTEXT) || null;
}

/** What the store has of a field in the row that an agent ships of a call: of its own, or in its document. */
function storedOf({ evidence: e }: OpenSession, d: Dialog, { stored = '', document = '' }: CallField): unknown {
  const facts = dialogFacts(e, d);
  const streams = finish(streamDocumentsSteps(e, facts));
  const opening = openingOf([], d, facts.messages[0]);
  const call = { e, d, facts, findings: findingNames(facts), streams, opening, said: saidOf(e, d) };
  const line = callLine('{', call, documentText(call));
  const row = asJson(JSON.parse([line].flat().join('')));
  if (document === '') return row[stored];
  return document.split('.').reduce((at: unknown, name) => asJson(at ?? {})[name], row['document']);
}
