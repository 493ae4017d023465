/** Each configuration of deploy/examples starts on a host of its own, and answers. The hub's is in test/store. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../src/core/package.ts';
import { commandOf, EXAMPLES, KEY, layOut } from '../helpers/example-files.ts';
import { Lab, missing } from './lab.ts';
import { kernelSkip } from './tls-kernel-lab.ts';

const MAIN = join(packageRoot(), 'dist/program/calltap.js');
/** Probes want more of the kernel than the others. */
const skipOf = (name: string): string | false => missing() || (name === 'tls-server.toml' && kernelSkip());

/** What a start says besides the line of the API, and what is asked, with a part of the answer. */
const WANTED: Readonly<
  Record<string, { readonly says: RegExp; readonly asked: readonly (readonly [path: string, answer: RegExp])[] }>
> = {
  'voice-server.toml': {
    says: /capturing on any/,
    asked: [
      ['/metrics', /^calltap_trunk_\w+\{trunk="carrier-one"/m],
      ['/console/', /<title>calltap/],
      ['/ask/trunks', /"trunk":"carrier-two"/],
    ],
  },
  'hep-collector.toml': {
    says: /hep listening on tls:\/\/0\.0\.0\.0:9060/,
    asked: [
      ['/metrics', /^calltap_hep_out_up\{.*192\.0\.2\.9:9060/m],
      ['/v1/stats', /hep\.pcapng/],
    ],
  },
  'tls-server.toml': { says: /uprobe ready: /, asked: [['/ask/security', /^200 \{/]] },
  'fleet-agent.toml': {
    says: /store\.example\.net/,
    asked: [['/metrics', /^calltap_ship_made_total\{/m]],
  },
};

test('each example has a start', () => {
  assert.deepEqual(EXAMPLES.filter((name) => name !== 'fleet-hub.toml').sort(), Object.keys(WANTED).sort());
});

for (const [name, { says, asked }] of Object.entries(WANTED)) {
  test(`deploy/examples/${name} starts and answers`, { skip: skipOf(name) }, async (t) => {
    const lab = new Lab(t);
    const path = layOut(name, lab.folder);
    const running = lab.start('a', process.execPath, [MAIN, ...commandOf(name, path)]);
    await lab.said(running, /api listening on http:\/\/127\.0\.0\.1:8080/);
    await lab.said(running, says);
    const ask = (page: string, key: string): string =>
      lab.do('a', process.execPath, [
        '-e',
        `fetch('http://127.0.0.1:8080${page}', { headers: { authorization: 'Bearer ${key}' } }).then(async (r) => console.log(r.status, await r.text()))`,
      ]);
    assert.match(ask('/v1/stats', KEY), /^200 \{/);
    assert.match(ask('/v1/stats', 'another-key'), /^401 /);
    for (const [page, answer] of asked) assert.match(ask(page, KEY), answer, page);
    assert.equal(await lab.stop(running), 0, running.output());
  });
}
