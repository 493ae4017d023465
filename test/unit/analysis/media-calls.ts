/** Calls and their streams for the tests of the media checks. */

import assert from 'node:assert/strict';
import { ALICE, answer, BOB, CALL_TIMES, hangUp, sdpBody } from '../../../fixtures/build/basic-call.ts';
import { scriptOf } from '../../../fixtures/build/calls-setup.ts';
import type { Endpoint } from '../../../fixtures/build/packet.ts';
import type { SdpOptions } from '../../../fixtures/build/sdp.ts';
import { CODEC, sdp } from '../../../fixtures/build/sdp.ts';
import type { SipScript } from '../../../fixtures/build/sip-call.ts';
import type { MediaFindings } from '../../../src/analysis/findings.ts';
import type { MediaContext, MediaStream } from '../../../src/analysis/media/check.ts';
import { diagnoseMedia } from '../../../src/analysis/media/diagnose.ts';
import type { MachineSide, Transfer } from '../../../src/analysis/media/meant-silence.ts';
import type { PathGround } from '../../../src/analysis/media/path-ground.ts';
import { THRESHOLDS } from '../../../src/core/thresholds.ts';
import { SOUND } from '../../../src/protocols/rtp/stream-layout.ts';
import type { Dialog } from '../../../src/store/dialogs/dialog.ts';
import type { DialogStore } from '../../../src/store/dialogs/dialog-store.ts';
import { EndpointIndex } from '../../../src/store/media/endpoint-index.ts';
import type { UnseenStream } from '../../../src/store/media/unseen-streams.ts';
import { TrackerKit } from '../ingest/dialogs/tracker-kit.ts';
import { StreamKit } from '../store/media/stream-kit.ts';

export const ANSWER_US = CALL_TIMES.answer * 1000;

export type Call = {
  readonly d: Dialog;
  readonly script: SipScript;
  readonly dialogs: DialogStore;
  readonly streams: StreamKit;
};

export function callOf(kit: TrackerKit, d: Dialog, script: SipScript): Call {
  const { dialogs } = kit;
  // Streams find no description here: each test says whose they are.
  return { d, script, dialogs, streams: new StreamKit(new EndpointIndex(dialogs)) };
}

export function played(script: SipScript): Call {
  const kit = new TrackerKit();
  return callOf(kit, kit.play(script), script);
}

/** An answered call whose two descriptions are as given; it ends `byeMs` after its start, or not at all. */
export function answered(
  o: { offer?: Partial<SdpOptions>; answer?: Partial<SdpOptions>; byeMs?: number | null } = {},
): Call {
  const script = scriptOf('media');
  const body = (side: typeof ALICE, more: Partial<SdpOptions> | undefined): string =>
    sdp({ media: side.rtp, codecs: [CODEC.PCMU], session: side.user, ...more });
  answer(script, script.request('INVITE', 0, { body: sdpBody(body(ALICE, o.offer)) }), body(BOB, o.answer));
  if (o.byeMs !== null) hangUp(script, o.byeMs ?? 12_000);
  return played(script);
}

/** Five seconds of voice that began 100 ms after the answer, unless told otherwise. */
export function stream(
  call: Call,
  src: Endpoint,
  dst: Endpoint,
  over: Partial<MediaStream> & { fromMs?: number; sec?: number; mediaType?: string; ssrc?: number } = {},
): MediaStream {
  const { fromMs = CALL_TIMES.answer + 100, sec = 5, mediaType = 'audio', ssrc, ...rest } = over;
  const { d, dialogs, streams } = call;
  const made = streams.stream(src, dst, {
    atUs: call.script.at(fromMs),
    ...(ssrc === undefined ? {} : { ssrc }),
  });
  const codecs = { names: [], formats: [] };
  const row = dialogs.sdp.addClaim(d, 0, made.dstKey, { codecs, mediaType, isSrtp: false, line: 0 });
  streams.store.onClaim(made.dstKey, row);
  return {
    stream: made,
    snapshot: { octets: sec * 50 * 160, tsStep: 160, payloadTypes: [], others: 0, duplicates: 0 },
    packets: sec * 50,
    expected: sec * 50,
    lost: 0,
    lastSequence: 0,
    firstUs: call.script.at(fromMs),
    lastUs: call.script.at(fromMs + sec * 1000),
    codec: 'PCMU',
    payloadType: 0,
    payloadTypes: [{ payloadType: rest.payloadType ?? 0, packets: rest.packets ?? sec * 50 }],
    packetMs: 20,
    segments: [],
    comfortNoisePackets: 0,
    sound: SOUND.HEARD,
    octet: 0,
    hasKeys: false,
    pauses: 0,
    isMixed: false,
    hasReverse: false,
    ...rest,
  };
}

export function diagnosed(
  call: Call,
  streams: readonly MediaStream[],
  over: {
    pathGround?: () => PathGround;
    machines?: () => readonly MachineSide[];
    transfers?: () => readonly Transfer[];
    isConference?: () => boolean;
    sharesMedia?: () => boolean;
    linkedMedia?: () => string | null;
    isTapOver?: (stream: MediaStream, atUs: number) => boolean;
    nowMs?: number;
    refusedUs?: number;
    isRtpCaptured?: boolean;
    unseen?: readonly UnseenStream[];
    reports?: MediaContext['reports'];
    messageAt?: MediaContext['messageAt'];
  } = {},
): MediaFindings {
  const { nowMs = 60_000, ...rest } = over;
  const found = diagnoseMedia(call.d, streams, {
    isRtpCaptured: true,
    refusedUs: Number.NaN,
    pathGround: () => 'open',
    machines: () => [],
    transfers: () => [],
    isConference: () => false,
    sharesMedia: () => false,
    linkedMedia: () => null,
    hasOtherKeys: () => false,
    ice: () => ({ failed: null, mayRunElsewhere: false }),
    iceOf: () => ({ failed: null, mayRunElsewhere: false }),
    isTapOver: () => false,
    ackUs: () => Number.NaN,
    unseen: [],
    reports: () => [],
    messageAt: () => null,
    thresholds: THRESHOLDS,
    nowUs: call.script.at(nowMs),
    ...rest,
  });
  for (const { text } of found.hints) assert.match(text, /^[A-Z].*[^.]\.$/, 'a sentence');
  return found;
}

export function textsOf({ hints }: MediaFindings): string[] {
  return hints.map(({ text }) => text);
}

export const QUIET: MediaFindings = {
  oneWayAudio: false,
  natMismatch: false,
  noMedia: false,
  mediaStopped: false,
  privateMediaAddress: false,
  hints: [],
};

export function bothWays(call: Call, over: Partial<MediaStream> = {}): MediaStream[] {
  return [stream(call, ALICE.rtp, BOB.rtp), stream(call, BOB.rtp, ALICE.rtp, over)];
}

export const A = '192.0.2.10:20000';
export const B = '198.51.100.20:30000';
