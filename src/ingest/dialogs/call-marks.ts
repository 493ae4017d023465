/** Which marks of a call a message sets; call-timing.ts says what each of them decides. */
import * as METHOD from '../../core/methods.ts';
import type { SipScan } from '../../protocols/sip/scanner/scan.ts';
import { isChallenge } from '../../protocols/sip/status.ts';
import type { CallMarks } from '../../store/dialogs/call-marks.ts';
import { markBye, markByeFinal, markFinal, markInvite, markProvisional } from '../../store/dialogs/call-timing.ts';
import { MARK } from '../../store/dialogs/dialog-marks.ts';

/** The marks a message sets, on a dialog or on what one source saw of it. */
export function markMessage(m: CallMarks, scan: SipScan, toTagHash: number, tsUs: number, isRefusal: boolean): void {
  const { status } = scan;
  if (scan.isRequest) {
    if (scan.method === METHOD.BYE) markBye(m, scan.cseq, tsUs);
    else if (scan.method !== METHOD.INVITE) return;
    else if (scan.toTagStart < 0) markInvite(m, scan.cseq, tsUs);
    else m.marks |= MARK.REINVITED;
  } else if (scan.cseqMethod === METHOD.INVITE) {
    if (status < 200) markProvisional(m, scan.cseq, status, toTagHash, tsUs);
    else if (isRefusal || !isChallenge(status)) markFinal(m, scan.cseq, status, toTagHash, tsUs);
  } else if (scan.cseqMethod === METHOD.BYE && status >= 200) markByeFinal(m, scan.cseq, tsUs);
}
