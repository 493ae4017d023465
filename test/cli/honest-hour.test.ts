/** An hour of honest phones with all that goes wrong for them is no attack; whoever attacks among them is reported. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Script } from '../helpers/attack.ts';
import { busyTrunk, keepAlives, officeRestarts, roaming, wrongPassword } from '../helpers/honest.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { Recorder } from '../helpers/recorder.ts';
import { run } from './run-program.ts';

const HOUR = 3600;
const ATTACKER = '203.0.113.66';

const HONEST: Readonly<Record<string, (script: Script) => void>> = {
  'a softphone with a wrong password': (script) => {
    wrongPassword(script, HOUR, { from: '198.51.100.1', user: '2001', qop: false });
  },
  'a softphone with a wrong password, at a server with qop': (script) => {
    wrongPassword(script, HOUR, { from: '198.51.100.2', user: '2002', qop: true });
  },
  'two softphones with wrong passwords behind one address': (script) => {
    wrongPassword(script, HOUR, { from: '198.51.100.3', user: '2003', qop: false });
    wrongPassword(script, HOUR, { from: '198.51.100.3', user: '2004', qop: true });
  },
  'an office of 60 phones that restarts': (script) => officeRestarts(script, [10, 700, 705, 2000]),
  'roaming phones': (script) => roaming(script, HOUR),
  'keep-alives': (script) => keepAlives(script, HOUR),
  'a trunk with 50 calls a second': (script) => busyTrunk(script, 20, 120),
};

for (const [who, play] of Object.entries(HONEST)) {
  test(`${who}: no line, while an attacker gets his`, async (t) => {
    const script = new Script();
    play(script);
    for (let n = 0; n < 20; n++)
      script.ask(HOUR + n / 10, { from: ATTACKER, user: String(3000 + n), status: 404, agent: 'Phone 4.2' });
    const recorder = new Recorder(1_790_000_000 * 1e6);
    script.play(recorder);
    const file = join(temporaryFolder(t), 'hour.pcap');
    writeFileSync(file, recorder.capture.pcap());
    const { code, stdout, stderr } = await run(['-I', file, '--fail2ban']);
    assert.equal(code, 0, stderr);
    const named = [...stdout.matchAll(/calltap\[\d+\]: \w+ from=(\S+) .*/g)];
    assert.deepEqual([...new Set(named.map(([, from]) => from))], [ATTACKER], named.join('\n'));
  });
}
