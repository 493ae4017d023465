/** Clock times of a capture: UTC, and local time as the host's zone has it at that moment. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { clockOf } from '../../../src/view/clock.ts';

const HOUR_US = 3_600_000_000;

test('UTC', () => {
  const us = Date.UTC(2026, 10, 26, 1, 2, 3, 45) * 1000 + 678;
  assert.deepEqual(clockOf(us, true), { date: '2026-11-26', time: '01:02:03.045', zone: 'Z' });
  assert.deepEqual(clockOf(Number.NaN, true), { date: '-', time: '-', zone: '' });
});

test('local time follows the zone over its changes, whatever was asked before', () => {
  const module = new URL('../../../src/view/clock.js', import.meta.url).href;
  // Hours around the end of summer time 2026, Kathmandu's quarter hour, and a place before there were zones.
  const cases = [
    ['Europe/Berlin', Date.UTC(2026, 9, 24, 20) * 1000],
    ['Asia/Kathmandu', Date.UTC(2026, 9, 24, 20) * 1000],
    ['America/St_Johns', Date.UTC(2026, 2, 7, 20) * 1000],
    ['Europe/Amsterdam', Date.UTC(1901, 1, 1) * 1000],
  ] as const;
  for (const [zone, fromUs] of cases) {
    const times = Array.from({ length: 30 }, (_, i) => fromUs + i * HOUR_US + 1_234_567);
    const script = `import { clockOf } from ${JSON.stringify(module)};
      console.log(JSON.stringify(${JSON.stringify(times)}.map((us) => clockOf(us, false))));`;
    const env = { ...process.env, TZ: zone };
    const out = execFileSync(process.execPath, ['--input-type=module', '-e', script], { env, encoding: 'utf8' });
    const shown = JSON.parse(out) as { date: string; time: string; zone: string }[];
    const wanted = new Intl.DateTimeFormat('sv-SE', {
      timeZone: zone,
      dateStyle: 'short',
      timeStyle: 'medium',
    });
    const near = (us: number): string => wanted.format(new Date(Math.floor(us / 1000))).slice(0, 16);
    for (const [i, { date, time, zone: offset }] of shown.entries()) {
      const us = times[i] ?? 0;
      assert.match(offset, /^[+-]\d\d:\d\d$/);
      assert.equal(`${date} ${time}`.slice(0, 16), near(us), `${zone} ${us}`);
      assert.equal(time.slice(-4), '.234');
    }
  }
});
