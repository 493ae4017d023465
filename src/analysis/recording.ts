/** Recording metadata that the messages of a dialog carry: the newest of them (RFC 7866 section 8.1.2, RFC 7865). */

import { rawText } from '../core/byte-text.ts';
import * as METHOD from '../core/methods.ts';
import type { Steps } from '../core/turns.ts';
import { bodyParts, mediaTypeOf } from '../protocols/sip/body.ts';
import type { RecordingMetadata } from '../protocols/sip/recording-metadata.ts';
import { parseRecordingMetadata } from '../protocols/sip/recording-metadata.ts';
import { decodeText } from '../protocols/sip/text.ts';
import { MARK } from '../store/dialogs/call-marks.ts';
import type { JudgedCall } from './call.ts';
import type { CallMessage } from './call-messages.ts';
import type { CallFindings } from './findings.ts';

const METADATA = /^application\/rs-metadata(\+xml)?$/;

export function* judgeRecording(call: JudgedCall, found: CallFindings): Steps<void> {
  if ((call.d.marks & MARK.OTHER_BODY) !== 0) found.recording = yield* recordingMetadata(call.messages);
}

/** A step a message read. */
function* recordingMetadata(messages: readonly CallMessage[]): Steps<RecordingMetadata | null> {
  let newest: RecordingMetadata | null = null;
  for (const m of messages) {
    if (!m.isRequest || (m.method !== METHOD.INVITE && m.method !== METHOD.UPDATE)) continue;
    yield;
    const text = m.read();
    if (text === null || text.scan.bodyEnd === text.scan.bodyStart) continue;
    const { bytes, scan } = text;
    const type = decodeText(bytes, scan.contentTypeStart, scan.contentTypeEnd);
    if (!mediaTypeOf(type).startsWith('multipart/') && !METADATA.test(mediaTypeOf(type))) continue;
    for (const part of bodyParts(bytes, scan.bodyStart, scan.bodyEnd, type))
      if (METADATA.test(part.mediaType))
        newest = parseRecordingMetadata(rawText(bytes, part.start, part.end)) ?? newest;
  }
  return newest;
}
