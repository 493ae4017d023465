/**
 * Programs that do dangerous things in the middle of their TLS calls go on as if nothing were there, by every way of
 * probing that this kernel has: `npm run canaries -- 50` runs each more often.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packageRoot } from '../../src/core/package.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { ANCHORS, CanaryAgent, MODES } from './canary-agent.ts';
import { buildCanaries } from './canary-build.ts';
import { isRight, line, runCanary } from './canary-run.ts';
import { missing } from './lab.ts';
import { kernelSkip } from './tls-kernel-lab.ts';

/** Of the best way and the oldest all canaries run so often; those between them run these. */
const RUNS = 1;
const BETWEEN = ['fiber', 'green', 'altstack', 'jump', 'fork', 'throw', 'gnutls-fiber', 'wolfssl-fiber'];

test('canaries', { skip: kernelSkip() || missing('gcc', 'g++', 'openssl') }, async (t) => {
  const folder = temporaryFolder(t);
  const { names, absent } = await buildCanaries(folder);
  for (const [name, why] of Object.entries(absent)) await t.test(name, { skip: why }, () => {});
  const ways = new Set<string>();
  for (const [mode, force] of Object.entries(MODES)) {
    // Without calltap: `npm run canaries -- 50 --mode none` shows that a canary is right by itself.
    if (force === null) continue;
    await t.test(mode, async (s) => {
      const agent = await CanaryAgent.start(packageRoot(), folder, ANCHORS, force);
      s.after(() => agent.close());
      s.diagnostic(agent.way);
      // A kernel may have no better way than an older one, which was tried before.
      if (ways.has(agent.way) && mode !== 'oldest') return;
      ways.add(agent.way);
      const isEnd = ['best', 'oldest'].includes(mode);
      for (const name of names.filter((n) => isEnd || BETWEEN.includes(n))) {
        await s.test(name, async () => {
          const result = await runCanary(name, folder, agent, RUNS, `t${process.pid}${mode}`);
          const details = [...result.deaths, ...result.faults].join('\n');
          assert.ok(isRight(result), `${line(result, mode)}\n${details}\n${JSON.stringify([...result.hits])}`);
        });
      }
    });
  }
});
