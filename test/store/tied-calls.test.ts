/** Identifiers that more calls share than one call has legs: a hub ties by none of them, as an agent does, and says which calls it means. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { NO_NAMES } from '../../src/core/names.ts';
import { Store } from '../../src/explore/clickhouse/store.ts';
import { createStoreExplorer } from '../../src/explore/clickhouse/store-explorer.ts';
import { StoreReaders } from '../../src/explore/clickhouse/store-reader.ts';
import { MAX_TIED } from '../../src/store/dialogs/identifier-index.ts';
import { run } from '../cli/run-program.ts';
import { storePlace } from '../helpers/fake-store.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { skipWithoutStore, startMigratedStore } from '../helpers/store.ts';
import { tiedCallId, tiedCapture } from '../helpers/tied-calls.ts';
import { movedToNow } from './moved-capture.ts';

for (const [calls, legs] of [
  [30, 30],
  [2 * MAX_TIED, 1],
] as const)
  test(`${calls} calls that share everything are ${legs} legs of one call`, { skip: skipWithoutStore() }, async (t) => {
    const store = await startMigratedStore(t);
    const folder = temporaryFolder(t);
    const made = join(folder, 'made.pcap');
    writeFileSync(made, tiedCapture(calls, calls));
    const path = movedToNow(made, join(folder, 'tied.pcap'), 0.5);
    const to = ['--ship', `${store.url}/calltap`, '--ship-spool', join(folder, 'spool'), '--ship-host', 'sbc1'];
    const { code, stderr } = await run([path, ...to, '--ship-messages', 'full']);
    assert.equal(code, 0, stderr);
    const readers = new StoreReaders(
      new Store(storePlace(store.url), { user: null, password: null, ca: null }, 'calltap'),
    );
    t.after(() => readers.close());
    const explorer = createStoreExplorer(readers, { names: NO_NAMES, callIdHeaders: [] });
    const callId = tiedCallId(7);
    const found = await explorer.legs(callId);
    assert.equal(found?.callIds.length, legs - 1);
    assert.equal(
      found.notes.includes(`More than ${MAX_TIED} calls share one Session-ID: it ties no legs.`),
      legs === 1,
    );
    const tree = await explorer.tree(callId, 1_000);
    const tied = tree?.legs.filter(({ strategy }) => strategy !== null && strategy !== 'timing_heuristic') ?? [];
    // What agents do not ship, a hub knows of the calls it has read alone.
    const shipped = tied.filter(({ strategy }) => strategy !== 'sdp_origin' && strategy !== 'via_branch');
    assert.equal(shipped.length, legs - 1);
  });
