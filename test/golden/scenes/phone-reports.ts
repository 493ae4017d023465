/** What phones report of what they heard: more loss than was seen here, or only seemingly so. */
import { ANSWERED, ends, faulty, healthy, type Scene, talk } from './scene.ts';

const TALK = `${ANSWERED}\n${talk(2.3, 60)}\n${ends(60)}`;
/** One packet in eight of the caller's never comes here. */
const LOSSY = `${ANSWERED}\n2.3-60 A>B rtp lose=8\n2.3-60 B>A rtp\n${ends(60)}`;

/** A party publishes a report on the call after its end. */
const published = (name: string, figures: string, who = 'B', at = 60.2): string => `
    call report-of-${name} ${who}>S
    ${at}        ${who}>S PUBLISH vq=${name} ${figures} | Event: vq-rtcpxr
    ${at + 0.05} S>${who} 200`;

const lost = (name: string, note: string, table: string): Scene => faulty(name, 'lost-after-tap', note, table);

const BYE_OF = (stat: string, who = 'A>B'): string => {
  const [from, to] = who.split('>');
  return `60 ${from}>${to} BYE | ${stat}\n60.03 ${to}>${from} 200`;
};

export const PHONE_REPORTS: readonly Scene[] = [
  lost(
    'callee-publishes-loss',
    'its wireless link loses what came past here',
    `${TALK}${published('callee-publishes-loss', 'NLR=12.0 JDR=0.5')}`,
  ),
  lost(
    'caller-publishes-loss',
    'the same of the caller',
    `${TALK}${published('caller-publishes-loss', 'NLR=6.5', 'A')}`,
  ),
  lost(
    'proxy-passes-the-report-on',
    'the report comes from the proxy of the call',
    `
    0    A>P INVITE sdp
    0.02 P>B INVITE
    0.3  B>P 180
    0.32 P>A 180
    2.18 B>P 200 sdp
    2.2  P>A 200
    2.3  A>B ACK
    ${talk(2.3, 60)}
    ${ends(60)}${published('proxy-passes-the-report-on', 'NLR=9.0 at=B', 'P')}`,
  ),
  lost(
    'loss-in-a-bye',
    'the caller counts what it got in its BYE',
    `${ANSWERED}\n${talk(2.3, 60)}\n${BYE_OF('P-RTP-Stat: PS=2885,OS=461600,PR=2540,OR=406400,PL=345,JI=5,LA=20,DU=58')}`,
  ),
  lost(
    'loss-in-the-answer-to-a-bye',
    'the callee counts in its 200',
    `${ANSWERED}\n${talk(2.3, 60)}\n60 A>B BYE\n60.03 B>A 200 | RTP-RxStat: Dur=58,Pkt=2596,Oct=415360,LatePkt=2,LostPkt=289,AvgJit=2`,
  ),
  lost('loss-by-extended-reports', 'VoIP metrics of RTCP name 31 of 256', `${TALK}\n5-60 B>A rtcp hears=A moves xr=31`),
  healthy(
    'reports-nothing-lost',
    'as it should be',
    `${TALK}${published('reports-nothing-lost', 'NLR=0.0 JDR=0.0 MOSLQ=4.3')}`,
  ),
  healthy(
    'report-agrees',
    'both saw the same loss',
    `${LOSSY}${published('report-agrees', 'NLR=12.5')}`,
    'packet-loss',
  ),
  healthy(
    'report-is-rounded',
    'one packet in sixty is lost; the phone says 3 %',
    `${ANSWERED}\n2.3-60 A>B rtp lose=60\n2.3-60 B>A rtp\n${ends(60)}${published('report-is-rounded', 'NLR=3')}`,
    'packet-loss',
  ),
  healthy(
    'report-of-the-other-way',
    'the callee passes on what the caller heard of it, which was lost before',
    `${ANSWERED}\n2.3-60 A>B rtp\n2.3-60 B>A rtp lose=8\n${ends(60)}${published('report-of-the-other-way', 'NLR=0.0 remote-NLR=12.5')}`,
    'packet-loss',
  ),
  healthy(
    'report-of-what-was-before-the-capture',
    'the capture begins late: the caller counts more packets than came past',
    `tap 30-70\n${ANSWERED}\n${talk(2.3, 60)}\n${BYE_OF('P-RTP-Stat: PS=2885,OS=461600,PR=2540,OR=406400,PL=345,JI=5')}`,
  ),
  healthy(
    'report-of-a-part',
    'an interval of some seconds was bad',
    `${TALK}${published('report-of-a-part', 'NLR=12.0 interval', 'B', 30)}${published('report-of-a-part', 'NLR=0.6')}`,
  ),
  healthy(
    'report-of-discards',
    'what came too late for the phone is not lost',
    `${TALK}${published('report-of-discards', 'NLR=0.0 JDR=12.0')}`,
  ),
  healthy(
    'report-of-a-stranger',
    'who has no part in the call says that it was bad',
    `${TALK}${published('report-of-a-stranger', 'NLR=50.0 at=B', 'D')}`,
  ),
  healthy(
    'report-of-the-other-party',
    'the caller says that the callee heard it badly',
    `${TALK}${published('report-of-the-other-party', 'NLR=12.0 at=B', 'A')}`,
  ),
  healthy(
    'report-between-two-taps',
    'each packet is seen twice',
    `copies 2 0.004\n${TALK}${published('report-between-two-taps', 'NLR=0.5')}`,
  ),
  healthy(
    'report-says-the-capture-missed-them',
    'a mirror port drops what the phone got: a note says so',
    `${LOSSY}${published('report-says-the-capture-missed-them', 'NLR=0.0')}`,
    'packet-loss',
  ),
  healthy(
    'report-of-a-few-packets',
    'a call of two seconds, three packets lost',
    `${ANSWERED}\n${talk(2.3, 4.3)}\n4.3 A>B BYE | P-RTP-Stat: PS=100,PR=97,PL=3,JI=1\n4.33 B>A 200`,
  ),
];
