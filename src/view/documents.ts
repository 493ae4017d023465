/**
 * The documents of one dialog or stream: what analysis knows of it, in the words of the contract.
 */
import type { CallStream } from '../analysis/call.ts';
import type { DialogFacts } from '../analysis/dialog-facts.ts';
import { documentFactsSteps } from '../analysis/dialog-facts.ts';
import type { Evidence } from '../analysis/evidence.ts';
import type { LintResult } from '../analysis/lint/lint.ts';
import { lintDialog } from '../analysis/lint/lint.ts';
import type { LintStream } from '../analysis/lint/rule.ts';
import { spokenPacketMs, streamQuality } from '../analysis/stream-quality.ts';
import type { AskStream, CallDocument, Dialog as DialogDocument, RtpStream, StreamRow } from '../contract/index.ts';
import { endpointKeyText } from '../core/ip.ts';
import type { Steps } from '../core/turns.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { Stream } from '../store/media/stream.ts';
import { toCallDocument, toDialogDocument } from './dialog-document.ts';
import { notKnown } from './own-drops.ts';
import { toRtpStream, toStreamRow } from './stream-document.ts';
import { segmentRows } from './stream-segments.ts';
import { spanRows } from './stream-spans.ts';
import { toTermination } from './termination.ts';

/** Quality intervals of all streams in one dialog's document: the newest of each. @cap */
const MAX_DIALOG_INTERVALS = 8_192;

export function streamDocument(e: Evidence, stream: Stream): RtpStream | null {
  const q = streamQuality(stream, e.capture.quality);
  return q === null ? null : toRtpStream(stream, q, e.capture);
}

/** The same with its segments. */
export function askStream(e: Evidence, stream: Stream): AskStream | null {
  const q = streamQuality(stream, e.capture.quality);
  return q === null ? null : toAskStream(e, { stream, quality: q }, toRtpStream(stream, q, e.capture));
}

/** The document with what each payload type carried where it changed, when nothing had to come, and why its loss is not known. */
export function toAskStream(e: Evidence, { stream, quality: q }: CallStream, document: RtpStream): AskStream {
  const why = notKnown(q);
  const spans = spanRows(e, stream, q);
  if (q.segments.length === 0 && spans.length === 0 && why === null) return document;
  const shown: AskStream = { ...document };
  if (q.segments.length > 0) shown.segments = segmentRows(stream, q, e.capture.clockSteps);
  if (spans.length > 0) shown.spans = spans;
  if (why !== null) shown.not_known = why;
  return shown;
}

/** Of all streams of the dialog, the newest first. A step each. */
export function* askStreamsSteps(e: Evidence, d: Dialog): Steps<AskStream[]> {
  const streams: AskStream[] = [];
  for (const stream of e.stores.streams.ownedBy(d)) {
    const document = askStream(e, stream);
    if (document !== null) streams.push(document);
    yield;
  }
  return streams;
}

export function streamRow(e: Evidence, stream: Stream): StreamRow | null {
  const q = streamQuality(stream, e.capture.quality);
  return q === null ? null : toStreamRow(stream, q);
}

/** The dialog with the cause that the wire named for its end. */
export function* dialogReportSteps(e: Evidence, d: Dialog): Steps<DialogDocument> {
  const termination = toTermination(d, e.capture.sources);
  const document = yield* dialogDocumentSteps(e, d);
  return termination === null ? document : { ...document, termination };
}

/** What the lint rules find in the dialog. */
export function* dialogLintSteps(e: Evidence, d: Dialog): Steps<LintResult> {
  const streams: LintStream[] = [];
  for (const stream of e.stores.streams.ownedBy(d)) {
    const q = streamQuality(stream, e.capture.quality);
    yield;
    if (q === null) continue;
    const { snapshot } = q;
    streams.push({
      src: endpointKeyText(stream.srcKey),
      dst: endpointKeyText(stream.dstKey),
      payloadType: q.payloadType,
      packets: snapshot.packets,
      packetMs: spokenPacketMs(q),
    });
  }
  const result = yield* lintDialog(d, e.stores.log, streams, new Set(e.rules.lintSuppress));
  e.omitted.lintMessages += result.unread;
  return result;
}

/** The document of a dialog with its times, and more of its media. */
export function* callDocumentSteps(e: Evidence, d: Dialog): Steps<CallDocument> {
  const facts = yield* documentFactsSteps(e, d);
  return toCallDocument(e, d, facts, yield* streamDocumentsSteps(e, facts));
}

/** A step a stream, and one a message that is read. */
export function* dialogDocumentSteps(e: Evidence, d: Dialog): Steps<DialogDocument> {
  const facts = yield* documentFactsSteps(e, d);
  return toDialogDocument(e, d, facts, yield* streamDocumentsSteps(e, facts));
}

/** A step a stream. Each has as many windows as a document of all has room for. */
export function* streamDocumentsSteps(e: Evidence, { streams }: DialogFacts): Steps<RtpStream[]> {
  const most = Math.floor(MAX_DIALOG_INTERVALS / Math.max(1, streams.length));
  const documents: RtpStream[] = [];
  for (const { stream, quality } of streams) {
    e.omitted.intervals += Math.max(0, quality.windows.length - most);
    documents.push(toRtpStream(stream, quality, e.capture, most));
    yield;
  }
  return documents;
}
