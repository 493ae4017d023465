/**
 * What tshark makes of the packets of a test run, taken on the same interface at the same time: the reading that
 * calltap's is compared with, so that a busy machine delays both alike.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

export type WireMessage = {
  readonly atMs: number;
  readonly callId: string;
  /** Empty in a response. */
  readonly method: string;
  /** 0 in a request. */
  readonly status: number;
  readonly cseq: number;
  readonly cseqMethod: string;
};

function tshark(args: readonly string[]): string {
  const done = spawnSync('tshark', ['-n', ...args], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  assert.equal(done.status, 0, done.stderr);
  return done.stdout;
}

const FIELDS = ['frame.time_epoch', 'sip.Call-ID', 'sip.Method', 'sip.Status-Code', 'sip.CSeq.seq', 'sip.CSeq.method'];

/** SIP messages on these ports, in order. */
export function wireMessages(file: string, ports: readonly number[]): WireMessage[] {
  const decode = ports.flatMap((p) => ['-d', `udp.port==${p},sip`, '-d', `tcp.port==${p},sip`]);
  const fields = FIELDS.flatMap((f) => ['-e', f]);
  const out = tshark(['-r', file, ...decode, '-Y', 'sip', '-T', 'fields', '-E', 'separator=|', ...fields]);
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [at = '', callId = '', method = '', status = '', cseq = '', cseqMethod = ''] = line.split('|');
      return {
        atMs: Number(at) * 1000,
        callId,
        method,
        status: Number(status === '' ? 0 : status),
        cseq: Number(cseq),
        cseqMethod,
      };
    });
}

export type WireStream = {
  readonly src: string;
  readonly dst: string;
  readonly packets: number;
  readonly lost: number;
  /** The longest time between two packets. */
  readonly longestMs: number;
};

/** RTP streams between ports from 10,000 on. */
export function wireStreams(file: string): WireStream[] {
  const out = tshark(['-r', file, '-q', '-o', 'rtp.heuristic_rtp:TRUE', '-z', 'rtp,streams']);
  const row =
    /^\s*[\d.]+\s+[\d.]+\s+(\S+)\s+(\d+)\s+(\S+)\s+(\d+)\s+0x[0-9A-Fa-f]+\s+\S+\s+(\d+)\s+(-?\d+)\s+\(\S+\)\s+\S+\s+\S+\s+(\S+)/;
  return out.split('\n').flatMap((line) => {
    const [, src = '', srcPort = '', dst = '', dstPort = '', packets = '', lost = '', longest = ''] =
      row.exec(line) ?? [];
    if (src === '') return [];
    const name = (address: string, port: string) => `${address.includes(':') ? `[${address}]` : address}:${port}`;
    return [
      {
        src: name(src, srcPort),
        dst: name(dst, dstPort),
        packets: Number(packets),
        lost: Number(lost),
        longestMs: Number(longest),
      },
    ];
  });
}

/** Durations as the dialog document names them, of a call without a fork. */
export function wireTiming(messages: readonly WireMessage[]): Record<string, number> {
  const first = (is: (m: WireMessage) => boolean) => messages.find(is)?.atMs ?? Number.NaN;
  const ok = messages.find((m) => m.status >= 200 && m.status < 300 && m.cseqMethod === 'INVITE');
  const anchor = ok?.cseq ?? messages.find((m) => m.method === 'INVITE')?.cseq;
  const ofInvite = (m: WireMessage) => m.cseqMethod === 'INVITE' && m.cseq === anchor;
  const invite = first((m) => m.method === 'INVITE' && m.cseq === anchor);
  const ringing = first((m) => ofInvite(m) && m.status >= 180 && m.status < 190);
  const final = first((m) => ofInvite(m) && m.status >= 200);
  const answered = ok?.atMs ?? Number.NaN;
  const bye = first((m) => m.method === 'BYE');
  const all: Record<string, number> = {
    pdd_ms: (Number.isNaN(ringing) ? final : ringing) - invite,
    setup_ms: answered - invite,
    ring_ms: answered - ringing,
    trying_delay_ms: first((m) => ofInvite(m) && m.status === 100) - invite,
    teardown_ms: first((m) => m.cseqMethod === 'BYE' && m.status >= 200) - bye,
  };
  return Object.fromEntries(Object.entries(all).filter(([, ms]) => !Number.isNaN(ms)));
}

export type WirePacket = {
  /** Number of the frame in the file, from 1. */
  readonly frame: number;
  readonly atSec: number;
  readonly srcPort: number;
  /** Counted on past 2^32 in the order of the file. */
  readonly timestamp: number;
};

/** RTP packets of ports from those given on, 40 of each, in the order of the file. */
export function wirePackets(file: string, ports: readonly number[]): WirePacket[] {
  const decode = ports.flatMap((p) => ['-d', `udp.port==${p}-${p + 39},rtp`]);
  const fields = ['frame.number', 'frame.time_epoch', 'udp.srcport', 'rtp.timestamp'].flatMap((f) => ['-e', f]);
  // RTCP lies between: version 2 as well, and types from 200 on.
  const out = tshark([
    '-r',
    file,
    ...decode,
    '-Y',
    'rtp && !rtcp && (rtp.p_type < 64 || rtp.p_type > 95)',
    '-T',
    'fields',
    ...fields,
  ]);
  const first = new Map<number, number>();
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [frame = Number.NaN, atSec = Number.NaN, srcPort = Number.NaN, timestamp = Number.NaN] = line
        .split('\t')
        .map(Number);
      const base = first.get(srcPort) ?? timestamp;
      first.set(srcPort, base);
      return { frame, atSec, srcPort, timestamp: base + ((timestamp - base) | 0) };
    });
}
