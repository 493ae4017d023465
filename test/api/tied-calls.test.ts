/** A sender gives all its calls one Session-ID, X-Call-ID, ICID, o= line and branch: answers cost no more, and say what they lack. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { identifierLegs } from '../../src/analysis/correlation.ts';
import { finish } from '../../src/core/turns.ts';
import { chosenSteps } from '../../src/explore/chosen.ts';
import { MAX_LEGS_SHOWN } from '../../src/explore/limits.ts';
import { parseFilter } from '../../src/query/parse.ts';
import { MAX_TIED } from '../../src/store/dialogs/identifier-index.ts';
import { asJson, asRows } from '../helpers/json.ts';
import type { OpenSession } from '../helpers/open-session.ts';
import { readCapture } from '../helpers/read-capture.ts';
import { looksAtRows } from '../helpers/row-looks.ts';
import { tiedCallId, tiedCapture } from '../helpers/tied-calls.ts';
import { startApi } from './running-api.ts';
import { assertDocument } from './strict-contract.ts';

async function captured(t: TestContext, calls: number, together: number): Promise<OpenSession> {
  const { session } = await readCapture(t, tiedCapture(calls, together), ['--api', '127.0.0.1:0', '--ask']);
  assert.equal(session.dialogs.size, calls);
  return session;
}

const FILTERS = ['leg:nobody', 'finding:one-way-audio', 'tag:b2bua'];

test('a filter looks at as many entries of calls that share everything as of calls that share nothing', async (t) => {
  const looks = async (calls: number, together: number): Promise<number[]> => {
    const { evidence } = await captured(t, calls, together);
    return FILTERS.map((text) => {
      const parsed = parseFilter(text, { isUtc: true });
      assert.ok(parsed.ok);
      const question = { filter: parsed.filter, sort: { by: 'created', isDescending: true } } as const;
      const n = looksAtRows(() => assert.equal(finish(chosenSteps(evidence, question)).dialogs.length, 0));
      return n / calls;
    });
  };
  const own = await looks(2_000, 1);
  for (const calls of [2_000, 8_000])
    for (const [i, n] of (await looks(calls, calls)).entries())
      assert.ok(n <= 1.3 * (own[i] ?? 0), `${FILTERS[i]} of ${calls} calls: ${n} a call, else ${own[i]}`);
});

test('legs that identifiers of many do not tie: every answer is as the contract says, and those of /ask say why', async (t) => {
  const session = await captured(t, MAX_TIED + 1, MAX_TIED + 1);
  const { base } = await startApi(t, { readers: session.explorer, ask: { log: () => undefined } });
  const json = async (path: string) => asJson(await (await fetch(base + path)).json());
  const id = tiedCallId(7);
  for (const part of ['ladder', 'messages']) {
    const document = await json(`/ask/calls/${id}/${part}?legs=true`);
    assertDocument(part === 'ladder' ? 'AskLadder' : 'AskMessages', document);
    assert.deepEqual(document['call_ids'], [id]);
    const notes = document['leg_notes'];
    assert.ok(Array.isArray(notes) && notes.length === 6, String(notes));
    assert.ok(notes.includes(`More than ${MAX_TIED} calls share one Session-ID: it ties no legs.`), String(notes));
    assert.equal((await json(`/ask/calls/${id}/${part}`))['leg_notes'], undefined);
  }
  const report = await (await fetch(`${base}/ask/calls/${id}/report?legs=true&layout=ladder`)).text();
  assert.match(report, /^More than 64 calls share one o= line: it ties no legs\.$/m);
  const tree = await json(`/v1/dialogs/${id}/tree`);
  assertDocument('CallTree', tree);
  assert.equal(asRows(tree['legs']).filter((leg) => leg['followed']).length, 1);
  const correlated = await json(`/v1/dialogs/${id}/correlated`);
  assertDocument('Correlation', correlated);
  assert.ok(asRows(correlated['legs']).every((leg) => leg['strategy'] === 'timing_heuristic'));
  const losses = asJson((await json('/v1/stats'))['losses']);
  // Of each call that came when so many had them already: UUID, X-Call-ID, Replaces, two of charging.
  assert.equal(losses['identifiers_common'], 5);
});

test('as many calls as may be tied are: what is shown of them is cut, and says so', async (t) => {
  const session = await captured(t, MAX_TIED, MAX_TIED);
  const { evidence, explorer } = session;
  const { dialogs, identifiers } = evidence.stores;
  const d = dialogs.get(tiedCallId(7));
  assert.ok(d !== undefined && identifiers !== null);
  assert.equal(identifierLegs(d, { dialogs, identifiers }).length, MAX_TIED - 1);
  const found = await explorer.legs(d.callId);
  assert.equal(found?.callIds.length, MAX_TIED - 1);
  assert.deepEqual(found.notes, []);
  const ladder = await explorer.ladder([d.callId, ...found.callIds]);
  assert.equal(ladder?.call_ids.length, MAX_LEGS_SHOWN);
  assert.equal(ladder.not_shown?.calls, MAX_TIED - MAX_LEGS_SHOWN);
});
