/**
 * Why a call ended as the wire says it (RFC 3326): protocol, cause code, text, and where it stood.
 */

import { framePointerText } from '../analysis/captured-at.ts';
import type { Termination } from '../contract/index.ts';
import { q850Text } from '../protocols/sip/q850.ts';
import type { Reason } from '../protocols/sip/reason.ts';
import { parseReasons } from '../protocols/sip/reason.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';

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
