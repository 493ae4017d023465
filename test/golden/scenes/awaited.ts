/** Scenes that the program gets wrong today, each with its reason. A scene that comes right must leave the list. */
const UNHEARD =
  'the ACK comes past on its way to the callee, who repeats the answer all the same: no finding says so yet';

export const AWAITED: Readonly<Record<string, string>> = {
  'ack-does-not-arrive': UNHEARD,
};
