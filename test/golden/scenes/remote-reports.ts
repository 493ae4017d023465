/** What the far end reports of what it hears: nothing any more, nothing ever, or only seemingly so. */
import { ANSWERED, ends, faulty, healthy, type Scene, talk } from './scene.ts';

const TALK = `${ANSWERED}\n${talk(2.3, 60)}`;

const deaf = (name: string, note: string, lines: string, more = ''): Scene =>
  faulty(name, `remote-hears-nothing${more}`, note, `${TALK}\n${lines}\n${ends(60)}`);

const hears = (name: string, note: string, table: string): Scene => healthy(name, note, `${table}\n${ends(60)}`);

export const REMOTE_REPORTS: readonly Scene[] = [
  deaf('callee-stops-hearing', 'from second 20 on', '5-60 B>A rtcp hears=A moves=20'),
  deaf('caller-stops-hearing', 'from second 30 on', '5-60 A>B rtcp hears=B moves=30'),
  deaf(
    'both-stop-hearing',
    'a link behind the capture fails',
    '5-60 A>B rtcp hears=B moves=30\n6-60 B>A rtcp hears=A moves=30',
  ),
  deaf('never-heard', 'one packet came before the firewall closed', '5-60 B>A rtcp hears=A lost=1'),
  deaf('never-heard-and-counted', 'all that was sent is lost', '5-60 B>A rtcp hears=A lost=2800', ', hint:remote-loss'),
  deaf('deaf-on-one-socket', 'RTCP between the sockets of the media', '5-60 B>A rtcp hears=A moves=20 mux'),
  faulty(
    'never-heard-in-a-short-call',
    'remote-hears-nothing',
    'three reports in ten seconds',
    `${ANSWERED}\n${talk(2.3, 16)}\n4-15 B>A rtcp hears=A lost=1\n${ends(16)}`,
  ),
  deaf('never-heard-from-zero', 'a receiver that counts from zero, and one lost', '5-60 B>A rtcp hears=A zeros lost=1'),
  hears('reports-move', 'all is heard', `${TALK}\n5-60 A>B rtcp hears=B moves\n6-60 B>A rtcp hears=A moves`),
  hears('reports-of-zeros', 'a client that never counts', `${TALK}\n5-60 B>A rtcp hears=A zeros`),
  hears('reports-that-never-change', 'the same figures from the first on', `${TALK}\n5-60 B>A rtcp hears=A`),
  hears(
    'deaf-for-a-moment',
    'one report stands, the next one moves',
    `${TALK}\n5-24 B>A rtcp hears=A moves=15\n25-60 B>A rtcp hears=A moves`,
  ),
  hears('two-last-reports-stand', 'the end of the call is near', `${TALK}\n5-60 B>A rtcp hears=A moves=50`),
  hears(
    'two-receivers-report',
    'a bridge passes on the reports of a second listener, who left',
    `${TALK}\n5-60 B>A rtcp hears=A moves\n6-60 B>A rtcp ssrc=other hears=A moves=20`,
  ),
  hears(
    'reports-on-who-is-silent',
    'the caller suppresses silence; the reports are of its pauses',
    `${ANSWERED}\n2.3-60 A>B spurts\n2.3-60 B>A rtp\n5-60 B>A rtcp hears=A moves=40`,
  ),
  hears(
    'reports-on-an-ssrc-that-ended',
    'the caller took another one; the callee goes on reporting the first',
    `${ANSWERED}\n2.3-20 A>B rtp\n20-60 A>B rtp ssrc=second\n2.3-60 B>A rtp\n5-60 B>A rtcp hears=A moves=20`,
  ),
  hears(
    'reports-while-held',
    'the music goes to a bridge, which does not pass it on',
    `${TALK}
    20    A>B INVITE sdp sendonly
    20.02 B>A 200 sdp recvonly
    20.04 A>B ACK
    5-60  B>A rtcp hears=A moves=20`,
  ),
  hears(
    'reports-in-the-first-hold-seen',
    'the capture begins while they talk, and the hold is what it sees first',
    `
    tap 10-60
    ${TALK}
    20    A>B INVITE sdp sendonly
    20.02 B>A 200 sdp recvonly
    20.04 A>B ACK
    5-60  B>A rtcp hears=A moves=20`,
  ),
  hears(
    'copied-reports',
    'a mirror shows two reports twice',
    `copies 2 0.004\n${TALK}\n5-60 B>A rtcp hears=A moves=50`,
  ),
];
