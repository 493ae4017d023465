// Observes one process by the TLS probes as the product does, and prints each piece of plaintext: a JSON object a line.
//
//   node observe.mjs PID [FILE:FUNCTION=ADDRESS,...]
//                               prints `ready WAY` when the probes are in place; ends with its standard input
const from = (module) => import(`/calltap/dist/src/sources/${module}.js`);
const { nativeTls } = await from('tls/open');
const { TlsOffsets } = await from('tls/offsets');
const { TlsSource } = await from('tls/source');
const { TlsTargets } = await from('tls/targets');
const { KIND } = await from('records');

function endpoint(batch, at, port) {
  return `${batch.bytes.subarray(at, at + 4).join('.')}:${port}`;
}

const targets = new TlsTargets({ uprobe: [process.argv[2]], comm: null });
let foundBy = 'iterator';
const say = (line) => {
  // Said once, where the kernel has no iterator over mappings.
  if (line.includes('/proc/PID/maps')) foundBy = 'maps';
  console.error(line);
};
const offsets = new TlsOffsets(process.argv.slice(3));
const source = new TlsSource({ native: nativeTls(), targets, offsets, sourceId: 1, ringBytes: 0, say });
source.onRecords((batch, count) => {
  for (let i = 0; i < count; i++) {
    if (batch.kind(i) !== KIND.TLS_DATA) continue;
    const isKnown = batch.ipVersion(i) === 4;
    const text = Buffer.from(batch.data.subarray(batch.off(i), batch.off(i) + batch.len(i))).toString('latin1');
    const src = isKnown ? endpoint(batch, batch.srcOff(i), batch.srcPort(i)) : '';
    const dst = isKnown ? endpoint(batch, batch.dstOff(i), batch.dstPort(i)) : '';
    console.log(JSON.stringify({ src, dst, text }));
  }
});
const { probes, sockets } = source.status();
await source.start();
if (source.discovery.files.attached === 0) throw new Error(`nothing is attached: ${JSON.stringify(source.files())}`);
console.log(`ready ${probes}, ${sockets}, ${foundBy}`);
process.stdin.resume().on('end', () => {
  source.close();
});
