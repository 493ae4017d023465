/** Requests of documents that are refused count as lost; those of somebody who has gone do not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_DOCUMENTS, MAX_DOCUMENTS_WAITING } from '../../../src/core/turns.ts';
import { ifAnswered } from '../../../src/explore/refusal.ts';
import { parseFilter } from '../../../src/query/parse.ts';
import { openSession } from '../../helpers/open-session.ts';

async function refusedOf(
  asked: number,
  signalOf: (n: number) => AbortSignal | undefined,
): Promise<[empty: number, counted: unknown]> {
  const path = 'fixtures/demo/demo.pcap';
  const session = openSession(['-I', path]);
  try {
    await session.read([path], () => undefined);
    const filter = parseFilter('', { isUtc: false });
    assert.ok(filter.ok);
    const question = { filter: filter.filter, sort: { by: 'created', isDescending: true } } as const;
    const pages = await Promise.all(
      Array.from({ length: asked }, async (_, n) =>
        ifAnswered(() => session.explorer.page(question, 1, '', signalOf(n))),
      ),
    );
    const { losses } = await session.explorer.stats();
    return [pages.filter((page) => page === null).length, losses['document_requests_refused']];
  } finally {
    session.close();
  }
}

test('one more than may wait is refused and counted', async () => {
  const places = MAX_DOCUMENTS + MAX_DOCUMENTS_WAITING;
  assert.deepEqual(await refusedOf(places, () => undefined), [0, 0]);
  assert.deepEqual(await refusedOf(places + 1, () => undefined), [1, 1]);
});

test('who has gone as the turn comes gets nothing and is not counted', async () => {
  assert.deepEqual(
    await refusedOf(MAX_DOCUMENTS + 1, (n) => (n === MAX_DOCUMENTS ? AbortSignal.abort() : undefined)),
    [1, 0],
  );
});
