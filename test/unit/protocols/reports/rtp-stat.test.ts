/** Headers of statistics as vendors document them; figures and addresses are ours. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { QualityReport } from '../../../../src/protocols/reports/quality-report.ts';
import type { StatHeader } from '../../../../src/protocols/reports/rtp-stat.ts';
import { parseRtpStat, statHeaders } from '../../../../src/protocols/reports/rtp-stat.ts';
import { scanSip } from '../../../../src/protocols/sip/scanner/scan.ts';

function headersOf(lines: readonly string[]): StatHeader[] {
  const text = ['BYE sip:a@192.0.2.1 SIP/2.0', 'Call-ID: c', ...lines, 'User-Agent: x', '', ''].join('\r\n');
  const bytes = Buffer.from(text);
  return statHeaders(bytes, scanSip(bytes, 0, bytes.length));
}

const SHAPES: readonly (readonly [name: string, lines: readonly string[], told: Partial<QualityReport>])[] = [
  [
    'an analog adapter',
    ['P-RTP-Stat: PS=1100,OS=176000,PR=950,OR=152000,PL=50,JI=7,LA=20,DU=22,EN=G711u,DE=G711u'],
    {
      heard: { packets: 950, lost: 50, jitterMs: 7, lossPct: 5 },
      sent: { packets: 1100 },
      codec: 'G711u',
      own: [['LA', '20']],
    },
  ],
  [
    'an adapter that sent nothing',
    ['P-RTP-Stat: PS=0,OS=0,PR=5429,OR=955504,PL=0,JI=0,LA=0,DU=108'],
    {
      heard: { packets: 5429, lost: 0, jitterMs: 0, lossPct: 0 },
    },
  ],
  [
    'a gateway of semicolons, one of them twice',
    ['X-RTP-Stat:', ' PS=207;OS=49680;;PR=300;OR=48000;PL=100;JI=600;LA=40;'],
    {
      heard: { packets: 300, lost: 100, jitterMs: 600, lossPct: 25 },
      sent: { packets: 207 },
    },
  ],
  [
    'a large gateway of both ways',
    ['X-RTP-Stat: PR=0;ER=0;PL=0;RB=0/0;DE=PCMU;EN=PCMU;JI=0;DL=0,0;IP=192.0.2.33:16384,192.0.2.200:20048'],
    {
      heard: { packets: 0, lost: 0, jitterMs: 0 },
      local: { address: '192.0.2.33', port: 16_384, ssrc: null },
      remote: { address: '192.0.2.200', port: 20_048, ssrc: null },
    },
  ],
  [
    'a soft phone: pairs of received and sent, jitter in units of the RTP clock',
    [
      'X-RTP-Stat: EX=BareSip;CS=0;CD=40;PR=1950;PS=2000;PL=50,20;PD=3,0;JI=8.0,24.0;IP=192.0.2.15:10120,192.0.2.16:10130;EN=PCMU/8000;DE=PCMU/8000',
    ],
    {
      user: 'BareSip',
      heard: { packets: 1950, lost: 50, discarded: 3, jitterMs: 1, lossPct: 2.5, discardPct: 0.15 },
      sent: { packets: 2000, lost: 20, discarded: 0, jitterMs: 3, lossPct: 1 },
      local: { address: '192.0.2.15', port: 10_120, ssrc: null },
    },
  ],
  [
    'a soft phone with opus',
    [
      'X-RTP-Stat: EX=BareSip;PR=250;PS=250;PL=0,0;PD=0,0;JI=60.0,96.0;IP=0.0.0.0:12072,192.0.2.10:10002;EN=opus/48000;DE=opus/48000',
    ],
    { heard: { packets: 250, lost: 0, discarded: 0, jitterMs: 1.25, lossPct: 0, discardPct: 0 } },
  ],
  [
    'a router at home',
    [
      'X-RTP-Stat: CS=0;PS=161;ES=161;OS=25760;SP=0/0;SO=0;QS=-;PR=158;ER=158;OR=25280;CR=0;SR=0;QR=-;PL=2,1;BL=0;EN=PCMA;DE=PCMA;JI=16,8',
    ],
    {
      heard: { packets: 158, lost: 2, jitterMs: 2, lossPct: 1.25 },
      codec: 'PCMA',
    },
  ],
  [
    'an adapter with a MOS of its own',
    ['X-RTP-Stat:PS=1234,OS=34560,PR=1236,OR=24720,JI=1,DU=1230,PL=0,EN=G711U,DE=G711U,MOS=4.0'],
    {
      heard: { packets: 1236, jitterMs: 1, lost: 0, lossPct: 0, mosLq: 4 },
    },
  ],
  [
    'a media server in words, a round trip in microseconds',
    ['X-RTP-Stat: MOS=3.8;Jitter=7;PacketLossPct=2.5;RTT=260682;RTPStat=RTP: 258452 bytes, 1509 packets, 0 errors'],
    {
      heard: { mosLq: 3.8, jitterMs: 7, lossPct: 2.5 },
    },
  ],
  [
    'a communication server',
    ['X-Siemens-RTP-stats: TB=1;TE=2;IPL=192.0.2.1;PTL=4;PR=661;JI=3;LA=1;PL=0;PD=0;PS=662;OS=105920;EN=8;DE=8'],
    {
      heard: { packets: 661, jitterMs: 3, lost: 0, discarded: 0, lossPct: 0, discardPct: 0 },
      sent: { packets: 662 },
    },
  ],
  [
    'the same as a list',
    ['X-Siemens-RTP-stats-list: MT=0;PS=662;OS=105920;PR=661;OR=105760;PL=0;JI=0;LA=1;SS=0;EN=8;DE=8;IE=00'],
    {
      heard: { packets: 661, lost: 0, jitterMs: 0, lossPct: 0 },
    },
  ],
  [
    'a desk phone with a header for each way',
    [
      'RTP-RxStat: Dur=13,Pkt=627,Oct=113004,LatePkt=3,LostPkt=30,AvgJit=1.5,VQMetrics="MLQK=4.1000;MLQKav=4.2;CCR=0.0055;VoRxCodec=PCMU;maxJitter=9"',
      'RTP-TxStat: Dur=13,Pkt=658,Oct=105280',
    ],
    {
      heard: {
        packets: 627,
        discarded: 3,
        lost: 30,
        jitterMs: 1.5,
        mosLq: 4.1,
        jitterMaxMs: 9,
        lossPct: 4.5662100456621,
        discardPct: 0.45662100456621,
      },
      sent: { packets: 658 },
      codec: 'PCMU',
    },
  ],
  [
    'one that received alone',
    ['rtp-rxstat: Dur=10,Pkt=454,Oct=72640,LostPkt=0,AvgJit=0.185022,VqMetrics="CS=0;SCS=0"'],
    {
      heard: { packets: 454, lost: 0, jitterMs: 0.185022, lossPct: 0 },
    },
  ],
  [
    'another desk phone',
    [
      'RTP-RxStat: Total_Rx_Pkts=990,Rx_Pkts=990,Rx_Pkts_Lost=10,Remote_Rx_Pkts_Lost=5',
      'RTP-TxStat: Total_Tx_Pkts=1000,Tx_Pkts=1000,Remote_Tx_Pkts=995',
    ],
    {
      heard: { packets: 990, lost: 10, lossPct: 1 },
      sent: { packets: 1000, lost: 5, lossPct: 0.5 },
    },
  ],
  [
    'capitals and blanks',
    ['p-rtp-stat:  ps = 10 , pr = 8 , pl = 2 , ji = 1'],
    {
      heard: { packets: 8, lost: 2, jitterMs: 1, lossPct: 20 },
      sent: { packets: 10 },
    },
  ],
];

for (const [name, lines, told] of SHAPES) {
  test(`read: ${name}`, () => {
    const headers = headersOf(lines);
    assert.equal(headers.length, lines.filter((line) => !line.startsWith(' ')).length);
    const parsed = parseRtpStat(headers);
    assert.ok(parsed.ok);
    for (const [key, value] of Object.entries(told))
      assert.deepEqual(parsed.value[key as keyof QualityReport], value, key);
  });
}

test('with those of vq-rtcpxr they are twenty shapes', () => assert.ok(SHAPES.length + 6 >= 20));

test('a header of nothing, of wrong numbers or of too much is refused', () => {
  const refused = (...lines: string[]): string => {
    const parsed = parseRtpStat(headersOf(lines));
    return parsed.ok ? 'read' : parsed.reason;
  };
  assert.equal(refused('P-RTP-Stat: '), 'no_figures');
  assert.equal(refused('P-RTP-Stat: PR=-5,PL=1e9,JI=NaN,PS=99999999999999'), 'no_figures');
  assert.equal(refused(`X-RTP-Stat: PR=5;${'A=1;'.repeat(10_000)}`), 'too_long');
  assert.deepEqual(headersOf(['X-RTP-Statx: PR=5', 'Y-RTP-Stat: PR=5']), []);
});
