/** Method names to numbers (RFC 3261 7.1: they are case-sensitive). */

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
} from '../../../../core/methods.ts';
import { word } from './word.ts';

// The names as word() reads them.
const ACK_WORD: u64 = 0x4b4341; // 'ACK'
const BYE_WORD: u64 = 0x455942; // 'BYE'
const INFO_WORD: u64 = 0x4f464e49; // 'INFO'
const PRACK_WORD: u64 = 0x4b43415250; // 'PRACK'
const REFER_WORD: u64 = 0x5245464552; // 'REFER'
const INVITE_WORD: u64 = 0x455449564e49; // 'INVITE'
const CANCEL_WORD: u64 = 0x4c45434e4143; // 'CANCEL'
const NOTIFY_WORD: u64 = 0x594649544f4e; // 'NOTIFY'
const UPDATE_WORD: u64 = 0x455441445055; // 'UPDATE'
const OPTIONS_WORD: u64 = 0x534e4f4954504f; // 'OPTIONS'
const PUBLISH_WORD: u64 = 0x4853494c425550; // 'PUBLISH'
const MESSAGE_WORD: u64 = 0x4547415353454d; // 'MESSAGE'
const REGISTER_WORD: u64 = 0x5245545349474552; // 'REGISTER'
const SUBSCRIB_WORD: u64 = 0x4249524353425553; // 'SUBSCRIB'
const LETTER_E = 0x45; // 'E'

/** Number of the method written at `start`..`end`. */
export function methodId(start: i32, end: i32): i32 {
  const length = end - start;
  if (length < 3 || length > 9) return OTHER;
  const name = word(start, min<i32>(length, 8));
  switch (length) {
    case 3:
      return name === ACK_WORD ? ACK : name === BYE_WORD ? BYE : OTHER;
    case 4:
      return name === INFO_WORD ? INFO : OTHER;
    case 5:
      return name === PRACK_WORD ? PRACK : name === REFER_WORD ? REFER : OTHER;
    case 6:
      if (name === INVITE_WORD) return INVITE;
      if (name === CANCEL_WORD) return CANCEL;
      return name === NOTIFY_WORD ? NOTIFY : name === UPDATE_WORD ? UPDATE : OTHER;
    case 7:
      if (name === OPTIONS_WORD) return OPTIONS;
      return name === PUBLISH_WORD ? PUBLISH : name === MESSAGE_WORD ? MESSAGE : OTHER;
    case 8:
      return name === REGISTER_WORD ? REGISTER : OTHER;
    default:
      return name === SUBSCRIB_WORD && load<u8>(start + 8) === LETTER_E ? SUBSCRIBE : OTHER;
  }
}
