/** A syslog daemon that is late, goes away and comes back: what is lost is counted and said once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Syslog } from '../../../../src/security/outputs/syslog.ts';

test('messages that begin to be lost are said once, and so is the end of it', () => {
  const said: string[] = [];
  let isThere = false;
  const socket = {
    open: () => (isThere ? 3 : -2),
    send: () => (isThere ? 0 : -111),
    close: () => undefined,
  };
  const syslog = new Syslog(socket, '/run/log', 7, (line) => said.push(line));
  const news = (isRunning: boolean): string[] => {
    isThere = isRunning;
    said.length = 0;
    for (let i = 0; i < 3; i++) syslog.send('alert', 'text');
    return [...said];
  };
  assert.deepEqual(said, ['no syslog daemon at /run/log yet; alerts count as lost']);
  assert.deepEqual(news(false), []);
  assert.deepEqual(news(true), ['the syslog daemon at /run/log takes alerts; 3 were lost before']);
  assert.deepEqual(news(true), []);
  assert.deepEqual(news(false), ['the syslog daemon at /run/log takes nothing; alerts count as lost']);
  assert.deepEqual(news(true), ['the syslog daemon at /run/log takes alerts; 3 were lost before']);
  assert.deepEqual([syslog.sent, syslog.lost], [9, 6]);
});
