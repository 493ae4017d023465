/** Recording metadata that the messages of a dialog carry: the newest of them (RFC 7866 section 8.1.2, RFC 7865). */

import { rawText } from '../core/byte-text.ts';
import type { Steps } from '../core/steps.ts';
import { bodyParts, mediaTypeOf } from '../protocols/sip/body.ts';
import { METHOD } from '../protocols/sip/method.ts';
import type { RecordingMetadata } from '../protocols/sip/recording-metadata.ts';
import { parseRecordingMetadata } from '../protocols/sip/recording-metadata.ts';
import { SCAN, SipScan, scanSip } from '../protocols/sip/scanner/scan.ts';
import { decodeText } from '../protocols/sip/text.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { ROW } from '../store/messages/message-rows.ts';
import type { Messages } from '../store/stores.ts';
import { keptRows } from './message-list.ts';

const METADATA = /^application\/rs-metadata(\+xml)?$/;
const scan = new SipScan();

/** A step a message read. */
export function* recordingMetadata(d: Dialog, log: Messages): Steps<RecordingMetadata | null> {
  let newest: RecordingMetadata | null = null;
  for (const row of keptRows(d, log)) {
    if (!log.has(row) || (log.flags(row) & ROW.REQUEST) === 0) continue;
    const method = log.method(row);
    if (method !== METHOD.INVITE && method !== METHOD.UPDATE) continue;
    yield;
    if (!log.has(row)) continue;
    const bytes = log.bytes(row);
    if (scanSip(bytes, 0, bytes.length, scan) !== SCAN.OK || scan.bodyEnd === scan.bodyStart) continue;
    const type = decodeText(bytes, scan.contentTypeStart, scan.contentTypeEnd);
    if (!mediaTypeOf(type).startsWith('multipart/') && !METADATA.test(mediaTypeOf(type))) continue;
    for (const part of bodyParts(bytes, scan.bodyStart, scan.bodyEnd, type))
      if (METADATA.test(part.mediaType))
        newest = parseRecordingMetadata(rawText(bytes, part.start, part.end)) ?? newest;
  }
  return newest;
}
