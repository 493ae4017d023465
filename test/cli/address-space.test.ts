/** The program runs where the operating system keeps its address space short, which WebAssembly does not expect. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { addressLimit } from '../../src/app/address-space.ts';
import { loadNative } from '../../src/sources/native.ts';

const MAIN = fileURLToPath(new URL('../../program/calltap.js', import.meta.url));
const SCANNER = fileURLToPath(new URL('../../src/protocols/sip/scanner/scanner.js', import.meta.url));
const DEMO = fileURLToPath(new URL('../../../fixtures/demo/demo.pcap', import.meta.url));

/** Who has not ended by then is serving. */
const SERVES_MS = 20_000;

/** What `sh` does before it becomes the program, the options, and standard input. */
function run(
  prelude: string,
  options: readonly string[],
  input = '',
  timeout = 60_000,
): { status: number | null; text: string } {
  const script = `${prelude}exec "$0" "$@"`;
  const r = spawnSync('sh', ['-c', script, process.execPath, MAIN, ...options], {
    encoding: 'utf8',
    input,
    timeout,
    killSignal: 'SIGKILL',
  });
  return { status: r.status, text: r.stdout + r.stderr };
}

test('with 3 GB of addresses it answers what it answers without a limit, and takes what it is given', () => {
  const short = 'ulimit -v 3000000; ';
  const free = run('', ['-I', DEMO, '--json']);
  assert.equal(free.status, 0, free.text);
  assert.ok(free.text.length > 1000);
  assert.deepEqual(run(short, ['-I', DEMO, '--json']), free);
  const wrong = run(short, ['--no-such-option']);
  assert.equal(wrong.status, 2);
  assert.match(wrong.text, /--no-such-option/);
  const nothing = run(short, ['-I', '-'], 'no capture');
  assert.equal(nothing.status, 1, nothing.text);
  assert.match(nothing.text, /^calltap: [^\n]+\n$/);
});

test('without guard pages the scanner takes the addresses of its memory and no more', () => {
  const program = `
    import { readFileSync } from 'node:fs';
    import { pathToFileURL } from 'node:url';
    const { SipScanner } = await import(pathToFileURL(process.argv[1]));
    const kib = () => Number(/^VmSize:\\s+(\\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))[1]);
    new SipScanner();
    const before = kib();
    const scanners = Array.from({ length: 8 }, () => new SipScanner());
    console.log((kib() - before) / scanners.length);`;
  const words = ['--disable-wasm-trap-handler', '--input-type=module', '-e', program, SCANNER];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  assert.equal(`${status} ${stderr}`, '0 ');
  // 384 KiB each; 4 GiB each where the memory has no maximum.
  assert.ok(Number(stdout) > 0 && Number(stdout) < 64 * 1024, `${Number(stdout)} KiB a scanner`);
});

test('too few addresses for the stores is one line', () => {
  // The engine refuses the first block of rows, as it does when the system gives it no addresses.
  const refusing = `globalThis.Uint8Array = class extends Uint8Array {
    constructor(...args) {
      if (typeof args[0] === 'number' && args[0] >= 4194304) throw new RangeError('Array buffer allocation failed');
      super(...args);
    }
  };`;
  const words = ['--import', `data:text/javascript,${encodeURIComponent(refusing)}`, MAIN, '-I', DEMO];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 60_000 });
  const text = stdout + stderr;
  assert.equal(status, 1, text);
  assert.match(text, /^calltap: the system gives no more memory[^\n]*\n$/);
});

test('too few descriptors for what was asked for is one line', () => {
  assert.equal(run('ulimit -n 56; ', ['-I', DEMO]).status, 0);
  // How many it takes to serve is up to Node's version: 24 serves with 48.
  for (const few of [48, 23]) {
    const { status, text } = run(`ulimit -n ${few}; `, ['-I', DEMO, '--api', '127.0.0.1:0'], '', SERVES_MS);
    if (status === null) continue;
    assert.equal(status, 1, text);
    if (!text.includes('\nNode.js v'))
      assert.match(text, /^calltap: this process has too many open files[^\n]*ulimit -n[^\n]*\n$/);
    return;
  }
});

test('the limit is the soft one, and none is none', () => {
  const head = 'Limit                     Soft Limit           Hard Limit           Units     \n';
  const line = (soft: string): string =>
    `${head}Max address space         ${soft.padEnd(20)} unlimited            bytes     \n`;
  assert.equal(addressLimit(line('3072000000')), 3_072_000_000);
  assert.equal(addressLimit(line('unlimited')), Number.POSITIVE_INFINITY);
  assert.equal(addressLimit(''), Number.POSITIVE_INFINITY);
});

test('a restart without a list of words is refused', () => {
  const { restart } = loadNative();
  for (const words of [[1], 'node', null]) assert.throws(() => Reflect.apply(restart, null, [words]), TypeError);
});
