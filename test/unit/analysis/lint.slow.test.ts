/** A bound on how often the lint rules fire on real captures. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { finish } from '../../../src/core/turns.ts';
import { dialogLintSteps } from '../../../src/view/documents.ts';
import { capturesFolder, skipWithoutCaptures } from '../../helpers/captures.ts';
import { readCaptureFile } from '../../helpers/read-capture.ts';

/** Captures that were made to be broken: torture, fuzzing, attacks, input of parser tests. */
const MADE_WRONG =
  /torture|fuzz|aflnet|crash|malform|scanner|flood|honeynet|derived|attack|invalid|truncated|bad_|metasploit|suricata-verify|pcapplusplus/i;

test('a rule that fires on more than a twentieth of the real captures is wrong', {
  skip: skipWithoutCaptures(),
}, async (t) => {
  const folders = [capturesFolder() ?? '', join(capturesFolder() ?? '', '../lab/captures')];
  const firedOn = new Map<string, Set<string>>();
  let captures = 0;
  for (const folder of folders.filter((f) => existsSync(f)))
    for (const name of readdirSync(folder).filter(
      (n) => /\.(pcap|pcapng|cap)(\.gz)?$/.test(n) && !MADE_WRONG.test(n),
    )) {
      const options = ['--portrange', '1-65535', '--ws-portrange', '1-65535'];
      const read = await readCaptureFile(t, join(folder, name), options).catch(() => null);
      if (read === null || read.session.dialogs.size === 0) continue;
      captures++;
      for (const d of read.session.dialogs.oldestFirst())
        for (const { rule } of finish(dialogLintSteps(read.session.evidence, d)).findings) {
          const on = firedOn.get(rule.id) ?? new Set();
          firedOn.set(rule.id, on.add(name));
        }
      read.session.close();
    }
  assert.ok(captures > 50, `${captures} captures with SIP`);
  const tooMany = [...firedOn].filter(([, on]) => on.size > captures * 0.05);
  const text = [...firedOn]
    .sort((a, b) => b[1].size - a[1].size)
    .map(([id, on]) => `${on.size} ${id} ${[...on].slice(0, 8).join(' ')}`);
  t.diagnostic(`${captures} captures\n${text.join('\n')}`);
  assert.deepEqual(
    tooMany.map(([id, on]) => `${id} on ${on.size} of ${captures}`),
    [],
  );
});
