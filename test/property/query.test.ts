/** Whatever the text, the filter language answers; what it prints reads as the same; it agrees with a naive judgement. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { Dialog as DialogDocument } from '../../src/contract/index.ts';
import { finish } from '../../src/core/turns.ts';
import { ALL_CALLS } from '../../src/explore/question.ts';
import { COLUMNS } from '../../src/faces/cli/columns.ts';
import { complete } from '../../src/query/complete.ts';
import type { Filter, Node } from '../../src/query/filter.ts';
import { KEYS } from '../../src/query/keys.ts';
import { parseFilter } from '../../src/query/parse.ts';
import { passesSteps } from '../../src/query/passes.ts';
import { printFilter } from '../../src/query/print.ts';
import { Subject } from '../../src/query/subject.ts';
import { toCall } from '../../src/view/call.ts';
import type { OpenSession } from '../helpers/open-session.ts';
import { openSession } from '../helpers/open-session.ts';

const READING = { isUtc: true };
const DEMO = 'fixtures/demo/demo.pcap';

const piece = fc.constantFrom(
  ...KEYS.map(({ example }) => example),
  ...[
    '"',
    '\\',
    '*',
    '~',
    ',',
    ':',
    '-',
    '--',
    '(',
    ')',
    ' ',
    'or',
    'and',
    'not',
    '<',
    '>=',
    '..',
    '5xx',
    '10m',
    'ä',
    '\0',
    '\u{1f600}',
  ],
);
const anyText = fc.oneof(
  fc.string({ maxLength: 60, unit: 'binary' }),
  fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
  fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(' ')),
);

/** The tree without places and tests. */
function shape(node: Filter): unknown {
  if (node === null) return null;
  if (node.kind === 'not') return { not: shape(node.of) };
  if (node.kind !== 'term') return { [node.kind]: node.of.map(shape) };
  const { key, operator, values } = node;
  return { key, operator, values: values.map(({ start: _, end: __, ...value }) => value) };
}

describe('the filter language', () => {
  it('never throws, and what it prints reads as the same', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const parsed = parseFilter(text, READING);
        if (!parsed.ok) {
          const { start, end } = parsed.error;
          assert.ok(start >= 0 && start <= end && end <= text.length, `${start}..${end} of ${text.length}`);
          return;
        }
        const printed = printFilter(parsed.filter);
        const again = parseFilter(printed, READING);
        assert.ok(again.ok, `"${printed}" ${again.ok ? '' : again.error.reason}`);
        assert.deepEqual(shape(again.filter), shape(parsed.filter), printed);
      }),
      { numRuns: 3_000 },
    );
  });

  it('completes anywhere, inside the text', () => {
    fc.assert(
      fc.property(anyText, fc.nat(80), (text, at) => {
        const cursor = Math.min(at, text.length);
        const { start, end } = complete(text, cursor);
        assert.ok(start >= 0 && start <= end && end === cursor);
      }),
    );
  });
});

type Judge = (d: DialogDocument, raw: string) => boolean;

const same = (a: string | undefined, b: string): boolean => (a ?? '').toLowerCase() === b.toLowerCase();
const worstMos = (d: DialogDocument): number => Math.min(...d.streams.map((s) => s.mos ?? Infinity));

/** That of the INVITE, or of what else failed. */
const codeOf = (d: DialogDocument): number => d.final_status_code ?? d.signaling_diagnosis?.final_failure?.code ?? 0;

/** Terms, and what they mean as one would say it of a document. */
const TERMS: readonly (readonly [string, Judge])[] = [
  ['from=2001', (d) => same(d.from, '2001')],
  ['from:20', (d) => (d.from ?? '').startsWith('20')],
  ['to:*9602', (d) => (d.to ?? '').includes('9602')],
  ['to=*602', (d) => (d.to ?? '').endsWith('602')],
  ['to:+44', (d) => (d.to ?? '').startsWith('+44')],
  ['user=2002,2004', (d) => [d.from, d.to].some((u) => same(u, '2002') || same(u, '2004'))],
  ['display:~novak', (d) => /novak/i.test(`${d.from_display} ${d.to_display}`)],
  ['state:Failed', (d) => d.state === 'Failed'],
  ['state:comp*', (d) => d.state === 'Completed'],
  ['method:register', (d) => d.method === 'REGISTER'],
  ['code:4xx', (d) => Math.floor(codeOf(d) / 100) === 4],
  ['code>=500', (d) => codeOf(d) >= 500],
  ['pdd>1s', (d) => (d.timing.pdd_ms ?? 0) > 1_000],
  ['duration<5s', (d) => d.duration_sec < 5],
  // A direction that nobody heard is worse than any score.
  ['mos<4', (d) => d.diagnosis.one_way_audio || d.diagnosis.no_media || worstMos(d) < 4],
  ['loss>=1%', (d) => d.streams.some((s) => s.loss_pct >= 1)],
  ['codec:PCMA', (d) => d.streams.some((s) => s.codec === 'PCMA')],
  ['tag:held', (d) => d.tags?.includes('held') === true],
  ['finding:one-way-audio', (d) => d.diagnosis.one_way_audio],
  ['finding:no-media', (d) => d.diagnosis.no_media],
  ['text:telephone-event', (_, raw) => /telephone-event/i.test(raw)],
  ['origin:wire', () => true],
  ['callid:*ping*', (d) => d.call_id.includes('ping')],
];

type Written = { readonly text: string; readonly judge: Judge };

const term: fc.Arbitrary<Written> = fc.constantFrom(...TERMS).map(([text, judge]) => ({ text, judge }));
const filter = fc.letrec<{ any: Written }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    term,
    fc.tuple(tie('any'), tie('any')).map(([a, b]) => ({
      text: `(${a.text}) (${b.text})`,
      judge: (d: DialogDocument, raw: string) => a.judge(d, raw) && b.judge(d, raw),
    })),
    fc.tuple(tie('any'), tie('any')).map(([a, b]) => ({
      text: `(${a.text} or ${b.text})`,
      judge: (d: DialogDocument, raw: string) => a.judge(d, raw) || b.judge(d, raw),
    })),
    tie('any').map((a) => ({ text: `-(${a.text})`, judge: (d: DialogDocument, raw: string) => !a.judge(d, raw) })),
  ),
}));

describe('a filter', () => {
  let session: OpenSession;
  let documents: readonly DialogDocument[];

  before(async () => {
    session = openSession(['-I', DEMO, '--json']);
    await session.read([DEMO], () => undefined);
    documents = [...session.explorer.documents(ALL_CALLS)];
  });

  it('agrees with a naive judgement of the documents', () => {
    const { evidence, dialogs } = session;
    const asking = { e: evidence, nowUs: evidence.capture.nowUs, nameOf: () => null };
    const subject = (d: DialogDocument): Subject => new Subject(dialogs.get(d.call_id) ?? assert.fail(), asking);
    const raws = documents.map((d) => subject(d).texts.join('\n'));
    const counts = { passed: 0, kept: 0 };
    fc.assert(
      fc.property(filter.any, ({ text, judge }) => {
        const parsed = parseFilter(text, READING);
        assert.ok(parsed.ok, text);
        for (const [i, d] of documents.entries()) {
          const passed: boolean = finish(passesSteps(parsed.filter as Node, subject(d)));
          assert.equal(passed, judge(d, raws[i] ?? ''), `${text} of ${d.call_id}`);
          counts[passed ? 'passed' : 'kept']++;
        }
      }),
      { numRuns: 150 },
    );
    assert.ok(counts.passed > 100 && counts.kept > 100);
    session.close();
  });
});

/** What a row shows of a call, whatever columns a person chose. */
const SHOWN = ['callid', 'from', 'to', 'src', 'dst', 'method', 'state', 'code', 'transport', 'ua'] as const;
/** What is a bare word without quotes, and no key. */
const BARE = /^[\p{L}\d+][^\s,()"*<>=:|~]*$/u;

describe('a plain word', () => {
  let session: OpenSession;
  before(async () => {
    session = openSession(['-I', DEMO, '--json']);
    await session.read([DEMO], () => undefined);
  });

  it('finds every call whose row shows it, in whatever letters', () => {
    const { evidence: e } = session;
    const asking = { e, nowUs: e.capture.nowUs, nameOf: () => null };
    let asked = 0;
    for (const d of session.dialogs.oldestFirst()) {
      const call = toCall(e, d);
      const texts = SHOWN.map((key) => COLUMNS.get(key)?.text(call, { number: 1, isUtc: true }) ?? assert.fail(key));
      for (const text of texts)
        for (let start = 0; start < text.length; start++)
          for (const end of [start + 1, start + 3, text.length]) {
            const word = text.slice(start, end);
            // An address and a code are found whole.
            if (/^\d{3}$/.test(text) && word !== text) continue;
            if (!BARE.test(word) || KEYS.some(({ key }) => key === word) || /^(\d+\.){3}\d+$/.test(word)) continue;
            if (/^(or|and|not)$/i.test(word)) continue;
            const { filter } = parsedOf(word.toUpperCase());
            assert.equal(
              finish(passesSteps(filter ?? assert.fail(), new Subject(d, asking))),
              true,
              `${word} of ${text}`,
            );
            asked++;
          }
    }
    assert.ok(asked > 1_000, `${asked} words`);
  });
});

function parsedOf(text: string): { readonly filter: Filter } {
  const parsed = parseFilter(text, READING);
  assert.ok(parsed.ok, `${text}: ${parsed.ok ? '' : parsed.error.reason}`);
  return parsed;
}
