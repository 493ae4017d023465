/** Every way in which a start that serves is refused, and that nobody is told of a listener before. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { DEMO, finished, start } from './run-program.ts';
import { serving, stop } from './served-program.ts';

test('api listening is the last line of a start, and every refusal comes before a listener is told of', async (t) => {
  const taken = createServer();
  await once(taken.listen(0, '127.0.0.1'), 'listening');
  t.after(() => taken.close());
  const inUse = `127.0.0.1:${(taken.address() as AddressInfo).port}`;
  const listeners = ['--api', '127.0.0.1:0', '--metrics', '127.0.0.1:0'];
  const live = ['-L', '127.0.0.1:0', '-E'];
  const noCapture = join(temporaryFolder(t), 'none.pcap');
  writeFileSync(noCapture, 'no capture at all, but long enough to have the header of one');
  const refusals: readonly (readonly [readonly string[], RegExp])[] = [
    [['-I', DEMO, '--api', '127.0.0.1:0', '--metrics', inUse], /--metrics .*EADDRINUSE/],
    [['-I', DEMO, '--api', inUse, '--metrics', '127.0.0.1:0'], /--api .*EADDRINUSE/],
    [['-I', DEMO, ...listeners, '-O', '/nonexistent/x'], /-O \/nonexistent\/x: /],
    [['-I', DEMO, ...listeners, '-O', DEMO], /-O /],
    [['-I', DEMO, '-I', '/nonexistent/y', ...listeners], /\/nonexistent\/y: there is no such file/],
    [['-I', noCapture, ...listeners], /none\.pcap: it is not a pcap/],
    [['-I', DEMO, ...listeners, '--lint-suppress', 'no-such-rule'], /--lint-suppress/],
    [['-L', inUse, '-E', ...listeners], /-L tcp:.*in use/],
    [[...live, ...listeners, '-O', '/nonexistent/x'], /-O \/nonexistent\/x: /],
    [[...live, ...listeners, '--user', 'no-such-user'], /--user no-such-user: /],
  ];
  for (const [args, why] of refusals) {
    const child = start(args);
    child.stdin.end();
    const { code, stdout, stderr } = await finished(child);
    assert.ok(code === 1 || code === 2, stderr);
    assert.equal(stdout, '');
    assert.match(stderr, /^calltap: [^\n]+\n$/, 'one line');
    assert.match(stderr, why);
  }
  const output = join(temporaryFolder(t), 'out.pcap');
  const server = await serving([...live, ...listeners, '-O', output]);
  const { stderr } = await stop(server, 'SIGTERM');
  const [before = '', after = ''] = stderr.split(/^api listening on .*\n/m);
  assert.match(before, /^running as .*\n(?:hep .*\n)+metrics listening on .*\n$/);
  assert.doesNotMatch(after, /listening|running/);
});
