/** SIP methods as small numbers (RFC 3261 7.1: method names are case-sensitive). */

export const METHOD = {
  OTHER: 0,
  INVITE: 1,
  ACK: 2,
  BYE: 3,
  CANCEL: 4,
  REGISTER: 5,
  OPTIONS: 6,
  PRACK: 7,
  SUBSCRIBE: 8,
  NOTIFY: 9,
  PUBLISH: 10,
  INFO: 11,
  REFER: 12,
  MESSAGE: 13,
  UPDATE: 14,
} as const;

export type MethodId = (typeof METHOD)[keyof typeof METHOD];

/** Names by id; `OTHER` has no name of its own, the message carries it. */
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

const METHOD_BYTES: readonly Uint8Array[] = METHOD_NAMES.map((name) => new TextEncoder().encode(name));

/** The only method a first letter and a length allow; the bytes are compared afterwards. */
function candidate(first: number, length: number): MethodId {
  switch (first) {
    case 0x41:
      return METHOD.ACK;
    case 0x42:
      return METHOD.BYE;
    case 0x43:
      return METHOD.CANCEL;
    case 0x49:
      return length === 6 ? METHOD.INVITE : METHOD.INFO;
    case 0x4d:
      return METHOD.MESSAGE;
    case 0x4e:
      return METHOD.NOTIFY;
    case 0x4f:
      return METHOD.OPTIONS;
    case 0x50:
      return length === 5 ? METHOD.PRACK : METHOD.PUBLISH;
    case 0x52:
      return length === 5 ? METHOD.REFER : METHOD.REGISTER;
    case 0x53:
      return METHOD.SUBSCRIBE;
    case 0x55:
      return METHOD.UPDATE;
    default:
      return METHOD.OTHER;
  }
}

/** Id of the method written at `start`..`end`. */
export function methodId(buf: Uint8Array, start: number, end: number): MethodId {
  const length = end - start;
  if (length < 3 || length > 9) return METHOD.OTHER;
  const id = candidate(buf[start] ?? 0, length);
  const name = METHOD_BYTES[id];
  if (id === METHOD.OTHER || name === undefined || name.length !== length) return METHOD.OTHER;
  for (let i = 1; i < length; i++) if (buf[start + i] !== name[i]) return METHOD.OTHER;
  return id;
}
