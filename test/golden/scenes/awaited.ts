/** Scenes that the program gets wrong today, each with its reason. A scene that comes right must leave the list. */
const VISIBLE = 'K1: where media is direct, silence proves nothing; where its path is proven, it does';
const MEANT = 'K2: a recording, a transfer and key presses are no media that stopped';
const BEEP = 'K3: the beep of a mailbox counts, however short';
const PAST = 'K1 and ack-missing: a proxy that asked for no Record-Route sees neither ACK nor media';
const LOSER = 'K5: a phone that another one was quicker than has no caller who gave up';
const TIMER = 'K5: a proxy whose timer ends the attempt is no caller who gave up';
const CLOCK = 'K6: the clock of the capturing host was set';
const SHORTENED = 'K7: a registrar may shorten what a phone asks for';
const NAMESAKE = 'K9: an o= line alone does not make two calls one';
const ASTRAY = 'K10: a callee that repeats its answer has no ACK, whoever sent one';
const NAMES = 'J14: reports may name another stream than their socket sends';

export const AWAITED: Readonly<Record<string, string>> = {
  'checks-unanswered': VISIBLE,
  'direct-media-beside-relayed': VISIBLE,
  'direct-media-from-the-start': VISIBLE,
  'past-a-proxy': PAST,
  'mailbox-records': MEANT,
  'mailbox-short-beep': BEEP,
  'mailbox-ends-the-call': MEANT,
  'mailbox-diverted-to': MEANT,
  'mailbox-listened-to': MEANT,
  'long-recorder-without-a-name': MEANT,
  'beep-without-a-name': BEEP,
  'transfer-blind': MEANT,
  'transfer-kept-open': MEANT,
  'ring-group-loser': LOSER,
  'ring-group-two-losers': LOSER,
  'ring-group-answered-elsewhere': LOSER,
  'nobody-answers-in-time': TIMER,
  'clock-forward-a-little': CLOCK,
  'clock-steps-twice': CLOCK,
  'granted-a-second-less': SHORTENED,
  'shortened-by-a-border-controller': SHORTENED,
  'shortened-to-half': SHORTENED,
  'silent-beside-its-namesake': NAMESAKE,
  'ack-goes-astray': ASTRAY,
  'reports-name-another-ssrc': NAMES,
};
