/**
 * Documents of a session: stores and analysis put together for one dialog or stream.
 */

import type { MediaFindings, MediaStream } from '../analysis/media.ts';
import { diagnoseMedia } from '../analysis/media.ts';
import type { SignalingFindings } from '../analysis/signaling/diagnose.ts';
import { diagnoseSignaling } from '../analysis/signaling/diagnose.ts';
import { dialogTags } from '../analysis/tags.ts';
import type { Dialog as DialogDocument, RtpStream, StreamRow } from '../contract/index.ts';
import { packetMs } from '../rtp/stream-snapshot.ts';
import type { Dialog } from '../store/dialog.ts';
import type { Stream } from '../store/stream.ts';
import { toDialogDocument } from '../view/dialog-document.ts';
import { toSignalingDiagnosis } from '../view/signaling.ts';
import { toRtpStream, toStreamRow } from '../view/stream-document.ts';
import type { StreamQuality } from '../view/stream-quality.ts';
import { streamQuality } from '../view/stream-quality.ts';
import type { CaptureSession } from './capture-session.ts';

/** Calls looked at that share a socket with one; load generators let all their calls share one. */
const MAX_SHARING = 64;

/** A stream and its quality, or null when its counters are gone. */
export function qualityOf(session: CaptureSession, stream: Stream): StreamQuality | null {
  return streamQuality(stream, session.quality);
}

export function streamDocument(session: CaptureSession, stream: Stream): RtpStream | null {
  const q = qualityOf(session, stream);
  return q === null ? null : toRtpStream(stream, q, session.sources);
}

export function streamRow(session: CaptureSession, stream: Stream): StreamRow | null {
  const q = qualityOf(session, stream);
  return q === null ? null : toStreamRow(stream, q);
}

/** Everything known about a dialog: its streams with their quality, and what is wrong. */
export type DialogFacts = {
  streams: { stream: Stream; quality: StreamQuality }[];
  media: MediaFindings;
  signaling: SignalingFindings | null;
};

export function dialogFacts(session: CaptureSession, d: Dialog): DialogFacts {
  const streams: DialogFacts['streams'] = [];
  for (const stream of d.streams ?? []) {
    const quality = qualityOf(session, stream);
    if (quality !== null) streams.push({ stream, quality });
  }
  const media: MediaStream[] = streams.map(({ stream, quality }) => ({
    stream,
    packets: quality.snapshot.packets,
    firstUs: quality.snapshot.firstUs,
    lastUs: quality.snapshot.lastUs,
    codec: quality.codec,
    payloadType: quality.snapshot.payloadType,
    packetMs: packetMs(quality.snapshot, quality.clockRate),
    comfortNoisePackets: quality.snapshot.cnPackets,
    hasReverse: hasReverse(session, stream, quality.snapshot.firstUs, quality.snapshot.lastUs),
  }));
  return {
    streams,
    media: diagnoseMedia(d, media, {
      sawRtp: session.sawRtp,
      sharesMedia: streams.length === 0 && sharesMedia(d),
      nowUs: session.nowUs,
    }),
    signaling: diagnoseSignaling(d, session.log, session.nowUs),
  };
}

/** Later calls that named one of this call's sockets while it lasted, nearest first. */
function* sharing(d: Dialog): Generator<Dialog> {
  let other = d.sharesWith;
  for (let i = 0; other !== null && other !== d && i < MAX_SHARING; i++, other = other.sharesWith) yield other;
}

/** A stream of a call that shares the sockets ran the other way meanwhile. */
function hasReverse(session: CaptureSession, stream: Stream, firstUs: number, lastUs: number): boolean {
  const { dialog, srcKey, dstKey } = stream;
  if (dialog === null) return false;
  for (const other of sharing(dialog))
    for (const s of other.streams ?? [])
      if (
        s.srcKey === dstKey &&
        s.dstKey === srcKey &&
        s.openedUs <= lastUs &&
        session.streams.lastSeenUs(s) >= firstUs
      )
        return true;
  return false;
}

/** A call that shares this one's sockets has media there. */
function sharesMedia(d: Dialog): boolean {
  const keys = d.claimedKeys ?? [];
  for (const other of sharing(d))
    if ((other.streams ?? []).some((s) => keys.includes(s.srcKey) || keys.includes(s.dstKey))) return true;
  return false;
}

export function dialogDocument(session: CaptureSession, d: Dialog): DialogDocument {
  const facts = dialogFacts(session, d);
  return toDialogDocument(
    d,
    facts.streams.map(({ stream, quality }) => toRtpStream(stream, quality, session.sources)),
    {
      diagnosis: {
        one_way_audio: facts.media.oneWayAudio,
        nat_mismatch: facts.media.natMismatch,
        no_media: facts.media.noMedia,
        private_media_address: facts.media.privateMediaAddress,
        hints: facts.media.hints,
      },
      signaling: facts.signaling === null ? null : toSignalingDiagnosis(facts.signaling),
      tags: dialogTags(
        d,
        facts.streams.reduce((sum, { quality }) => sum + quality.snapshot.eventPackets, 0),
      ),
    },
    session.sources,
  );
}
