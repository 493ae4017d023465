/**
 * Which streams run the same way and which the other: by the hosts they run between, or by the ports on one host.
 */
import { endpointKeyAddress } from '../core/ip.ts';
import type { Stream } from '../store/stream.ts';

/** True when the two streams run between the same two hosts in opposite directions. */
export function isReverse(a: Stream, b: Stream): boolean {
  const aSrc = endpointKeyAddress(a.srcKey);
  const aDst = endpointKeyAddress(a.dstKey);
  if (aSrc !== aDst) return aSrc === endpointKeyAddress(b.dstKey) && aDst === endpointKeyAddress(b.srcKey);
  return a.srcKey === b.dstKey && a.dstKey === b.srcKey;
}

/** True when the two streams run between the same two hosts in the same direction. */
export function isSameWay(a: Stream, b: Stream): boolean {
  const aSrc = endpointKeyAddress(a.srcKey);
  const aDst = endpointKeyAddress(a.dstKey);
  if (aSrc !== aDst) return aSrc === endpointKeyAddress(b.srcKey) && aDst === endpointKeyAddress(b.dstKey);
  return a.srcKey === b.srcKey && a.dstKey === b.dstKey;
}
