/** The screen of a call that is larger than any screen: a frame draws the rows that it shows, and says what there is no room for. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { packageRoot } from '../../../../src/core/package.ts';
import { App } from '../../../../src/faces/tui/app.ts';
import type { CallPort } from '../../../../src/faces/tui/call-view.ts';
import { CallView } from '../../../../src/faces/tui/call-view.ts';
import { Cells } from '../../../../src/faces/tui/cells.ts';
import { Shown } from '../../../../src/faces/tui/shown.ts';
import { LADDER_LIFELINES, LADDER_STEPS } from '../../../../src/view/ladder.ts';
import { largeDialog } from '../../../helpers/large-dialog.ts';
import { manyHosts } from '../../../helpers/many-hosts.ts';
import { readCapture, readCaptureFile } from '../../../helpers/read-capture.ts';

const DEMO = join(packageRoot(), 'fixtures/demo/demo.pcap');
const WIDTH = 120;
const HEIGHT = 30;

async function viewOf(t: TestContext, port: CallPort, callId: string, width = WIDTH) {
  const screen = {
    ...{ width, height: HEIGHT, hasColor: false, isUtf8: true },
    ...{ write: () => undefined, close: () => undefined },
  };
  const app = new App(
    () => screen,
    () => undefined,
    () => [],
  );
  const not = (): never => assert.fail('not asked');
  const view = new CallView(app, callId, {
    ...{ port, shown: new Shown(true), showsSecrets: false },
    ...{ save: not, texts: not, quality: not, hear: not },
  });
  const press = (key: string): unknown => view.bindings.find(({ keys }) => keys.includes(key))?.run(key);
  const shown = (): string[] => {
    const cells = new Cells(width, HEIGHT, false);
    view.draw(cells, { x: 0, y: 0, width, height: HEIGHT });
    return Array.from({ length: HEIGHT }, (_, y) => cells.line(y));
  };
  void app.run(view);
  t.after(() => app.quit());
  await view.read();
  return { view, press, screen: shown };
}

test('a ladder of 33 legs with 500 hosts each', async (t) => {
  const { session } = await readCapture(t, manyHosts(33, 500).pcap(), ['--api', '127.0.0.1:1']);
  const port = session.explorer;
  const { view, press, screen } = await viewOf(t, port, 'leg0');
  press('x');
  await new Promise((resolve) => setImmediate(resolve));
  // The legs are read after they are found.
  while (!screen().some((line) => line.startsWith('32 of 33 calls'))) await view.read();
  const top = screen();
  assert.match(top[4] ?? '', new RegExp(`^${LADDER_STEPS} of 8000 messages; the rest is not shown`));
  assert.match(top[5] ?? '', new RegExp(`^${LADDER_LIFELINES - 1} of 8001 lifelines; the rest share the last one`));
  assert.match(top[6] ?? '', / A0 /);
  press('end');
  assert.ok(screen().some((line) => /INVITE/.test(line)));
});

test('a message for which the answer had no room', async (t) => {
  const { session } = await readCapture(t, largeDialog(400, 60_000).pcap());
  const { press, screen } = await viewOf(t, session.explorer, 'large');
  assert.ok(screen().some((line) => line.includes('Via: SIP/2.0/UDP')));
  press('end');
  assert.ok(screen().some((line) => /it is one of \d+ messages for which/.test(line)));
});

test('what is wrong stands above the ladder in whole sentences, with who ended the call', async (t) => {
  const { session } = await readCaptureFile(t, DEMO, ['--api', '127.0.0.1:1']);
  const port = session.explorer;
  const failed = await viewOf(t, port, 'trunk-congestion@pbx.example.com', 60);
  const top = failed
    .screen()
    .slice(0, 6)
    .map((line) => line.trim())
    .join(' ');
  assert.match(top, /^Failed {2}503 Service Unavailable {2}2002 \u2192 \+33199001234 trunk-congestion@/);
  assert.match(top, /503 Service Unavailable \(Q\.850;cause=34;text="No circuit available"\)\. Try again after 30 s\./);
  const ended = await viewOf(t, port, 'transfer@pbx.example.com');
  assert.match(ended.screen()[0] ?? '', /^Completed {2}200 OK .* {2}ended by the callee {2}transfer@/);
});

test('a message that has the whole screen is scrolled by the page keys', async (t) => {
  const { session } = await readCapture(t, largeDialog(3, 60_000).pcap());
  const { press, screen } = await viewOf(t, session.explorer, 'large');
  press('enter');
  const first = screen();
  press('pagedown');
  const second = screen();
  assert.notDeepEqual(second, first);
  press('pageup');
  assert.deepEqual(screen(), first);
});
