/**
 * The closed sets of words that both the stores and the wire use.
 */

/** The capture source that delivered a message or stream, by native number. */
export const ORIGINS = ['wire', 'hep', 'uprobe'] as const;

/** States of a dialog, by number. */
export const DIALOG_STATES = [
  'Trying',
  'Ringing',
  'InCall',
  'Completed',
  'Failed',
  'Canceled',
  'Redirected',
  'Registered',
  'Expired',
  'Pending',
  'Active',
  'Terminated',
  'Transferring',
] as const;
export type DialogStateName = (typeof DIALOG_STATES)[number];

/** What carried a SIP message, by number. */
export const TRANSPORTS = ['UDP', 'TCP', 'WS', 'TLS', 'WSS'] as const;
export const TRANSPORT = { UDP: 0, TCP: 1, WS: 2, TLS: 3, WSS: 4 } as const;

/** Methods by number (protocols/sip/method-ids.ts); `OTHER` has no name of its own, the message carries it. */
export const METHOD_NAMES: readonly string[] = [
  'OTHER',
  'INVITE',
  'ACK',
  'BYE',
  'CANCEL',
  'REGISTER',
  'OPTIONS',
  'PRACK',
  'SUBSCRIBE',
  'NOTIFY',
  'PUBLISH',
  'INFO',
  'REFER',
  'MESSAGE',
  'UPDATE',
];
