/**
 * The report over a whole capture: right findings with evidence, one making at a time, and turns for others meanwhile.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { Capture, EPOCH_US } from '../../../fixtures/build/capture.ts';
import { SipScript } from '../../../fixtures/build/sip-call.ts';
import { packageRoot } from '../../../src/core/package.ts';
import { FINDING_SEVERITIES } from '../../../src/core/words.ts';
import { assertDocument } from '../../api/strict-contract.ts';
import { dialogDocument } from '../../helpers/at-once.ts';
import { readCapture, readCaptureFile } from '../../helpers/read-capture.ts';

const party = (user: string, address: string) => ({
  user,
  sip: { address, port: 5060 },
  rtp: { address, port: 20_000 },
});

/** Calls that are answered with this status, one after the other. */
function calls(n: number, status: number): Uint8Array {
  const capture = new Capture();
  for (let i = 0; i < n; i++) {
    const script = new SipScript({
      callId: `call-${i}`,
      caller: party('alice', '192.0.2.1'),
      callee: party('bob', '192.0.2.2'),
      startUs: EPOCH_US + i * 50_000,
    });
    const invite = script.request('INVITE', 0);
    script.respond(invite, status, 20);
    script.ack(invite, status, 30);
    capture.add(script.messages);
  }
  return capture.pcap();
}

test('findings of the demo: each with its calls, worst first', async (t) => {
  const { session } = await readCaptureFile(t, join(packageRoot(), 'fixtures/demo/demo.pcap'));
  const report = await session.explorer.captureReport();
  assertDocument('CaptureReport', report);
  assert.equal(report.complete, true);
  assert.equal(report.dialogs_examined, session.dialogs.size);
  assert.equal(report.streams_examined, session.streams.size);
  assert.equal(report.frames_read, session.source.counter('frames'));
  const ranks = report.findings.map((f) => FINDING_SEVERITIES.indexOf(f.severity));
  assert.deepEqual(
    ranks,
    [...ranks].sort((a, b) => a - b),
  );
  // Every finding of a dialog is what the dialog's own document says.
  const readers = session.explorer;
  for (const { kind, evidence } of report.findings)
    for (const { call_id: id } of evidence) {
      const d = id === undefined ? null : await readers.dialog(id);
      if (kind === 'one_way_audio' || kind === 'no_media' || kind === 'nat_mismatch')
        assert.equal(d?.diagnosis[kind], true);
      if (kind === 'final_failure' || kind === 'auth_loop')
        assert.notEqual(d?.signaling_diagnosis?.[kind] ?? null, null);
    }
  const oneWay = [...session.dialogs.oldestFirst()].filter(
    (d) => dialogDocument(session.evidence, d).diagnosis.one_way_audio,
  );
  assert.equal(report.findings.find((f) => f.kind === 'one_way_audio')?.occurrences ?? 0, oneWay.length);
});

test('many occurrences: ten examples, the rest counted', async (t) => {
  const { session } = await readCapture(t, calls(25, 503));
  const { findings } = await session.explorer.captureReport();
  assert.equal(findings.length, 1);
  const [failed] = findings;
  assert.deepEqual(
    failed && [
      failed.kind,
      failed.severity,
      failed.occurrences,
      failed.unit,
      failed.evidence.length,
      failed.evidence_omitted,
    ],
    ['final_failure', 'major', 25, 'dialogs', 10, 15],
  );
  assert.deepEqual(failed?.evidence[0], {
    call_id: 'call-0',
    at: '2025-03-04T09:00:00.000000Z',
    note: '503 Service Unavailable',
  });
});

test('a cap that shed something makes the report incomplete, and says so first', async (t) => {
  const { session } = await readCapture(t, calls(25, 486), ['--max-dialogs', '10']);
  const report = await session.explorer.captureReport();
  assertDocument('CaptureReport', report);
  assert.equal(report.complete, false);
  assert.equal(report.dialogs_examined, 10);
  assert.deepEqual(report.findings[0], {
    kind: 'dialogs_evicted',
    severity: 'blind',
    occurrences: 15,
    unit: 'dialogs',
    evidence: [],
    evidence_omitted: 0,
  });
});

test('who asks meanwhile gets the same report, others get turns', async (t) => {
  const { session } = await readCapture(t, calls(4000, 503));
  const readers = session.explorer;
  const making = readers.captureReport();
  assert.equal(readers.captureReport(), making);
  let turns = 0;
  let isDone = false;
  const others = (async () => {
    while (!isDone) {
      await new Promise((resolve) => setImmediate(resolve));
      turns++;
    }
  })();
  const report = await making;
  isDone = true;
  await others;
  assert.equal(report.findings[0]?.occurrences, 4000);
  assert.ok(turns > 2, `${turns} turns`);
  assert.equal(await readers.captureReport(), report, 'nothing changed since');
});
