/**
 * An agent that reads behind time, for other programs have the processor: it judges by what it has read, not by the clock
 * on the wall. Who scans meanwhile is reported all the same.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../helpers/patience.ts';
import { startRegistrar, Watch } from './attacked-registrar.ts';
import { ADDRESS, Lab, missing } from './lab.ts';

/** A request that nobody has answered for two seconds is an outcome of its own. */
const BEHIND_MS = 4000;
const USERS = 20;

const SCENARIO = `<?xml version="1.0" encoding="ISO-8859-1" ?>
<scenario name="enumeration">
<send><![CDATA[
REGISTER sip:[remote_ip] SIP/2.0
Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
Max-Forwards: 70
From: <sip:30[call_number]@[remote_ip]>;tag=[call_number]
To: <sip:30[call_number]@[remote_ip]>
Call-ID: [call_id]
CSeq: 1 REGISTER
Contact: <sip:30[call_number]@[local_ip]:[local_port]>
Expires: 60
Content-Length: 0

]]></send>
<recv response="404"></recv>
</scenario>
`;

test('who scans while the agent is behind is reported', { skip: missing('kamailio', 'sipp') }, async (t) => {
  const lab = new Lab(t);
  await startRegistrar(lab);
  const watch = await Watch.start(lab);
  const { child } = watch.agent.running;
  writeFileSync(lab.path('enumeration.xml'), SCENARIO);
  child.kill('SIGSTOP');
  const often = ['-m', String(USERS), '-r', '20', '-nostdin', '-timeout', '60', '-timeout_error'];
  const sipp = lab.start('b', 'sipp', ['-sf', lab.path('enumeration.xml'), '-i', ADDRESS.b.v4, ...often, ADDRESS.a.v4]);
  assert.equal(await sipp.ended, 0, sipp.output());
  await sleep(BEHIND_MS);
  child.kill('SIGCONT');
  await until(
    () => watch.of(ADDRESS.b.v4).length > 0,
    () => `not reported: ${watch.agent.running.output()}`,
  );
  assert.equal(await lab.stop(watch.agent.running), 0);
  assert.match(watch.agent.running.output(), new RegExp(`from=${ADDRESS.b.v4} behaviour=enumeration .*404 x`));
});
