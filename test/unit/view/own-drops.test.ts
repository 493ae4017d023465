/** Where a figure of loss or a score would stand, answers for people say why it is not known; `/v1` keeps its keys. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { Evidence } from '../../../src/analysis/evidence.ts';
import { finish } from '../../../src/core/turns.ts';
import { mermaidLines } from '../../../src/export/mermaid.ts';
import { COLUMNS } from '../../../src/faces/cli/columns.ts';
import { qualityLines } from '../../../src/faces/cli/quality-lines.ts';
import type { Dialog } from '../../../src/store/dialogs/dialog.ts';
import { toCall } from '../../../src/view/call.ts';
import { askStream, streamDocument } from '../../../src/view/documents.ts';
import { reportSteps } from '../../../src/view/report-input.ts';
import { dialogDocument } from '../../helpers/at-once.ts';
import { PIPED } from '../../helpers/call-row.ts';
import type { Heard } from '../../helpers/dropped-speech.ts';
import { heard, range } from '../../helpers/dropped-speech.ts';

const SAYS = /not known: this capture dropped packets then/;

/** Ten percent lost by the caller, all of it while the capture dropped packets. */
async function dropped(t: TestContext): Promise<{ h: Heard; e: Evidence; d: Dialog }> {
  const h = await heard(t, { sec: 20, lost: range(300, 400) });
  const { e } = h.with([h.drops(299, 400, 5_000)]);
  return { h, e, d: h.d };
}

function cells(e: Evidence, d: Dialog): string[][] {
  const row = toCall(e, d);
  const context = { number: 1, isUtc: true };
  return ['mos', 'loss', 'findings'].map((key) => {
    const column = COLUMNS.get(key);
    return [column?.text(row, context) ?? '', column?.csv?.(row, context) ?? ''];
  });
}

test('the table has no figure of such loss, and the score of the other direction', async (t) => {
  const { h, e, d } = await dropped(t);
  const [mos, loss, findings] = cells(e, d);
  assert.match(mos?.[0] ?? '', /^4\.4/);
  assert.deepEqual(
    [loss, findings],
    [
      ['not known', ''],
      ['-', ''],
    ],
  );
  // Loss beyond what was dropped is a figure.
  assert.deepEqual(cells(h.with([h.drops(299, 400, 50)]).e, d)[1], ['5.3 %', '5.26']);
  assert.deepEqual(cells(h.e, d)[1], ['10.0 %', '10.00']);
});

test('/v1 says what the sequence numbers say, without a score, and the hint why; /ask has the reason', async (t) => {
  const { h, e, d } = await dropped(t);
  const document = streamDocument(e, h.stream);
  assert.deepEqual([document?.loss_pct, document?.mos], [10, undefined]);
  const scores = document?.quality_intervals.map(({ loss_pct, mos }) => [loss_pct, mos !== undefined]);
  assert.deepEqual(scores, [
    [0, true],
    [40, false],
    [0, true],
    [0, true],
  ]);
  const { diagnosis } = dialogDocument(e, d);
  assert.match(diagnosis?.hints.join(' ') ?? '', SAYS);
  assert.deepEqual([diagnosis?.no_media, diagnosis?.one_way_audio], [false, false]);
  assert.match(toCall(e, d).not_known ?? '', SAYS);
  assert.equal(askStream(e, h.stream)?.not_known, 'not known: this capture dropped packets then (100 of 1000 packets)');
  assert.deepEqual(
    askStream(e, h.stream)?.spans?.map(({ kind }) => kind),
    ['dropped'],
  );
  // Nothing of it where nothing was dropped.
  assert.deepEqual([toCall(h.e, d).not_known, askStream(h.e, h.stream)?.not_known], [undefined, undefined]);
});

test('report, ladder and quality say it in words', async (t) => {
  const { h, e, d } = await dropped(t);
  const report = finish(reportSteps(e, d));
  assert.match(report.findings.flatMap(({ texts }) => texts).join('\n'), SAYS);
  const row = report.media.find((columns) => columns.includes('not known')) ?? [];
  assert.deepEqual([row[5], row[6], row[9]], ['100', 'not known', 'not known']);
  assert.match([...mermaidLines(report.ladder)].join('\n'), /900 packets, loss not known/);
  const stream = askStream(e, h.stream);
  assert.ok(stream !== null);
  const lines = [...qualityLines({ schema_version: 1, call_id: '', streams: [stream] }, PIPED)];
  assert.match(lines[0] ?? '', SAYS);
  assert.match(lines[1] ?? '', /^ {2}\d\d:\d\d:\d\d to \d\d:\d\d:\d\d {2}dropped by this capture$/);
});
