/** deploy/examples: an agent and a hub with these configurations, and a store between them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finished, start } from '../cli/run-program.ts';
import { commandOf, KEY, layOut } from '../helpers/example-files.ts';
import { until } from '../helpers/patience.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { skipWithoutStore, startMigratedStore } from '../helpers/store.ts';

test('deploy/examples/fleet-hub.toml starts and answers', { skip: skipWithoutStore() }, async (t) => {
  const store = await startMigratedStore(t);
  const change = (text: string): string => text.replace('https://store.example.net:8443', store.url);
  const path = layOut('fleet-hub.toml', temporaryFolder(t), change);
  const hub = start([...commandOf('fleet-hub.toml', path), '--api', '127.0.0.1:0']);
  const done = finished(hub);
  t.after(() => hub.kill('SIGKILL'));
  let said = '';
  hub.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const base = await until(
    () => /^api listening on (\S+)$/m.exec(said)?.[1],
    () => `it does not listen: ${said}`,
  );
  const status = async (key: string): Promise<number> =>
    (await fetch(`${base}/ask/calls`, { headers: { authorization: `Bearer ${key}` } })).status;
  assert.equal(await status(KEY), 200);
  assert.equal(await status('another-key'), 401);
  hub.kill('SIGTERM');
  assert.equal((await done).code, 0);
});
