/** How calls end: by people, and by programs that say why. */
import { ANSWERED, ends, faulty, healthy, type Scene, talk } from './scene.ts';

/** Talks for so long, and ends with a Reason. */
const ended = (sec: number, reason: string, who = 'B>A'): string =>
  `${ANSWERED}\n${talk(2.3, sec)}\n${ends(sec, who).replace('BYE', `BYE | Reason: ${reason}`)}`;

/** Answered with a session timer. */
const timed = (expires: string, rest: string): string =>
  `${ANSWERED.replace('200 sdp', `200 sdp | Session-Expires: ${expires}`)}\n${rest}`;
const hungUp = (sec: number, who = 'B>A'): string => `${talk(2.3, sec)}\n${ends(sec, who)}`;
const refreshed = (sec: number, method: string, code = '200', expires = '90;refresher=uac', who = 'A>B'): string => {
  const [from, to] = who.split('>');
  const ack = method === 'INVITE' ? `\n${sec + 0.05} ${from}>${to} ACK` : '';
  const header = code === '200' && expires !== '' ? ` | Session-Expires: ${expires}` : '';
  const body = method === 'INVITE' ? ' sdp' : '';
  return `${sec} ${from}>${to} ${method}${body}\n${sec + 0.02} ${to}>${from} ${code}${code === '200' ? body : ''}${header}${ack}\n`;
};

export const ENDED: readonly Scene[] = [
  faulty('session-not-refreshed', 'ended-by-cause', 'the caller should have', timed('90;refresher=uac', hungUp(82.2))),
  faulty(
    'session-not-refreshed-by-callee',
    'ended-by-cause',
    'the callee should have; the caller ends 32 s before the end',
    timed('120;refresher=uas', hungUp(90.4, 'A>B')),
  ),
  faulty(
    'session-run-out',
    'ended-by-cause',
    'the other side waits until the very end',
    timed('90 ; refresher=UAC', hungUp(92.5)),
  ),
  faulty(
    'session-refreshed-once',
    'ended-by-cause',
    'the second refresh never comes',
    timed('90;refresher=uac', `${refreshed(47, 'INVITE')}${hungUp(117)}`),
  ),
  faulty(
    'session-refreshed-by-update',
    'ended-by-cause',
    'the callee refreshed once, and never again',
    timed('90;refresher=uas', `${refreshed(47, 'UPDATE', '200', '90;refresher=uac', 'B>A')}${hungUp(112, 'A>B')}`),
  ),
  healthy('session-refreshed', 'at half time', timed('90;refresher=uac', `${refreshed(47, 'INVITE')}${hungUp(82.2)}`)),
  healthy(
    'session-refreshed-with-update',
    'by UPDATE',
    timed('90;refresher=uac', `${refreshed(47, 'UPDATE')}${hungUp(82.2)}`),
  ),
  healthy('session-ended-by-refresher', 'who should refresh hangs up', timed('90;refresher=uac', hungUp(82.2, 'A>B'))),
  healthy('session-ended-before', 'a short talk', timed('90;refresher=uac', hungUp(50))),
  healthy('session-ended-long-after', 'nobody minds', timed('90;refresher=uac', hungUp(110))),
  healthy('session-of-nobody', 'no refresher is named', timed('90', hungUp(82.2))),
  healthy(
    'session-timer-given-up',
    'the refresh agrees on none any more',
    timed('90;refresher=uac', `${refreshed(47, 'INVITE', '200', '')}${hungUp(129)}`),
  ),
  healthy(
    'session-offered-alone',
    'the callee knows no session timers',
    `${ANSWERED.replace('INVITE sdp', 'INVITE sdp | Session-Expires: 90;refresher=uac')}\n${hungUp(82.2)}`,
  ),
  faulty(
    'ended-by-network',
    'ended-by-cause',
    'the network fails',
    ended(20, 'Q.850;cause=41;text="Temporary failure"'),
  ),
  faulty('ended-by-caller-side', 'ended-by-cause', 'the network of the caller', ended(20, 'Q.850;cause=38', 'A>B')),
  faulty(
    'ended-by-rtp-timeout',
    'ended-by-cause',
    'a PBX heard nothing; it says so with a normal cause',
    ended(20, 'Q.850;cause=16;text="RTP Timeout"'),
  ),
  faulty(
    'ended-by-media-timeout',
    'ended-by-cause',
    'in the words of a switch',
    ended(9, 'Q.850;cause=604;text="MEDIA_TIMEOUT"'),
  ),
  faulty(
    'ended-by-session-timer',
    'ended-by-cause',
    'nobody refreshed',
    ended(90, 'SIP;cause=408;text="Session Timer Expired"'),
  ),
  faulty('ended-by-server-fault', 'ended-by-cause', 'a server stops', ended(30, 'SIP;cause=503, Q.850;cause=16')),
  healthy(
    'ended-normally',
    'a gateway that says that all is well',
    ended(20, 'Q.850;cause=16;text="Normal call clearing"'),
  ),
  healthy('ended-unspecified', 'a normal end without more', ended(20, 'Q.850;cause=31')),
  healthy(
    'ended-interworking',
    'the other network gave no cause',
    ended(20, 'Q.850;cause=127;text="Interworking, unspecified"'),
  ),
  healthy('ended-by-user-words', 'a phone in its own words', ended(20, 'SIP;cause=200;text="User Hung Up"')),
  healthy('ended-by-pickup', 'the leg of a transfer', ended(20, 'SIP;cause=200;text="Call completed elsewhere"')),
  healthy('ended-as-moved', 'a switch that moved the party', ended(20, 'FreeSWITCH;cause=600;text="BLIND_TRANSFER"')),
  healthy('ended-busy-leg', 'a far leg was busy after an announcement', ended(20, 'Q.850;cause=17;text="User busy"')),
];
