/** Scenes that the program gets wrong today, each with its reason. A scene that comes right must leave the list. */
const VISIBLE = 'K1: where media is direct, silence proves nothing; where its path is proven, it does';
const MEANT = 'K2: a recording, a transfer and key presses are no media that stopped';

export const AWAITED: Readonly<Record<string, string>> = {
  'direct-media-beside-relayed': VISIBLE,
  'direct-media-from-the-start': VISIBLE,
  'transfer-blind': MEANT,
  'transfer-kept-open': MEANT,
};
