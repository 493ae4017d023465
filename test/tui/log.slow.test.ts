/** What calltap says while the terminal shows screens: on a screen of its own, and in the file of --log. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../helpers/patience.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { attackCapture } from '../helpers/recorder.ts';
import { DEMO, PROGRAM } from './demo.ts';
import { skipWithoutTmux, Tmux } from './tmux.ts';

const options = { skip: skipWithoutTmux };

test(
  'lines for people and for fail2ban go to --log, alerts to L and S; SIGHUP reopens the file',
  options,
  async (t) => {
    const folder = temporaryFolder(t);
    const [capture, log] = [join(folder, 'attack.pcap'), join(folder, 'log')];
    writeFileSync(capture, attackCapture());
    writeFileSync(log, 'what was there\n');
    const names = ['--name', '203.0.113.0/24=outside', '--name', '198.51.100.0/24=outside'];
    const tmux = new Tmux(t, [...PROGRAM, '-i', capture, '--fail2ban', '--log', log, ...names], [140, 30]);
    await tmux.settled(/^1 of \d+ /m);
    const text = readFileSync(log, 'utf8');
    assert.match(text, /^what was there\n/);
    assert.match(text, /^\d{4}-\S+Z calltap\[\d+\]: SCANNER from=\S+ method=\S+ ua=".*"$/m);
    assert.match(text, /^\d{4}-\S+Z calltap: alert: scanner from=\S+ /m);
    await tmux.press('L');
    await tmux.shows(/^calltap: alert: scanner from=/m);
    await tmux.press('Escape', 'S');
    await tmux.shows(/^20\S+ \S+ +outside \S+ +(?:scanner|reg-flood) /m);
    await tmux.press('Enter');
    await tmux.shows(/^Filter: ip:[\s\S]*^1 of [1-9]/m);
    renameSync(log, `${log}.1`);
    process.kill(tmux.pid, 'SIGHUP');
    await until(
      () => existsSync(log),
      () => 'the file was not opened again',
    );
    assert.equal(statSync(log).mode & 0o007, 0, 'a stranger cannot read it');
    await tmux.press('q');
    await tmux.shows(/ended 0/);
    assert.equal(readFileSync(`${log}.1`, 'utf8'), text);
  },
);

test('a file that cannot be opened is one line, before anything is read', options, async (t) => {
  const tmux = new Tmux(t, [...PROGRAM, '-i', DEMO, '--log', '/nonexistent/log'], [100, 10]);
  await tmux.shows(/^calltap: --log \/nonexistent\/log: there is no such folder; make it$/m);
  await tmux.shows(/ended 1/);
});
