/**
 * Sums up registrations by who registers from where: how often, with what outcome, and what is bound until when. The store
 * keeps the times. Contacts and addresses of record are read from the kept messages, for the shown rows alone.
 */
import type { CallMessage } from '../analysis/call-messages.ts';
import { messagesOf } from '../analysis/call-messages.ts';
import { capturedText } from '../analysis/captured-at.ts';
import type { Evidence } from '../analysis/evidence.ts';
import type { AskRegistration, AskRegistrations } from '../contract/index.ts';
import * as METHOD from '../core/methods.ts';
import type { Steps } from '../core/turns.ts';
import { MAX_NAME_BYTES } from '../protocols/sip/address.ts';
import type { SipMessage } from '../protocols/sip/message.ts';
import { withoutSecrets } from '../protocols/sip/redaction.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { STATE } from '../store/dialogs/dialog-state.ts';
import { visitEach } from '../store/dialogs/live-dialogs.ts';
import { callOf } from './call.ts';

/** Rows of a list of registrations. @cap */
export const MAX_REGISTRATIONS_SHOWN = 1_000;

/** Contacts of a registration in a list. @cap */
const MAX_CONTACTS_SHOWN = 8;

/** What a dialog of REGISTER binds, and until when. */
export type Binding = Pick<
  AskRegistration,
  'aor' | 'contacts' | 'expires_asked_sec' | 'expires_granted_sec' | 'expires_at'
>;

type RegistrationRow = { readonly newest: Dialog; readonly facts: Omit<AskRegistration, keyof Binding> };

/** A step a dialog; one row a user and address, the newest first. */
export function* registrationsSteps(e: Evidence, dialogs: readonly Dialog[]): Steps<AskRegistrations> {
  const rows = new Map<string, RegistrationRow>();
  yield* visitEach(e.stores.dialogs, dialogs, (d) => {
    if (d.methodText !== 'REGISTER') return;
    const call = callOf(e, d);
    const { state, user_agent, code, reason } = call;
    const src = (call.src ?? '').replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
    const key = `${d.to} ${src}`;
    const before = rows.get(key)?.facts;
    // In order of the newest: the row moves to the end.
    rows.delete(key);
    const name = e.rules.names.of(src);
    const facts = {
      user: d.to,
      src,
      ...(name === null ? {} : { name }),
      state,
      attempts: (before?.attempts ?? 0) + 1,
      failed: (before?.failed ?? 0) + (state === 'Failed' ? 1 : 0),
      last_at: capturedText(d.updatedUs, e.capture.clockSteps),
      ...(user_agent === undefined ? {} : { user_agent }),
      ...(code === undefined ? {} : { code }),
      ...(reason === undefined ? {} : { reason }),
      call_id: d.callId,
    };
    rows.set(key, { newest: d, facts });
  });
  const shown = [...rows.values()].reverse().slice(0, MAX_REGISTRATIONS_SHOWN);
  const bound = new Map<Dialog, Binding>();
  const newest = shown.map((row) => row.newest);
  yield* visitEach(e.stores.dialogs, newest, (d) => {
    bound.set(d, bindingOf(e, d));
  });
  const registrations = shown.map((row) => ({ ...row.facts, ...(bound.get(row.newest) ?? { contacts: [] }) }));
  return { schema_version: 1, total: rows.size, registrations };
}

export function bindingOf(e: Evidence, d: Dialog): Binding {
  const request = newestRequest(e, d);
  const isBound = d.state === STATE.Registered;
  return {
    ...(request?.to === null || request === null ? {} : { aor: withoutParameters(withoutSecrets(request.to.uriText)) }),
    contacts: request?.contacts.slice(0, MAX_CONTACTS_SHOWN).map(({ uriText }) => cut(withoutSecrets(uriText))) ?? [],
    ...(d.requestedExpirySec < 0 ? {} : { expires_asked_sec: d.requestedExpirySec }),
    ...(isBound && d.grantedExpirySec >= 0 ? { expires_granted_sec: d.grantedExpirySec } : {}),
    ...(isBound && !Number.isNaN(d.expiresUs) ? { expires_at: capturedText(d.expiresUs, e.capture.clockSteps) } : {}),
  };
}

/** The newest REGISTER that names a contact; one without only asks what is bound. */
function newestRequest(e: Evidence, d: Dialog): SipMessage | null {
  const requests = [...messagesOf(d, e.stores.log)].filter(isRegister);
  const bound = requests.findLast((m) => (m.read()?.scan.contactStart ?? -1) >= 0);
  return (bound ?? requests.at(-1))?.parse() ?? null;
}

function isRegister(m: CallMessage): boolean {
  return m.isRequest && !m.isCopy && m.method === METHOD.REGISTER;
}

/** An address of record has none (RFC 3261 section 10.3); the user may hold a semicolon. */
function withoutParameters(uri: string): string {
  const host = uri.indexOf('@') + 1;
  return cut(uri.slice(0, host) + uri.slice(host).replace(/[;?].*$/s, ''));
}

function cut(text: string): string {
  return text.slice(0, MAX_NAME_BYTES);
}
