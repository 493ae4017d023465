/** What --check says of a host, and the remedy it names. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  checkLines,
  clockRow,
  interfacesRow,
  kernelRow,
  memoryRow,
  rightsRow,
} from '../../../../src/faces/cli/host-check.ts';
import type { CapabilityName } from '../../../../src/sources/live/privileges.ts';

const MIB = 1024 ** 2;
test('rights are named as they are, and none is a limit', () => {
  const names: ReadonlySet<CapabilityName> = new Set(['net_raw', 'bpf']);
  assert.deepEqual(rightsRow(999, names), {
    name: 'rights',
    verdict: 'ok',
    text: 'uid 999 with CAP_BPF, CAP_NET_RAW',
    remedy: '',
  });
  assert.equal(rightsRow(0, names).text, 'root with CAP_BPF, CAP_NET_RAW');
  assert.match(rightsRow(999, new Set()).text, /no capability: only files and -L$/);
});

test('kernels of distributions', () => {
  for (const text of ['6.1.0-50-amd64', '5.14.0-503.el9.x86_64', '5.10.0-32-amd64', '6.18'])
    assert.equal(kernelRow(text).verdict, 'ok');
  for (const text of ['5.4.0-216-generic', '4.18.0-553.el8', '']) assert.match(kernelRow(text).remedy, /newer kernel$/);
});

test('memory below what all caps may fill, loopback alone, and a clock that is not set are limits with a remedy', () => {
  assert.equal(memoryRow(2048 * MIB).verdict, 'ok');
  assert.match(memoryRow(512 * MIB).remedy, /--max-dialogs/);
  assert.equal(interfacesRow([{ name: 'lo', isUp: true }]).verdict, 'limited');
  assert.equal(interfacesRow([{ name: 'eth0', isUp: false }]).verdict, 'limited');
  assert.equal(interfacesRow([{ name: 'eth0', isUp: true }]).verdict, 'ok');
  assert.match(clockRow(false, 'tsc').remedy, /chrony/);
  assert.match(clockRow(true, 'hpet').text, /slow to read$/);
  assert.equal(clockRow(true, 'tsc').verdict, 'ok');
});

test('a line has the verdict, the name, what was found and what to do; hostile names of processes stay text', () => {
  const lines = checkLines(
    [
      { name: 'TLS', verdict: 'limited', text: 'evil\u001b[31m (libssl)', remedy: 'run as root' },
      { name: 'kernel', verdict: 'ok', text: 'Linux 6.1', remedy: '' },
    ],
    false,
  );
  assert.deepEqual(lines, ['limited  TLS     evil·[31m (libssl); run as root', 'ok       kernel  Linux 6.1']);
});
