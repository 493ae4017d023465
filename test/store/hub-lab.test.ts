/** The lab of a hub: calls through three proxies on three hosts, each with its agent, as an operator asks for them. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { after, test } from 'node:test';
import type {
  AskCalls,
  AskFindings,
  AskLadder,
  AskMessages,
  AskQuality,
  CallDocument,
  Dialog,
} from '../../src/contract/index.ts';
import { closeBrowser, openPage, skipWithoutChromium } from '../console/browser.ts';
import { until } from '../helpers/patience.ts';
import { skipWithoutStore, startMigratedStore } from '../helpers/store.ts';
import { missing } from '../live/lab.ts';
import { HubLab } from './hub-lab.ts';
import { AT, LOSSY_OFFICE, PROXIES } from './proxy-chain.ts';

const skip = skipWithoutStore() || missing('kamailio', 'sipp', 'nft');
after(closeBrowser);
const HOSTS: readonly string[] = PROXIES;
const [GOOD, FAILED, LOSSY] = ['good@lab', 'failed@lab', 'lossy@lab'] as const;

async function started(t: TestContext): Promise<HubLab> {
  const lab = new HubLab(t, await startMigratedStore(t));
  await lab.start();
  const chain = lab.chain;
  await Promise.all([
    chain.callOnce('442079460503', FAILED).then(() => chain.callOnce('442079460001', GOOD)),
    chain.callOnce('442079460011', LOSSY, LOSSY_OFFICE),
  ]);
  for (const callId of [FAILED, GOOD, LOSSY])
    await lab.askWhen<AskCalls>(
      `/ask/calls?q=callid:${callId}`,
      ({ calls }) => calls.length === HOSTS.length && calls.every(({ state }) => /Failed|Completed/.test(state)),
    );
  return lab;
}

const path = (callId: string, what = ''): string => `/ask/calls/${encodeURIComponent(callId)}${what}`;
// What a route answers is as the contract says.
const asked = async <T>(lab: HubLab, of: string): Promise<T> => (await lab.ask(of)) as T;
const bytesAt = async (url: string): Promise<Buffer> => {
  const answer = await fetch(url);
  assert.equal(answer.status, 200, url);
  return Buffer.from(await answer.arrayBuffer());
};

test('a call through three proxies on three hosts is one call to whoever asks the hub', {
  skip,
  timeout: 60_000,
}, async (t) => {
  const lab = await started(t);

  await t.test('a row a host, counted once', async () => {
    const { total, calls } = await asked<AskCalls>(lab, `/ask/calls?q=callid:${FAILED}&sort=created`);
    assert.equal(total, 1);
    assert.deepEqual(
      calls.map(({ host, state }) => `${host ?? ''} ${state}`),
      HOSTS.map((host) => `${host} Failed`),
    );
    assert.equal((await asked<AskCalls>(lab, '/ask/calls')).total, 3);
    const { total: byNumber } = await asked<AskCalls>(lab, '/ask/calls?q=number:442079460503+state:failed+since:1h');
    assert.equal(byNumber, 1);
    const { codes, total: all } = await asked<AskFindings & { total?: number }>(lab, '/ask/findings');
    assert.deepEqual(
      codes.map(({ code, calls: n, call_ids }) => [code, n, call_ids]),
      [[500, 1, [FAILED]]],
    );
    assert.ok(all === undefined || all === 3);
  });

  await t.test('one ladder: each message once, and no answer before its request', async () => {
    for (const callId of [FAILED, GOOD]) {
      const { steps, clocks } = await asked<AskLadder>(lab, path(callId, '/ladder'));
      // A message sent again over a hop is the same text, and no hop lost one here.
      const { messages } = await asked<AskMessages>(lab, path(callId, '/messages'));
      const seen = messages.map(({ src, dst, text }) => `${src} ${dst} ${text}`);
      assert.equal(steps.length, seen.length);
      assert.deepEqual(seen, [...new Set(seen)], callId);
      assert.equal(steps.filter(({ summary }) => summary.startsWith('INVITE ')).length, HOSTS.length + 1);
      for (const [i, { src, dst, summary }] of steps.entries()) {
        if (!/^\d{3} /.test(summary)) continue;
        const before = steps
          .slice(0, i)
          .some((step) => step.src === dst && step.dst === src && /^[A-Z]/.test(step.summary));
        assert.ok(before, `${callId}: ${summary} from ${src} stands before its request`);
      }
      const between = steps.filter(({ src, dst }) => [src, dst].every((end) => /^10\.93\.0\.1\d:/.test(end)));
      assert.ok(between.length >= 8, `${between.length} messages between proxies`);
      for (const step of between)
        assert.equal(step.hosts?.length, 2, `${step.summary} was seen by ${String(step.hosts)}`);
      assert.deepEqual(
        clocks?.map(({ host }) => host),
        HOSTS,
      );
      for (const { host, ahead_ms } of clocks ?? [])
        assert.ok(Math.abs(ahead_ms) < 5, `${host} is ${ahead_ms} ms ahead`);
    }
  });

  await t.test('its hosts, and the part of one', async () => {
    const dialog = await asked<Dialog>(lab, `/v1/dialogs/${encodeURIComponent(FAILED)}`);
    assert.deepEqual([dialog.hosts, dialog.host], [HOSTS, 'sbc1']);
    const { messages } = await asked<AskMessages>(lab, path(FAILED, '/messages'));
    const proofs = dialog.signaling_diagnosis?.final_failure?.evidence ?? [];
    assert.deepEqual(
      // Who saw it first: microseconds, of which the clocks are corrected.
      proofs.map((i) => [messages[i]?.summary, messages[i]?.hosts?.toSorted()]),
      [['500 Service Unavailable', ['sbc1', 'sbc2']]],
    );
    const { calls } = await asked<AskCalls>(lab, `/ask/calls?q=callid:${FAILED}+host:sbc2`);
    assert.deepEqual(
      calls.map(({ host }) => host),
      ['sbc2'],
    );
    const part = `host:sbc2:${FAILED}`;
    assert.equal((await asked<CallDocument>(lab, path(part))).host, 'sbc2');
    const { steps } = await asked<AskLadder>(lab, path(part, '/ladder'));
    const ends = new Set(steps.flatMap(({ src, dst }) => [src, dst]).filter((end) => !end.startsWith(AT.sbc2)));
    assert.deepEqual([...ends].toSorted(), [`${AT.sbc1}:5060`, `${AT.sbc3}:5060`]);
  });

  await t.test('what was lost between two hosts shows in what each heard', async () => {
    const { streams } = await asked<AskQuality>(lab, path(LOSSY, '/quality'));
    const heard = streams.filter(({ src }) => src.startsWith(`${LOSSY_OFFICE}:`));
    assert.deepEqual(
      heard.map(({ host }) => host),
      HOSTS,
    );
    const [first = 100, second = 100, third = 0] = heard.map(({ loss_pct }) => loss_pct);
    assert.deepEqual([first, second], [0, 0]);
    assert.ok(third > 5 && third < 15, `${third} % lost`);
  });

  await t.test('captures come from the agent of the host, as they are', async () => {
    for (const [callId, host, own] of [
      [FAILED, 'sbc1', FAILED],
      [`host:sbc3:${LOSSY}`, 'sbc3', LOSSY],
    ] as const) {
      // A frame of the call may still be on its way to the file between the two questions.
      await until(
        async () => {
          const file = await bytesAt(lab.hubUrl + path(callId, '/capture'));
          assert.ok(file.length > 1_000);
          return file.equals(await bytesAt(lab.agentUrl(host) + path(own, '/capture')));
        },
        () => `${callId} is another file`,
      );
    }
  });

  await t.test(
    'the console lists hosts, and opens the call over all of them',
    { skip: skipWithoutChromium },
    async (u) => {
      const { page } = await openPage(u, `${lab.hubUrl}/console/#/calls?q=callid:${FAILED}`);
      const rows = page.locator('[role=grid] [role=rowgroup]:not(.head) [role=row]');
      await page.getByRole('main').getByText('1 dialog', { exact: true }).waitFor();
      assert.equal(await rows.count(), 3);
      await page.getByRole('columnheader', { name: 'Host' }).waitFor();
      await rows.filter({ hasText: 'sbc3' }).click();
      await page.getByText('503 Service Unava').first().waitFor();
      await page.getByRole('button', { name: 'message 12' }).waitFor();
    },
  );
});
