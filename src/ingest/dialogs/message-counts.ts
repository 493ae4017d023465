/**
 * What is counted of every SIP message, whether it is kept or not.
 */
import { METHOD_NAMES } from '../../core/words.ts';

/** Event counters of messages; they never fall. */
export class MessageCounts {
  /** Requests by METHOD id, and responses by the METHOD id of their CSeq. */
  readonly requestsByMethod = new Float64Array(METHOD_NAMES.length);
  readonly responsesByMethod = new Float64Array(METHOD_NAMES.length);
  /** Responses by status code, 0..999. */
  readonly byStatus = new Float64Array(1000);
  messages = 0;
  requests = 0;
  responses = 0;
  retransmissions = 0;
  duplicateFrames = 0;
  copies = 0;
  withoutCallId = 0;
  beyondDialogCap = 0;
  /** Those that no party of their dialog sent, beyond what is kept of anybody. */
  ofOutsiders = 0;
  /** Users, display names and phrases that were too long to keep whole. */
  textsCut = 0;
}
