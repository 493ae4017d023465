/** SIP methods as small numbers (RFC 3261 7.1: method names are case-sensitive). */

import {
  ACK,
  BYE,
  CANCEL,
  INFO,
  INVITE,
  MESSAGE,
  NOTIFY,
  OPTIONS,
  OTHER,
  PRACK,
  PUBLISH,
  REFER,
  REGISTER,
  SUBSCRIBE,
  UPDATE,
} from './method-ids.ts';

export const METHOD = {
  OTHER,
  INVITE,
  ACK,
  BYE,
  CANCEL,
  REGISTER,
  OPTIONS,
  PRACK,
  SUBSCRIBE,
  NOTIFY,
  PUBLISH,
  INFO,
  REFER,
  MESSAGE,
  UPDATE,
} as const;
