/** Says who sits at a socket: the caller, the callee, or a proxy between them; client or server where nobody is called. */
import { type EndpointKey, endpointKeyAddress, endpointKeyText } from '../../core/ip.ts';
import * as METHOD from '../../core/methods.ts';
import type { SignalingCall } from './signaling-call.ts';

/** Role and address: `callee (192.0.2.7)`. Where several sit on one host, the port tells them apart. */
export function sideAt({ d, messages }: Pick<SignalingCall, 'd' | 'messages'>, key: EndpointKey): string {
  const host = endpointKeyAddress(key);
  const first = messages.filter((m) => m.isRequest && m.method === d.methodId && m.hop.toTag === '');
  if (first.some(({ src, dst }) => src.host === dst.host)) return `side at ${endpointKeyText(key)}`;
  const hasSent = first.some(({ src }) => src.host === host);
  const hasGot = first.some(({ dst }) => dst.host === host);
  const [one, other] = d.methodId === METHOD.INVITE ? ['caller', 'callee'] : ['client', 'server'];
  const role = hasSent && hasGot ? 'proxy' : hasSent ? one : hasGot ? other : 'side';
  return `${role} (${host})`;
}
