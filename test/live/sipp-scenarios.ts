/**
 * Scenarios for SIPp, both sides of each call, in its XML: what the peers of the live tests say to each other.
 */

/** SIPp ends lines as SIP does. */
const textOf = (lines: readonly string[]): string => lines.join('\n');

function sdp(user: string, mode = 'sendrecv'): string {
  return textOf([
    'v=0',
    `o=${user} 1 1 IN IP[local_ip_type] [local_ip]`,
    's=-',
    'c=IN IP[media_ip_type] [media_ip]',
    't=0 0',
    'm=audio [rtpstream_audio_port] RTP/AVP 0',
    'a=rtpmap:0 PCMU/8000',
    'a=ptime:20',
    `a=${mode}`,
    '',
  ]);
}

function send(lines: readonly string[], body: string, retrans: boolean): string {
  const typed = body.startsWith('v=0') ? ['Content-Type: application/sdp'] : [];
  const text = textOf([...lines, ...typed, 'Content-Length: [len]', '', body]);
  return `<send${retrans ? ' retrans="500"' : ''}><![CDATA[\n${text}\n]]></send>\n`;
}

type RequestOptions = { body?: string; headers?: readonly string[]; inDialog?: boolean };

/** A request of the caller. */
function request(method: string, cseq: number, o: RequestOptions = {}): string {
  const uri = o.inDialog === true ? '[next_url]' : 'sip:bob@[remote_ip]:[remote_port]';
  return send(
    [
      `${method} ${uri} SIP/2.0`,
      'Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]',
      'From: <sip:alice@[local_ip]:[local_port]>;tag=[pid]a[call_number]',
      `To: <sip:bob@[remote_ip]:[remote_port]>${o.inDialog === true ? '[peer_tag_param]' : ''}`,
      'Call-ID: [call_id]',
      `CSeq: ${cseq} ${method}`,
      'Contact: <sip:alice@[local_ip]:[local_port];transport=[transport]>',
      'Max-Forwards: 70',
      ...(o.inDialog === true ? ['[routes]'] : []),
      ...(o.headers ?? []),
    ],
    o.body ?? '',
    method !== 'ACK',
  );
}

/** Within the transaction that was answered last: its own Via (RFC 3261 9.1, 17.1.1.3). */
function sameTransaction(method: 'ACK' | 'CANCEL', cseq: number): string {
  return send(
    [
      `${method} sip:bob@[remote_ip]:[remote_port] SIP/2.0`,
      '[last_Via:]',
      '[last_From:]',
      method === 'ACK' ? '[last_To:]' : 'To: <sip:bob@[remote_ip]:[remote_port]>',
      'Call-ID: [call_id]',
      `CSeq: ${cseq} ${method}`,
      'Max-Forwards: 70',
    ],
    '',
    method === 'CANCEL',
  );
}

type ResponseOptions = { body?: string; headers?: readonly string[]; cseq?: string; isTagged?: boolean };

/** A response of the callee to what it received last. */
function respond(status: string, o: ResponseOptions = {}): string {
  return send(
    [
      `SIP/2.0 ${status}`,
      '[last_Via:]',
      '[last_From:]',
      `[last_To:]${o.isTagged === true ? '' : ';tag=[pid]b[call_number]'}`,
      '[last_Call-ID:]',
      o.cseq === undefined ? '[last_CSeq:]' : `CSeq: ${o.cseq}`,
      '[last_Record-Route:]',
      'Contact: <sip:bob@[local_ip]:[local_port];transport=[transport]>',
      ...(o.headers ?? []),
    ],
    o.body ?? '',
    // Finals of an INVITE are sent until an ACK comes; those of other transactions when they are asked for again.
    (o.cseq ?? '').endsWith('INVITE') || (o.body ?? '') !== '',
  );
}

const got = (method: string, inside = ''): string => `<recv request="${method}" rrs="true">${inside}</recv>\n`;
const came = (status: number, more = ''): string => `<recv response="${status}" rrs="true" ${more}/>\n`;
const perhaps = (...list: readonly number[]): string => list.map((s) => came(s, 'optional="true"')).join('');
const pause = (ms: number): string => `<pause milliseconds="${ms}"/>\n`;
const play = '<nop><action><exec rtp_stream="tone.ul,-1,0"/></action></nop>\n';
const hush = '<nop><action><exec rtp_stream="pause"/></action></nop>\n';

const invite = (cseq: number, o: RequestOptions = {}): string => request('INVITE', cseq, { body: sdp('alice'), ...o });
const ack = (cseq: number): string => request('ACK', cseq, { inDialog: true });
const bye = (cseq: number): string => request('BYE', cseq, { inDialog: true }) + came(200);
const answer = respond('200 OK', { body: sdp('bob') });
const byeOk = got('BYE') + hush + respond('200 OK', { isTagged: true });

const CHALLENGE = 'Proxy-Authenticate: Digest realm="lab", nonce="[call_number]n", algorithm=MD5';

export type Scenario = { readonly caller: string; readonly callee: string };

function talk(ringMs: number, talkMs: number): Scenario {
  return {
    caller: invite(1) + perhaps(100, 180) + came(200) + ack(1) + play + pause(talkMs) + hush + bye(2),
    callee: got('INVITE') + respond('180 Ringing') + pause(ringMs) + answer + got('ACK') + play + byeOk,
  };
}

/** What scenarios of other files are made of. */
export const STEPS = {
  request,
  invite,
  ack,
  bye,
  byeOk,
  got,
  came,
  perhaps,
  pause,
  play,
  hush,
  respond,
  answer,
  sameTransaction,
  talk,
} as const;

/** By name; every call ends of itself. */
export const SCENARIOS = {
  answered: talk(600, 3000),
  lossy: talk(200, 6000),
  busy: {
    caller: invite(1) + perhaps(100, 180) + came(486) + sameTransaction('ACK', 1),
    callee:
      got('INVITE') + respond('100 Trying') + pause(200) + respond('486 Busy Here', { cseq: '1 INVITE' }) + got('ACK'),
  },
  cancelled: {
    caller:
      invite(1) +
      perhaps(100) +
      came(180) +
      pause(800) +
      sameTransaction('CANCEL', 1) +
      came(200) +
      came(487) +
      sameTransaction('ACK', 1),
    callee:
      got('INVITE') +
      respond('180 Ringing') +
      got('CANCEL') +
      respond('200 OK') +
      respond('487 Request Terminated', { cseq: '1 INVITE' }) +
      got('ACK'),
  },
  challenged: {
    caller:
      invite(1) +
      '<recv response="407" auth="true"/>\n' +
      sameTransaction('ACK', 1) +
      invite(2, { headers: ['[authentication username=alice password=secret]'] }) +
      perhaps(100, 180) +
      came(200) +
      ack(2) +
      pause(500) +
      bye(3),
    callee:
      got('INVITE') +
      respond('407 Proxy Authentication Required', { headers: [CHALLENGE], cseq: '1 INVITE' }) +
      got('ACK') +
      got('INVITE') +
      respond('180 Ringing') +
      pause(300) +
      answer +
      got('ACK') +
      byeOk,
  },
  held: {
    caller:
      invite(1) +
      perhaps(100, 180) +
      came(200) +
      ack(1) +
      pause(500) +
      invite(2, { inDialog: true, body: sdp('alice', 'sendonly') }) +
      came(200) +
      ack(2) +
      pause(500) +
      invite(3, { inDialog: true }) +
      came(200) +
      ack(3) +
      pause(300) +
      bye(4),
    callee:
      got('INVITE') +
      respond('180 Ringing') +
      pause(200) +
      answer +
      got('ACK') +
      got('INVITE') +
      respond('200 OK', { isTagged: true, body: sdp('bob', 'recvonly') }) +
      got('ACK') +
      got('INVITE') +
      respond('200 OK', { isTagged: true, body: sdp('bob') }) +
      got('ACK') +
      byeOk,
  },
  transferred: {
    caller:
      invite(1) +
      perhaps(100, 180) +
      came(200) +
      ack(1) +
      pause(400) +
      request('REFER', 2, { inDialog: true, headers: ['Refer-To: <sip:carol@example.com>'] }) +
      came(202) +
      got('NOTIFY') +
      respond('200 OK', { isTagged: true }) +
      pause(300) +
      bye(3),
    callee:
      got('INVITE', '<action><ereg regexp="tag=.*" search_in="hdr" header="From:" assign_to="peer"/></action>') +
      respond('180 Ringing') +
      pause(200) +
      answer +
      got('ACK') +
      got('REFER') +
      respond('202 Accepted', { isTagged: true }) +
      pause(400) +
      send(
        [
          'NOTIFY [next_url] SIP/2.0',
          'Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]',
          'From: <sip:bob@[local_ip]:[local_port]>;tag=[pid]b[call_number]',
          'To: <sip:alice@[remote_ip]:[remote_port]>;[$peer]',
          'Call-ID: [call_id]',
          'CSeq: 1 NOTIFY',
          'Contact: <sip:bob@[local_ip]:[local_port]>',
          'Event: refer',
          'Subscription-State: terminated;reason=noresource',
          'Max-Forwards: 70',
          'Content-Type: message/sipfrag;version=2.0',
        ],
        'SIP/2.0 200 OK\n',
        true,
      ) +
      came(200) +
      byeOk,
  },
} as const satisfies Readonly<Record<string, Scenario>>;
export type ScenarioName = keyof typeof SCENARIOS;

export function scenarioFile(name: string, steps: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<scenario name="${name}">\n${steps}</scenario>\n`;
}
