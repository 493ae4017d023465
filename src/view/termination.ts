/**
 * Why a call ended as the wire says it (RFC 3326): protocol, cause code, text, and where it stood.
 */

import { framePointerText } from '../analysis/captured-at.ts';
import type { Termination } from '../contract/index.ts';
import type { Reason } from '../protocols/sip/reason.ts';
import { parseReasons } from '../protocols/sip/reason.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';

/** Causes of ITU-T Q.850 (table 1), where a Reason header gives the number only. */
const CAUSES: ReadonlyMap<number, string> = new Map([
  [1, 'Unallocated number'],
  [2, 'No route to transit network'],
  [3, 'No route to destination'],
  [6, 'Channel unacceptable'],
  [16, 'Normal call clearing'],
  [17, 'User busy'],
  [18, 'No user responding'],
  [19, 'No answer from user'],
  [20, 'Subscriber absent'],
  [21, 'Call rejected'],
  [22, 'Number changed'],
  [26, 'Non-selected user clearing'],
  [27, 'Destination out of order'],
  [28, 'Invalid number format'],
  [29, 'Facility rejected'],
  [31, 'Normal, unspecified'],
  [34, 'No circuit available'],
  [38, 'Network out of order'],
  [41, 'Temporary failure'],
  [42, 'Switching equipment congestion'],
  [44, 'Requested circuit not available'],
  [47, 'Resource unavailable'],
  [50, 'Requested facility not subscribed'],
  [55, 'Incoming calls barred'],
  [57, 'Bearer capability not authorized'],
  [58, 'Bearer capability not available'],
  [63, 'Service or option not available'],
  [65, 'Bearer capability not implemented'],
  [69, 'Requested facility not implemented'],
  [79, 'Service or option not implemented'],
  [88, 'Incompatible destination'],
  [102, 'Recovery on timer expiry'],
  [111, 'Protocol error'],
  [127, 'Interworking, unspecified'],
]);

/** Null for a value without a name here. */
export function q850Text(code: number | null): string | null {
  return code === null ? null : (CAUSES.get(code) ?? null);
}

/** Null when no message that ended the call named a cause. */
export function toTermination(d: Dialog, sources: readonly string[]): Termination | null {
  const { cause } = d;
  if (cause === null) return null;
  const values = parseReasons(cause.reason);
  // What the telephone network said is closer to the cause than what SIP made of it.
  const reason = values.find((v) => v.protocol.toUpperCase() === 'Q.850') ?? values[0];
  const found = reason ?? readHangup(cause.hangupText, cause.hangupCode);
  if (found === null) return null;
  const header = reason !== undefined ? 'Reason' : cause.hangupCode !== '' ? HANGUP_CODE : HANGUP_TEXT;
  const out: Termination = { protocol: found.protocol, source_header: header };
  if (found.code !== null) out.cause_code = found.code;
  const text = found.text ?? (found.protocol.toUpperCase() === 'Q.850' ? q850Text(found.code) : null);
  if (text !== null) out.cause_text = text;
  const frame = cause.frame === null ? undefined : framePointerText(cause.frame, sources);
  if (frame !== undefined) out.frame_ref = frame;
  return out;
}

const HANGUP_TEXT = 'X-Asterisk-HangupCause';
const HANGUP_CODE = 'X-Asterisk-HangupCauseCode';

/** Asterisk's own headers carry a Q.850 cause and its name. */
function readHangup(text: string, codeText: string): Reason | null {
  const code = /^\d{1,9}$/.test(codeText) ? Number(codeText) : null;
  if (code === null && text === '') return null;
  return { protocol: 'Q.850', code, text: text === '' ? null : text };
}
