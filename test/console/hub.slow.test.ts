/** The console of a hub in a browser: its agents, who is missing, and whose agent saw an attacker; names come from forged rows too. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { AskAlert } from '../../src/contract/index.ts';
import { createHubExplorer } from '../../src/explore/hub/hub-explorer.ts';
import { fakeReaders } from '../api/fake-readers.ts';
import { startApi } from '../api/running-api.ts';
import { agentsOf, rowOf, storeOver } from '../helpers/hub.ts';
import { openSession } from '../helpers/open-session.ts';
import { freePort } from '../helpers/patience.ts';
import { assertAccessible } from './axe.ts';
import { closeBrowser, openPage, skipWithoutChromium } from './browser.ts';
import { layoutFaults } from './layout.ts';

const skip = skipWithoutChromium;
after(closeBrowser);

const AT = '2026-11-26T12:00:00.000000Z';
const ALERT: AskAlert = {
  ...{ kind: 'scanner', behaviour: 'probe-burst', source: '192.0.2.9', at: AT, first_at: AT, count: 3 },
  ...{ method: 'OPTIONS', methods: [], codes: [], targets: [], text: 'x' },
};

test('a hub shows its agents, and names those that do not answer', { skip }, async (t) => {
  const session = openSession(['-I', 'fixtures/demo/demo.pcap', '--ask', '--api', '8080']);
  t.after(() => session.close());
  await session.read(['fixtures/demo/demo.pcap'], () => undefined);
  const log = (): void => undefined;
  const security = { schema_version: 1 as const, is_watching: true, alerts: [ALERT] };
  const agent = await startApi(t, { readers: fakeReaders({ security: () => security }), ask: { log } });
  const agents = agentsOf(t, { sbc1: agent.base, sbc2: `http://127.0.0.1:${await freePort()}` });
  const rows = [
    rowOf('sbc1', { losses: { ship_spool_full: 4 } }),
    rowOf('<b>evil</b>\u202e'),
    rowOf('sbc1', { boot: 'b0' }),
  ];
  const store = storeOver(session.explorer, () => ['sbc1'], { agentRows: async () => rows });
  const { base } = await startApi(t, { readers: createHubExplorer(store, agents), ask: { log }, hasConsole: true });
  const { page } = await openPage(t, `${base}/console/#/health`);
  await page.getByText('An agent lost something, or an agent or the store does not answer').waitFor();
  await page.getByRole('row', { name: /^sbc1 . yes .* ago 8 2 ship_spool_full 4 / }).waitFor();
  await page.getByRole('row', { name: /^sbc1 earlier run/ }).waitFor();
  await page.getByRole('row', { name: /^sbc2 . no: sbc2: nobody listens there; .* none in the store/ }).waitFor();
  await page.getByRole('row', { name: /^<b>evil<\/b>. . no: It is not in \[agents\] of this hub\./ }).waitFor();
  await assertAccessible(page);
  const { page: other } = await openPage(t, `${base}/console/#/security`);
  await other.getByRole('row', { name: /192\.0\.2\.9 . probe-burst, seen by sbc1 3 / }).waitFor();
  await other.getByText('sbc2: nobody listens there; start the service, or check the address.').waitFor();
  await assertAccessible(other);
  for (const width of [1400, 1024, 600, 390]) {
    for (const at of [page, other]) {
      await at.setViewportSize({ width, height: 900 });
      assert.deepEqual(await layoutFaults(at), [], `${width} px`);
    }
  }
  assert.deepEqual(agent.faults, []);
});
