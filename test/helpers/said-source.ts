/** Messages by their bytes, for what reads what a call says of them. */
import type { SaidSource } from '../../src/analysis/call-said.ts';
import { parseSip } from '../../src/protocols/sip/message.ts';
import { SCAN, scanSip } from '../../src/protocols/sip/scanner/scan.ts';

/** A call of these messages, of which nothing else is known. */
export function saidSource(all: readonly Buffer[]): SaidSource {
  const messages = all.map((bytes, i) => {
    const scan = scanSip(bytes, 0, bytes.length);
    const read = scan.code === SCAN.OK ? { bytes, scan } : null;
    const parsed = parseSip(bytes, 0, bytes.length);
    return {
      read: () => read,
      parse: () => (parsed.ok ? parsed.value : null),
      src: { host: `192.0.2.${i}`, port: 5060 + i },
      dst: { host: '2001:db8::1', port: 5060 },
      transport: i % 2,
    };
  });
  const d = { family: 0, finalCode: 0, fromUser: 'alice', toUser: '', claimedKeys: ['192.0.2.9:4000'], originsSeen: 3 };
  return { e: { stores: {} }, d, messages } as unknown as SaidSource;
}
