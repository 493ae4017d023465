/** The bell: once for each new call that passes the filter, and for no call that was here before. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Call } from '../../../../src/contract/index.ts';
import { packageRoot } from '../../../../src/core/package.ts';
import type { TerminalPort } from '../../../../src/explore/port.ts';
import { Bell } from '../../../../src/faces/tui/bell.ts';
import { until } from '../../../helpers/patience.ts';
import { readCaptureFile } from '../../../helpers/read-capture.ts';
import { TestTerminal } from '../../../helpers/tui-screen.ts';

const DEMO = join(packageRoot(), 'fixtures/demo/demo.pcap');

/** The demo as far as some calls of it came. */
async function growing(port: TerminalPort) {
  const [first, ...later] = (await port.page({ filter: null, sort: { by: 'created', isDescending: false } }, 100, ''))
    .calls;
  assert.ok(first !== undefined);
  let here = 15;
  let upTo = 1;
  const all = [first, ...later];
  const isHere = ({ call_id }: Call): boolean => all.slice(0, here).some((call) => call.call_id === call_id);
  const grown: TerminalPort = {
    ...port,
    async page(question, limit, cursor) {
      const page = await port.page(question, 100, cursor);
      const calls = page.calls.filter(isHere);
      return { ...page, total: calls.length, calls: calls.slice(0, limit) };
    },
    changes: (since) => ({ upTo, rows: since === null ? [] : null }),
  };
  const more = (to: number): void => {
    here = to;
    upTo++;
  };
  return { grown, more };
}

test('it rings once for a new call, for several at once once, and not for one that changes', async (t) => {
  const { session } = await readCaptureFile(t, DEMO, ['--api', '127.0.0.1:1']);
  const { grown, more } = await growing(session.explorer);
  t.mock.method(performance, 'now', () => 0);
  const rung: string[][] = [];
  const bell = new Bell(grown, (calls) => rung.push(calls.map(({ call_id }) => call_id.replace(/@.*/, ''))));
  await bell.tick(null);
  await bell.begin(null);
  await bell.tick(null);
  assert.equal(rung.length, 0);
  more(16);
  await bell.tick(null);
  await bell.tick(null);
  more(16);
  await bell.tick(null);
  assert.deepEqual(rung[0], ['transfer']);
  assert.equal(rung.length, 1);
  more(18);
  await bell.tick(null);
  assert.deepEqual(rung[1]?.toSorted(), ['no-media', 'transfer-target']);
  bell.end();
  more(21);
  await bell.tick(null);
  assert.equal(rung.length, 2);
});

test('B turns it on and off, and a new call rings on every screen', async (t) => {
  const { session } = await readCaptureFile(t, DEMO, ['--api', '127.0.0.1:1']);
  const { grown, more } = await growing(session.explorer);
  const terminal = new TestTerminal(t, grown, [100, 30]);
  await terminal.shows(/^1 of 15 /m);
  terminal.press('B');
  await terminal.shows(/^1 of 15 .* bell$/m);
  terminal.press('?');
  await terminal.shows(/^Keys of: Calls$/m);
  assert.equal(terminal.bells, 0);
  more(16);
  await until(
    () => terminal.bells === 1,
    () => `${terminal.bells} bells`,
  );
  await terminal.shows(/^new: INVITE 2011 \u2192 2012 {2}Completed$/m);
  terminal.press('esc', 'B');
  await terminal.shows(/^the bell is off$/m);
});
