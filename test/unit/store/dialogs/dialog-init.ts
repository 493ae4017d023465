/** What a dialog is opened with where a test asks for nothing else: an INVITE, from nobody to nobody. */
import type { DialogInit } from '../../../../src/store/dialogs/dialog.ts';

export function dialogInit(callId: string, more: Partial<DialogInit> = {}): DialogInit {
  return {
    callId,
    methodId: 1,
    methodText: 'INVITE',
    state: 0,
    createdUs: 0,
    arrivalLagUs: 0,
    origin: 0,
    frame: null,
    fromUser: '',
    toUser: '',
    fromDisplay: null,
    toDisplay: null,
    openerTagHash: 0,
    prefix: 0,
    peer: 0,
    ...more,
  };
}
