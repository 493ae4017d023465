/** What --check says of a host, and the remedy it names. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  checkLines,
  clockRow,
  interfacesRow,
  kernelVersion,
  memoryRow,
  rightsRow,
} from '../../../../src/faces/cli/host-check.ts';
import type { CapabilityName } from '../../../../src/sources/live/privileges.ts';

const MIB = 1024 ** 2;
const rights = (...names: readonly CapabilityName[]): ReadonlySet<CapabilityName> => new Set(names);

test('rights: what is lacking decides what works, and the remedy names the drop-in for this kernel', () => {
  const rowOf = (kernel: readonly [number, number], ...names: readonly CapabilityName[]) =>
    rightsRow(rights(...names), kernel);
  assert.equal(rowOf([6, 12]).verdict, 'missing');
  assert.match(rowOf([6, 12], 'net_raw').text, /lacks CAP_BPF, CAP_PERFMON: no eBPF filter and no --uprobe$/);
  assert.match(rowOf([6, 12], 'net_raw', 'bpf', 'perfmon').remedy, /tls-probes\.conf/);
  const forProbes: readonly CapabilityName[] = ['net_raw', 'bpf', 'perfmon', 'sys_ptrace', 'dac_read_search'];
  assert.equal(rowOf([6, 12], ...forProbes).verdict, 'ok');
  assert.match(rowOf([6, 1], ...forProbes).text, /--uprobe lacks CAP_SYS_ADMIN$/);
  assert.match(rowOf([6, 1], ...forProbes).remedy, /old-kernels\.conf/);
  assert.equal(rowOf([6, 1], ...forProbes, 'sys_admin').verdict, 'ok');
});

test('kernel versions of distributions', () => {
  for (const [text, version] of [
    ['6.1.0-50-amd64', [6, 1]],
    ['5.14.0-503.el9.x86_64', [5, 14]],
    ['6.18', [6, 18]],
    ['', [0, 0]],
  ] as const)
    assert.deepEqual(kernelVersion(text), version);
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
