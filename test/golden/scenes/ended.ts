/** How calls end: by people, and by programs that say why. */
import { ANSWERED, ends, faulty, healthy, type Scene, talk } from './scene.ts';

/** Talks for so long, and ends with a Reason. */
const ended = (sec: number, reason: string, who = 'B>A'): string =>
  `${ANSWERED}\n${talk(2.3, sec)}\n${ends(sec, who).replace('BYE', `BYE | Reason: ${reason}`)}`;

export const ENDED: readonly Scene[] = [
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
