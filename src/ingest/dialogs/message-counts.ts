/**
 * What is counted of every SIP message, whether it is kept or not.
 */
import { tally } from '../../core/counters.ts';
import { CODE_VALUES, METHOD_NAMES } from '../../core/words.ts';
import type { SipScan } from '../../protocols/sip/scanner/scan.ts';

/** The same by method and code: each message once, whoever saw it again. */
export class MessageCodes {
  /** Responses: `[method * CODE_VALUES + code]`, by METHOD id of their CSeq. */
  readonly responses = new Float64Array(METHOD_NAMES.length * CODE_VALUES);
  /** Retransmissions by METHOD id: of requests, and of responses to them. */
  readonly retransmissions = new Float64Array(METHOD_NAMES.length);

  onNew({ isRequest, cseqMethod, status }: SipScan): void {
    if (!isRequest && status >= 0 && status < CODE_VALUES) tally(this.responses, cseqMethod * CODE_VALUES + status);
  }

  onRetransmission({ isRequest, method, cseqMethod }: SipScan): void {
    tally(this.retransmissions, isRequest ? method : cseqMethod);
  }
}

/** Event counters of messages; they never fall. */
export class MessageCounts {
  /** Null where nobody asks for codes. */
  readonly codes: MessageCodes | null;
  /** Requests by METHOD id, and responses by the METHOD id of their CSeq. */
  readonly requestsByMethod = new Float64Array(METHOD_NAMES.length);
  readonly responsesByMethod = new Float64Array(METHOD_NAMES.length);
  /** Responses by status code, 0..999. */
  readonly byStatus = new Float64Array(CODE_VALUES);
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

  constructor(countsCodes = false) {
    this.codes = countsCodes ? new MessageCodes() : null;
  }
}
