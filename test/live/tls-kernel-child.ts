/** A program for tests of rights and of violent ends: opens a capture, tries to attach, says what came of it, waits. */
import { Turns } from '../../src/core/turns.ts';
import { scanHost } from '../../src/sources/tls/scan-rows.ts';
import { attachLibrary, TlsLab } from './tls-kernel-lab.ts';

const [, , libssl = '', options = '{}'] = process.argv;
// What a test gives on its command line; a wrong shape is refused by the addon.
const lab = new TlsLab(JSON.parse(options) as object);
let attached = '';
if (lab.refusal === '') {
  try {
    attachLibrary(lab, libssl);
  } catch (error) {
    attached = String(error);
  }
}
const scan = await scanHost(lab.native, new Turns(() => performance.now()));
process.stdout.write(
  `${JSON.stringify({
    refusal: lab.refusal,
    attached,
    status: lab.native.status(),
    rows: scan.rows.length,
    scanError: scan.error,
  })}\n`,
);
for await (const _ of process.stdin);
// What the kernel has handed over is still to be read.
if (lab.refusal === '') await lab.settle();
process.stdout.write(
  `${JSON.stringify({ events: lab.events.length, bound: lab.data().filter((e) => e.ipVersion !== 0).length })}\n`,
);
lab.close();
