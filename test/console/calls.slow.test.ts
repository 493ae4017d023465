/** The list of calls in a browser: filter, findings, keys, what an empty list says, live calls, a key that is asked for. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { DEMO, startService } from '../conformance/service.ts';
import { until } from '../helpers/patience.ts';
import { assertAccessible } from './axe.ts';
import { closeBrowser, demo, openPage, skipWithoutChromium } from './browser.ts';

const skip = skipWithoutChromium;
after(closeBrowser);

test('the list shows the calls, filters them by the address, and completes keys and values', { skip }, async (t) => {
  const { base } = await demo();
  const { page } = await openPage(t, `${base}/console/#/calls`);
  const rows = page.locator('[role=grid] [role=rowgroup]:not(.head) [role=row]');
  await page.getByRole('main').getByText('21 dialogs', { exact: true }).waitFor();
  assert.equal(await rows.count(), 21);
  await page.keyboard.press('/');
  await page.keyboard.type('sta');
  await page.getByRole('option', { name: /^state:/ }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.type('fai');
  await page.getByRole('option', { name: 'Failed' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('main').getByText('4 dialogs', { exact: true }).waitFor();
  assert.match(page.url(), /#\/calls\?q=state%3AFailed$/);
  await page.getByRole('button', { name: 'auth-loop 2' }).click();
  await page.getByRole('main').getByText('2 dialogs', { exact: true }).waitFor();
  assert.match(new URL(page.url()).hash, /finding%3Aauth-loop/);
  await page.goBack();
  await page.getByRole('main').getByText('4 dialogs', { exact: true }).waitFor();
  await page.getByLabel('Filter of calls').fill('stat:Failed');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').filter({ hasText: 'state' }).waitFor();
});

test('the list follows what is typed; Enter takes a value that is begun, Esc brings the list back', {
  skip,
}, async (t) => {
  const { base } = await demo();
  const { page } = await openPage(t, `${base}/console/#/calls`);
  await page.getByRole('main').getByText('21 dialogs', { exact: true }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('33199');
  await page.getByRole('main').getByText('1 dialog', { exact: true }).waitFor();
  await page.keyboard.type(' or state:Cancel');
  await page.getByRole('option', { name: 'Canceled' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('main').getByText('2 dialogs', { exact: true }).waitFor();
  // What cannot be read leaves the list, and says why.
  await page.keyboard.type('or (');
  await page.getByRole('alert').filter({ hasText: 'not closed' }).waitFor();
  await page.locator('[role=grid]', { hasText: '+33199001234' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.getByRole('main').getByText('21 dialogs', { exact: true }).waitFor();
  await page.keyboard.press('c');
  await page.getByRole('main').getByText('16 calls', { exact: true }).waitFor();
  assert.match(new URL(page.url()).hash, /method%3AINVITE/);
  await page.keyboard.press('c');
  await page.getByRole('main').getByText('21 dialogs', { exact: true }).waitFor();
});

test('Enter keeps a value that has no words to choose from', { skip }, async (t) => {
  const { base } = await demo();
  const { page } = await openPage(t, `${base}/console/#/calls`);
  await page.getByRole('main').getByText('21 dialogs', { exact: true }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('from:2001');
  await page.keyboard.press('Enter');
  await page.getByRole('main').getByText('4 dialogs', { exact: true }).waitFor();
  assert.match(new URL(page.url()).hash, /q=from%3A2001$/);
});

test('the list of a filter, and a table, are CSV files', { skip }, async (t) => {
  const { base } = await demo();
  const { page } = await openPage(t, `${base}/console/#/calls?q=state:Failed`);
  await page.getByRole('main').getByText('4 dialogs', { exact: true }).waitFor();
  const fileOf = async (press: () => Promise<void>): Promise<[name: string, lines: string[]]> => {
    const coming = page.waitForEvent('download');
    await press();
    const download = await coming;
    const lines = readFileSync(await download.path(), 'utf8').split('\r\n');
    return [download.suggestedFilename(), lines];
  };
  const [name, lines] = await fileOf(() => page.getByRole('button', { name: 'CSV', exact: true }).click());
  assert.equal(name, 'dialogs.csv');
  assert.match(lines[0] ?? '', /^callid,state,method,/);
  assert.equal(lines.filter((line) => line.includes(',Failed,')).length, 4);
  await page.goto(`${base}/console/#/trunks`);
  const [trunks, rows] = await fileOf(() => page.getByRole('button', { name: 'Trunks as CSV' }).click());
  assert.equal(trunks, 'trunks.csv');
  assert.match(rows[0] ?? '', /^Trunk,Calls,State,/);
  assert.ok(rows.some((row) => row.startsWith('203.0.113.10,to it,')));
});

test('keys alone open a call and come back to its row', { skip }, async (t) => {
  const { base } = await demo();
  const { page } = await openPage(t, `${base}/console/#/calls?q=state:Failed`);
  await page.getByRole('main').getByText('4 dialogs', { exact: true }).waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('j');
  await page.keyboard.press('ArrowDown');
  await page.locator('[role=row].current', { hasText: '403' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: /REGISTER/ }).waitFor();
  await page.keyboard.press('Escape');
  await page.locator('[role=row].current', { hasText: '403' }).waitFor();
});

test('keys of the list work from page load, after the filter and after a call; the filter selects its old text', {
  skip,
}, async (t) => {
  const { base } = await demo();
  const { page } = await openPage(t, `${base}/console/#/calls`);
  const { keyboard } = page;
  const current = (text: string): Promise<void> => page.locator('[role=row].current', { hasText: text }).waitFor();
  await page.getByRole('main').getByText('21 dialogs', { exact: true }).waitFor();
  await keyboard.press('G');
  await current('REGISTER');
  await keyboard.press('g');
  await current('2017');
  await keyboard.press('/');
  await keyboard.type('state:Failed ');
  await keyboard.press('Enter');
  await page.getByRole('main').getByText('4 dialogs', { exact: true }).waitFor();
  await keyboard.press('j');
  await current('503');
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: /INVITE 2002/ }).waitFor();
  await keyboard.press('Escape');
  await current('503');
  await keyboard.press('ArrowDown');
  await current('403');
  await keyboard.press('/');
  await keyboard.type('from:2001 ');
  await page.waitForFunction('document.getElementById("filter").value === "from:2001 "');
  await page.waitForURL(/q=from%3A2001$/);
  // A button that has the focus keeps Enter for itself.
  await keyboard.press('Escape');
  await page.getByRole('button', { name: 'calls only' }).focus();
  await keyboard.press('Enter');
  await page
    .getByRole('main')
    .getByText(/^\d+ calls?$/)
    .waitFor();
});

test('an empty list says what could hide the call', { skip }, async (t) => {
  const { base } = await demo();
  const { page } = await openPage(t, `${base}/console/#/calls?q=from:99999`);
  await page.getByText('No call matches this filter.').waitFor();
  await page.getByText(/21 dialogs were looked at/).waitFor();
  await page.getByRole('link', { name: 'Show all calls' }).click();
  await page.getByRole('main').getByText('21 dialogs', { exact: true }).waitFor();
});

test('nothing serious for who cannot see or use a mouse, in both colours and widths', { skip }, async (t) => {
  const { base } = await demo();
  for (const look of [{}, { width: 390, scheme: 'dark' }] as const) {
    const { page } = await openPage(t, `${base}/console/#/calls`, look);
    await page.getByRole('main').getByText('21 dialogs', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'auth-loop 2' }).waitFor();
    await assertAccessible(page);
    assert.ok(
      await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
      'the page is no wider than its window',
    );
  }
});

/** A request of a new call, or a response to it, to a port of this host. */
function send(port: number, callId: string, line: string): Promise<void> {
  const tag = line.startsWith('SIP') ? ';tag=2' : '';
  const text = `${line}\r\nVia: SIP/2.0/UDP 127.0.0.1;branch=z9hG4bK${callId}\r\nFrom: <sip:a@x>;tag=1\r\nTo: <sip:b@x>${tag}\r\nCall-ID: ${callId}\r\nCSeq: 1 OPTIONS\r\nContent-Length: 0\r\n\r\n`;
  const socket = createSocket('udp4');
  return new Promise((resolve) => {
    socket.send(text, port, '127.0.0.1', () => {
      socket.close();
      resolve();
    });
  });
}

const live = skip === false && process.getuid?.() !== 0 ? 'capturing needs root' : skip;

test('live: calls come on top, rows change in place, and none moves under a hand', { skip: live }, async (t) => {
  const port = 17_000 + (process.pid % 900);
  const service = await startService(['-d', 'lo', '--portrange', String(port), '--console'], { untilRead: false });
  t.after(() => service.stop());
  const { page } = await openPage(t, `${service.base}/console/#/calls`);
  await page.getByText('\u25cf live').waitFor();
  const call = (n: number): string => `console-${n}`;
  const begin = (n: number): Promise<void> => send(port, call(n), `OPTIONS sip:u${n}@127.0.0.1 SIP/2.0`);
  const rows = page.locator('[role=grid] [role=rowgroup]:not(.head) [role=row]');
  for (const n of [1, 2]) await begin(n);
  await page.getByRole('main').getByText('2 dialogs', { exact: true }).waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('j');
  await page.locator('[role=row].current').waitFor();
  await begin(3);
  await page.getByRole('button', { name: '1 new: show' }).waitFor();
  assert.equal(await rows.count(), 2);
  await send(port, call(1), 'SIP/2.0 200 OK');
  await rows.nth(1).getByText('Completed').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('main').getByText('3 dialogs', { exact: true }).waitFor();
  await page.keyboard.press('p');
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  await begin(4);
  await page.getByRole('button', { name: '1 new: show' }).click();
  await page.getByRole('main').getByText('4 dialogs', { exact: true }).waitFor();
});

const DAY = '2026-01-01T10:00:00.000Z';

/** A row of a list that no capture of the tests is long enough for. */
const rowOf = (n: number, state = 'InCall') => ({
  ...{ call_id: `busy-${n}`, method: 'INVITE', state, created_at: DAY, updated_at: DAY, duration_sec: 1 },
  ...{ msg_count: 5, from_user: `${n}`, to_user: 'b', timing: {}, findings: [], stream_count: 0 },
});

test('a list that somebody takes hold of while it is read keeps its rows', { skip }, async (t) => {
  const { base } = await demo();
  const { page } = await openPage(t, `${base}/console/#/health`);
  const reads: ((rows: number) => Promise<void>)[] = [];
  await page.route('**/ask/calls?*', (route) => {
    reads.push((rows) => {
      const calls = Array.from({ length: rows }, (_, n) => rowOf(rows - n));
      return route.fulfill({ json: { schema_version: 1, total: rows, calls } });
    });
  });
  const answer = async (nth: number, rows: number): Promise<void> =>
    (
      await until(
        () => reads[nth],
        () => 'no read',
      )
    )(rows);
  let streams = 0;
  await page.route('**/ask/changes', async (route) => {
    // The first tells of a call that is being read, too; the third says nothing and stays.
    const known = ++streams === 1 ? `event: change\ndata: ${JSON.stringify(rowOf(1))}\n\n` : '';
    const body = `event: resync\ndata: {}\n\n${known}`;
    if (streams <= 2) await route.fulfill({ contentType: 'text/event-stream', body });
  });
  await page.getByRole('link', { name: 'Calls' }).click();
  await page.getByRole('button', { name: '1 new: show' }).waitFor();
  await answer(0, 2);
  await page.getByRole('main').getByText('2 dialogs', { exact: true }).waitFor();
  await until(
    () => reads[1],
    () => 'no second read',
  );
  await page.getByRole('grid').focus();
  await page.keyboard.press('j');
  await page.locator('[role=row].current').waitFor();
  await answer(1, 3);
  const rows = page.locator('[role=grid] [role=rowgroup]:not(.head) [role=row]');
  await page.getByRole('button', { name: '1 new: show' }).waitFor();
  // Something was missed while it is held: that is counted as well.
  await answer(2, 4);
  await page.getByRole('button', { name: '2 new: show' }).waitFor();
  assert.equal(await rows.count(), 2);
  await page.getByRole('button', { name: '2 new: show' }).click();
  await answer(3, 4);
  await page.getByRole('main').getByText('4 dialogs', { exact: true }).waitFor();
  assert.equal(await rows.count(), 4);
});

test('busy: an end that is reached while the list is read leads on, and many changes come at once', {
  skip,
}, async (t) => {
  const { base } = await demo();
  const { page } = await openPage(t, `${base}/console/#/health`);
  const page1 = { schema_version: 1, total: 201, calls: Array.from({ length: 200 }, (_, n) => rowOf(n)) };
  let firstReads = 0;
  let answerAgain = (): void => undefined;
  const isAskedAgain = new Promise<void>((told) => {
    void page.route('**/ask/calls?*', async (route) => {
      if (route.request().url().includes('cursor=')) {
        await route.fulfill({ json: { schema_version: 1, total: 201, calls: [rowOf(200)] } });
        return;
      }
      if (++firstReads === 2)
        await new Promise<void>((answer) => {
          answerAgain = answer;
          told();
        });
      await route.fulfill({ json: { ...page1, next_cursor: 'next' } });
    });
  });
  let events = 'event: resync\ndata: {}\n\n';
  await page.route('**/ask/changes', (route) => {
    const body = events;
    events = [rowOf(200, 'Completed'), ...Array.from({ length: 10_050 }, (_, n) => rowOf(1_000 + n))]
      .map((row) => `event: change\ndata: ${JSON.stringify(row)}\n\n`)
      .join('');
    return route.fulfill({ contentType: 'text/event-stream', body });
  });
  await page.getByRole('link', { name: 'Calls' }).click();
  await page.getByRole('main').getByText('201 dialogs', { exact: true }).waitFor();
  await isAskedAgain;
  await page.getByRole('grid').focus();
  await page.keyboard.press('End');
  await page.locator('[role=row].current', { hasText: '199' }).waitFor();
  answerAgain();
  await page.locator('#row-200').waitFor();
  await page.getByRole('button', { name: '10000 or more new: show' }).waitFor();
  await page.keyboard.press('End');
  await page.locator('[role=row].current', { hasText: 'Completed' }).waitFor();
});

test('a key is asked for once, and is in no address, storage or error', { skip }, async (t) => {
  const key = 'Secret-Key-0123456789';
  const service = await startService(['-I', DEMO, '--console'], { env: { SERVICE_API_KEY: key }, bearer: key });
  t.after(() => service.stop());
  const { page, urls } = await openPage(t, `${service.base}/console/#/calls?q=state:Failed`);
  await page.getByLabel('Key', { exact: true }).fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').filter({ hasText: 'not accepted' }).waitFor();
  await assertAccessible(page);
  await page.getByLabel('Key', { exact: true }).fill(key);
  await page.keyboard.press('Enter');
  await page.getByRole('main').getByText('4 dialogs', { exact: true }).waitFor();
  await page.getByText('files, read to the end').waitFor();
  const stored = 'JSON.stringify([{...sessionStorage}, {...localStorage}, document.cookie, location.href])';
  const places = async (): Promise<string> => `${await page.evaluate(stored)}`;
  assert.ok(!(await places()).includes(key));
  await page.reload();
  await page.getByLabel('Key', { exact: true }).fill(key);
  await page.getByLabel(/session storage/).check();
  await page.keyboard.press('Enter');
  await page.getByRole('main').getByText('4 dialogs', { exact: true }).waitFor();
  await page.reload();
  await page.getByRole('main').getByText('4 dialogs', { exact: true }).waitFor();
  const [session, local, cookie, href] = JSON.parse(await places());
  assert.deepEqual([session, cookie], [{ 'calltap-key': key }, '']);
  assert.ok(!JSON.stringify([local, href, urls]).includes(key));
  await page.getByRole('button', { name: 'Forget key' }).click();
  await page.getByLabel('Key', { exact: true }).waitFor();
  assert.ok(!(await places()).includes(key));
  assert.ok(!service.stderr().includes(key));
  await until(
    () => urls.length > 0,
    () => 'nothing was asked',
  );
});
