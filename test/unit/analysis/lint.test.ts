/** The lint rules by their own examples, their metadata, and the caps. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LINT_RULES, lintDialog } from '../../../src/analysis/lint/lint.ts';
import type { LintStream } from '../../../src/analysis/lint/rule.ts';
import { finish } from '../../../src/core/turns.ts';
import { TRANSPORT } from '../../../src/core/words.ts';
import { toLintResult } from '../../../src/view/lint.ts';
import { assertDocument } from '../../api/strict-contract.ts';
import { TrackerKit } from '../ingest/dialogs/tracker-kit.ts';
import { EXAMPLE_ENDS, exampleMessages } from './lint-example.ts';
import { LINT_EXAMPLES } from './lint-examples.ts';

const NONE: ReadonlySet<string> = new Set();
const BASE_US = 1_700_000_000_000_000;

function endpoint(text: string) {
  const [address = '', port = '0'] = text.split(':');
  return { address, port: Number(port) };
}

/** Findings of an example's messages. */
function lint(steps: readonly string[], streams: readonly LintStream[] = [], suppressed = NONE) {
  const kit = new TrackerKit();
  let callId = 'example';
  for (const m of exampleMessages(steps)) {
    const [src, dst] = m.isByCaller
      ? [EXAMPLE_ENDS.caller, EXAMPLE_ENDS.callee]
      : [EXAMPLE_ENDS.callee, EXAMPLE_ENDS.caller];
    const message = { tsUs: BASE_US + m.atMs * 1000, src: endpoint(src), dst: endpoint(dst), bytes: m.bytes };
    const d = kit.send({ ...message, by: 'caller', method: '', status: 0 }, { transport: TRANSPORT[m.transport] });
    callId = d?.callId ?? callId;
  }
  const d = kit.dialog(callId);
  return { d, ...finish(lintDialog(d, kit.log, streams, suppressed)) };
}

test('every rule has an id, an RFC, a section and sentences of its own; there are sixty at least', () => {
  assert.ok(LINT_RULES.length >= 60, `${LINT_RULES.length} rules`);
  assert.equal(new Set(LINT_RULES.map((r) => r.id)).size, LINT_RULES.length);
  for (const rule of LINT_RULES) {
    assert.match(rule.id, /^[a-z0-9]+(-[a-z0-9]+)*$/);
    assert.match(rule.section, /^\d+(\.\d+)*$/, rule.id);
    assert.ok(rule.rfc > 1000, rule.id);
    assert.match(rule.explanation, /\.$/, rule.id);
    if (rule.basis === 'must') assert.notEqual(rule.severity, 'info', rule.id);
  }
});

for (const rule of LINT_RULES.filter((r) => !r.id.startsWith('media-')))
  test(`lint: ${rule.id} fires on its example and not on the other`, () => {
    const { fires, passes } = LINT_EXAMPLES[rule.id] ?? assert.fail('add an example to lint-examples.ts');
    const fired = lint(fires);
    const mine = fired.findings.filter((f) => f.rule === rule);
    assert.ok(mine.length >= 1, `found ${fired.findings.map((f) => f.rule.id).join(', ')}`);
    for (const f of mine) assert.notEqual(f.observed, '');
    assertDocument('LintResult', toLintResult(fired.d, fired));
    const passed = lint(passes).findings.filter((f) => f.rule === rule);
    assert.deepEqual(
      passed.map((f) => f.observed),
      [],
    );
  });

test('a plain call breaks nothing', () => {
  const { findings } = lint(['INVITE | ~offer', '100', '180', '200 | ~answer', 'ACK', '< BYE', '200 BYE']);
  assert.deepEqual(
    findings.map((f) => `${f.rule.id}: ${f.observed}`),
    [],
  );
});

test('media against its description: packet time and payload type', () => {
  const stream = { src: '192.0.2.2:4000', dst: '192.0.2.1:4000', payloadType: 8, packets: 500, packetMs: 40 };
  const sdp =
    'v=0\\no=- 1 1 IN IP4 192.0.2.1\\ns=-\\nc=IN IP4 192.0.2.1\\nt=0 0\\nm=audio 4000 RTP/AVP 0\\na=ptime:20\\n';
  const { findings } = lint([`INVITE | ~${sdp}`, '200 | ~answer'], [stream]);
  assert.deepEqual(
    findings.map((f) => [f.rule.id, f.messageIndex, f.observed]),
    [
      ['media-ptime-differs', 0, 'ptime 20, packets of 40 ms from 192.0.2.2:4000'],
      ['media-type-not-listed', 0, 'type 8 from 192.0.2.2:4000, listed 0'],
    ],
  );
  const short = lint([`INVITE | ~${sdp}`, '200 | ~answer'], [{ ...stream, packets: 10 }]);
  assert.deepEqual(short.findings, []);
});

test('a suppressed rule is not run', () => {
  const steps = ['OPTIONS | -Max-Forwards'];
  assert.equal(lint(steps).findings.length, 1);
  assert.equal(lint(steps, [], new Set(['max-forwards-missing'])).findings.length, 0);
});

test('a rule has 25 findings in a dialog at most', () => {
  const steps = Array.from({ length: 40 }, () => 'INFO | -Max-Forwards');
  const { findings } = lint(steps);
  assert.equal(findings.filter((f) => f.rule.id === 'max-forwards-missing').length, 25);
});

test('a retransmission is not linted again', () => {
  const again = 'OPTIONS | -Max-Forwards | Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK-1 | CSeq: 1 OPTIONS';
  assert.equal(lint([again, `${again} | %later 500`]).findings.length, 1);
});
