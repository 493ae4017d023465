/**
 * Answers of a hostile service: damaged ones are refused as such, and whatever is taken for an answer can be drawn, without
 * a control byte.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type { TSchema } from 'typebox';
import type { Named } from '../../src/contract/index.ts';
import {
  AskCalls,
  AskCompare,
  AskFindings,
  AskLadder,
  AskMessages,
  AskPulse,
  AskQuality,
  AskRegistrations,
  DialogSummary,
} from '../../src/contract/index.ts';
import { knownLadder, knownMessages, knownPulse } from '../../src/explore/known-answers.ts';
import { ALL_CALLS } from '../../src/explore/question.ts';
import { ChangesLog } from '../../src/explore/remote/changes-log.ts';
import { readShape } from '../../src/explore/remote/shapes.ts';
import { comparisonLines } from '../../src/faces/cli/comparison.ts';
import { qualityLines } from '../../src/faces/cli/quality-lines.ts';
import { shownColumns, textOf } from '../../src/faces/tui/call-columns.ts';
import { Cells } from '../../src/faces/tui/cells.ts';
import { MessagePane } from '../../src/faces/tui/message-pane.ts';
import { findingsTable, registrationsTable } from '../../src/faces/tui/tables.ts';
import { EventReader } from '../../src/net/event-stream.ts';
import { RemoteFailure } from '../../src/net/failures.ts';
import { ladderRows } from '../../src/view/ladder-text.ts';
import { toAskPulse } from '../../src/view/pulse.ts';
import { STEERING } from '../helpers/hostile-calls.ts';
import type { OpenSession } from '../helpers/open-session.ts';
import { openSession } from '../helpers/open-session.ts';

const DEMO = 'fixtures/demo/demo.pcap';
const CALL = 'packet-loss@pbx.example.com';
const ALL = { filter: null, text: '', label: '' };
const SHOWN = { isUtc: true, hasDates: false, hasNames: true, hasHosts: true };
const STYLE = { columns: null, isUtc: true, color: false, width: null } as const;
const EVENTS = { filter: () => undefined, open: () => undefined, trunks: () => undefined, table: () => undefined };

let session: OpenSession;
before(async () => {
  session = openSession(['-I', DEMO]);
  await session.read([DEMO], () => undefined);
});
after(() => session.close());

/** What stands in the place of a leaf, an object or a list. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(null, true, -1, 0, 1e308, 9_007_199_254_740_991, 0.5, '', [], {}),
  fc.constantFrom(
    '\u001b[2J',
    '\u202eevil',
    'x'.repeat(5_000),
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '\ud800',
  ),
  fc.constantFrom(
    '2026-02-30T00:00:00Z',
    '2026-01-01T00:00:00+23:59',
    '\u0000',
    'e\u0301'.repeat(40),
    '\u{1f468}\u200d'.repeat(30),
  ),
);
const damage = fc.array(fc.tuple(fc.nat(), fc.boolean(), odd), { minLength: 1, maxLength: 4 });

/** Copies a document with some of its places changed or taken away. */
function damaged(
  document: unknown,
  changes: readonly (readonly [at: number, isGone: boolean, value: unknown])[],
): string {
  const copy: unknown = JSON.parse(JSON.stringify(document));
  for (const [at, isGone, value] of changes) {
    const places: [holder: Record<string, unknown>, key: string][] = [];
    const walk = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      for (const key of Object.keys(node)) {
        const holder = node as Record<string, unknown>;
        places.push([holder, key]);
        walk(holder[key]);
      }
    };
    walk(copy);
    const place = places[at % Math.max(1, places.length)];
    if (place === undefined) continue;
    if (isGone) delete place[0][place[1]];
    else place[0][place[1]] = value;
  }
  return JSON.stringify(copy);
}

/** The document, where the text is one. */
function taken<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    assert.ok(error instanceof RemoteFailure, String(error));
    return null;
  }
}

function drawn(lines: Iterable<string>): void {
  const cells = new Cells(100, 12, true);
  let y = 0;
  for (const line of lines) cells.put(0, y++ % 12, line);
  const frame = cells.frame(null).replace(/\u001b\[(\?\d+[hl]|\d+;\d+H|[\d;]*m)/g, '');
  assert.doesNotMatch(frame, STEERING);
}

type Draw<T> = (document: T) => Iterable<string> | Promise<Iterable<string>>;

async function holds<T extends TSchema, D>(document: unknown, schema: Named<T>, draw: Draw<D>): Promise<void> {
  assert.notEqual(document, null);
  drawn(await draw(readShape(schema, JSON.stringify(document)) as D));
  let read = 0;
  await fc.assert(
    fc.asyncProperty(damage, async (changes) => {
      const found = taken(() => readShape(schema, damaged(document, changes)));
      if (found === null) return;
      read++;
      drawn(await draw(found as D));
    }),
    { numRuns: 300 },
  );
  assert.ok(read > 0, `${schema.$id}: none of them was taken`);
}

test('lists of calls, and their changes', async () => {
  const page = await session.explorer.page(ALL_CALLS, 10, '');
  const columns = shownColumns(200, SHOWN);
  const rows = ({ calls }: AskCalls): string[] =>
    calls.map((call) => columns.map(({ column }) => textOf(column, call, SHOWN)).join(' '));
  await holds(page, AskCalls, rows);
  const log = new ChangesLog(3);
  await holds(page?.calls[0], DialogSummary, (row: DialogSummary) => {
    log.add(row);
    assert.ok((log.since(1).rows ?? []).length <= 3);
    return [];
  });
});

test('ladders and messages', async () => {
  const ladder = await session.explorer.ladder([CALL]);
  await holds(ladder, AskLadder, (l: AskLadder) =>
    knownLadder(l) !== null ? [...ladderRows(l, { width: 100, isUtc: true })].map(({ text }) => text) : [],
  );
  const messages = await session.explorer.messages([CALL], { showsSecrets: false });
  await holds(messages, AskMessages, (m: AskMessages) => {
    if (knownMessages(m) === null) return [];
    const pane = new MessagePane();
    const cells = new Cells(40, 20, false);
    for (const message of m.messages)
      pane.draw(cells, { x: 0, y: 0, width: 40, height: 20 }, message, { src: '', dst: '' });
    return Array.from({ length: 20 }, (_, y) => cells.line(y));
  });
});

test('quality, comparisons, findings, registrations and the pulse', async () => {
  const { explorer } = session;
  await holds(await explorer.quality(CALL), AskQuality, (q: AskQuality) => qualityLines(q, STYLE));
  const compared = await explorer.compare(CALL, 'busy@pbx.example.com');
  await holds(compared, AskCompare, (c: AskCompare) => comparisonLines(c, 100, false));
  const notAsked = (): never => assert.fail('not asked');
  const port = { security: notAsked, trunks: notAsked };
  const none = { ...port, findings: notAsked, registrations: notAsked };
  const textsOf = async (rows: ReturnType<ReturnType<typeof findingsTable>['read']>): Promise<string[]> =>
    (await rows).map(({ texts }) => texts.join(' '));
  await holds(await explorer.findings(ALL_CALLS), AskFindings, (findings: AskFindings) =>
    textsOf(findingsTable({ ...none, findings: () => findings }, EVENTS, SHOWN, ALL).read()),
  );
  await holds(await explorer.registrations(ALL_CALLS), AskRegistrations, (registrations: AskRegistrations) =>
    textsOf(registrationsTable({ ...none, registrations: () => registrations }, EVENTS, SHOWN, ALL).read()),
  );
  await holds(toAskPulse(explorer.pulse()), AskPulse, (p: AskPulse) => [String(knownPulse(p).nowUs)]);
});

test('events of any bytes end or are events', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 20 }), (chunks) => {
      const reader = new EventReader();
      for (const chunk of chunks)
        for (const { data } of reader.read(chunk)) taken(() => readShape(DialogSummary, data));
    }),
  );
});
