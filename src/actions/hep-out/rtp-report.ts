/**
 * What calltap measured of an RTP stream in one quality window, as the JSON that HEP carries under type 34: the report of
 * Homer's RTPAgent, which shows in the QoS tab of Homer 7 and in the metrics of heplify-server.
 *
 * JITTER is in milliseconds, MOS and RFACTOR have their own scale (1 to 5, 0 to 100). What calltap does not measure is left
 * out (DELTA, SKEW). A window has one figure of each, so least, mean and most are the same.
 */
import { lastWindow } from '../../analysis/stream-quality.ts';
import { endpointKeyAddress, endpointKeyPort, endpointKeyText, parseIpv4, parseIpv6 } from '../../core/ip.ts';
import type { StreamWindow } from '../../protocols/rtp/stream-window.ts';
import type { Stream } from '../../store/media/stream.ts';
import type { Capture } from '../../store/stores.ts';
import { ssrcText, toInterval } from '../../view/stream-document.ts';
import type { HepFacts } from './hep-encode.ts';
import { HEP_TYPE } from './hep-encode.ts';

const UDP = 17;
const NO_PAYLOAD_TYPE = 255;

export type RtpReport = { readonly facts: HepFacts; readonly json: string };

/** Of the window that closed last; null for a stream of no call, which collectors do not keep. */
export function rtpReport(stream: Stream, { quality }: Capture): RtpReport | null {
  const { dialog } = stream;
  const last = dialog === null ? null : lastWindow(stream, quality);
  if (dialog === null || last === null) return null;
  const { window, known, scale } = last;
  const interval = toInterval(window, scale, known);
  const same = (name: string, value: number | undefined, ...also: string[]): Record<string, number> =>
    value === undefined
      ? {}
      : Object.fromEntries([name, ...also.map((one) => `${one}_${name}`)].map((key) => [key, value]));
  const json = {
    CORRELATION_ID: dialog.callId,
    RTP_SIP_CALL_ID: dialog.callId,
    REPORT_TS: Math.floor(endUs(window) / 1_000_000),
    TOTAL_PK: window.packets,
    EXPECTED_PK: window.expected,
    PACKET_LOSS: window.lost,
    OUT_ORDER: window.reordered,
    ...same('JITTER', interval.jitter_ms, 'MAX', 'MEAN'),
    ...same('MOS', interval.mos, 'MIN', 'MEAN'),
    ...same('RFACTOR', interval.r_factor, 'MIN', 'MEAN'),
    SSRC: ssrcText(stream.ssrc),
    SRC_IP: endpointKeyAddress(stream.srcKey),
    SRC_PORT: endpointKeyPort(stream.srcKey),
    DST_IP: endpointKeyAddress(stream.dstKey),
    DST_PORT: endpointKeyPort(stream.dstKey),
    ...(window.payloadType !== NO_PAYLOAD_TYPE && { CODEC_PT: window.payloadType }),
    ...(scale.clockRate !== null && { CLOCK: scale.clockRate }),
    ...(scale.codec !== null && { CODEC_NAME: scale.codec }),
    REPORT_NAME: endpointKeyText(stream.srcKey),
    TYPE: 'PERIODIC',
  };
  return { facts: factsOf(stream, window, dialog.callId), json: JSON.stringify(json) };
}

function endUs({ startUs, lengthUs }: StreamWindow): number {
  return startUs + lengthUs;
}

function factsOf(stream: Stream, window: StreamWindow, correlationId: string): HepFacts {
  const addresses = new Uint8Array(32);
  for (const [key, at] of [[stream.srcKey, 0] as const, [stream.dstKey, 16] as const]) {
    const text = endpointKeyAddress(key);
    if (stream.ipVersion === 6) addresses.set(parseIpv6(text) ?? [], at);
    else new DataView(addresses.buffer).setUint32(at, parseIpv4(text));
  }
  return {
    ipVersion: stream.ipVersion === 6 ? 6 : 4,
    proto: UDP,
    ...{ addresses, srcOff: 0, dstOff: 16 },
    srcPort: endpointKeyPort(stream.srcKey),
    dstPort: endpointKeyPort(stream.dstKey),
    tsUs: endUs(window),
    protocolType: HEP_TYPE.RTP_REPORT,
    ...{ vlan: 0, tos: 0, tcpFlags: 0 },
    correlationId,
  };
}
