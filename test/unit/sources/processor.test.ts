/** Which processors are refused before the addon's first instruction, by the kernel's words for what they can. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingOfLevel2, processorRefusal, readCpuinfo } from '../../../src/sources/processor.ts';

/** As Linux 6.1 in qemu writes them with -cpu qemu64, kvm64 and Nehalem. */
const QEMU64 =
  'fpu de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush mmx fxsr sse sse2 ht syscall nx lm ' +
  'rep_good nopl cpuid extd_apicid pni cx16 hypervisor lahf_lm cmp_legacy svm 3dnowprefetch vmmcall';
const KVM64 =
  'fpu de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush mmx fxsr sse sse2 ht syscall nx lm ' +
  'constant_tsc nopl xtopology cpuid pni cx16 hypervisor pti';
const NEHALEM =
  'fpu de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush mmx fxsr sse sse2 ht syscall nx lm ' +
  'constant_tsc rep_good nopl xtopology cpuid pni ssse3 cx16 sse4_1 sse4_2 popcnt hypervisor lahf_lm pti';

function cpuinfo(flags: string, processors = 2): string {
  const one = (i: number): string =>
    `processor\t: ${i}\nvendor_id\t: AuthenticAMD\nmodel name\t: QEMU Virtual CPU version 2.5+\nfpu\t\t: yes\n` +
    `wp\t\t: yes\nflags\t\t: ${flags}\nbugs\t\t: sysret_ss_attrs\nbogomips\t: 4000.00\n\n`;
  return Array.from({ length: processors }, (_, i) => one(i)).join('');
}

test('a processor below x86-64-v2 lacks what level 2 asks for', () => {
  assert.deepEqual(missingOfLevel2(cpuinfo(QEMU64)), ['popcnt', 'sse4_1', 'sse4_2', 'ssse3']);
  assert.deepEqual(missingOfLevel2(cpuinfo(KVM64)), ['lahf_lm', 'popcnt', 'sse4_1', 'sse4_2', 'ssse3']);
  assert.deepEqual(missingOfLevel2(cpuinfo(NEHALEM)), []);
  for (const flag of ['cx16', 'lahf_lm', 'pni', 'popcnt', 'sse4_1', 'sse4_2', 'ssse3'])
    assert.deepEqual(missingOfLevel2(cpuinfo(NEHALEM.replace(` ${flag}`, ''))), [flag]);
});

test('a flag counts as a whole word, in the line of flags alone', () => {
  assert.deepEqual(missingOfLevel2(cpuinfo(NEHALEM.replace('pni', 'pnix').replace('ssse3', 'xssse3'))), [
    'pni',
    'ssse3',
  ]);
  const named = cpuinfo(QEMU64).replace('QEMU Virtual CPU version 2.5+', 'popcnt sse4_1 sse4_2 ssse3');
  assert.equal(missingOfLevel2(named).length, 4);
});

test('what the kernel does not tell is no reason to refuse', () => {
  for (const text of ['', 'garbage', 'processor\t: 0\n', 'Features\t: fp asimd evtstrm\n'])
    assert.equal(processorRefusal('x64', text), null, text);
});

test('a refusal is one line that names what is missing and what to choose', () => {
  const line = processorRefusal('x64', cpuinfo(QEMU64)) ?? '';
  assert.match(line, /^this processor is older than x86-64-v2, it lacks popcnt, sse4_1, sse4_2, ssse3; .*"host".*$/);
  assert.equal(processorRefusal('x64', cpuinfo(NEHALEM)), null);
  assert.equal(processorRefusal('arm64', cpuinfo(QEMU64)), null);
  assert.match(
    processorRefusal('riscv64', '') ?? '',
    /^this Node.js is built for riscv64; use a machine with x86-64 or arm64$/,
  );
  assert.match(processorRefusal('ia32', cpuinfo(NEHALEM)) ?? '', /for ia32;/);
});

test('this machine, which runs the tests, is not refused', () => {
  assert.equal(processorRefusal(process.arch, readCpuinfo()), null);
});
