/**
 * What hands that know other tools write into a filter (sngrep, tcpdump, tshark, SQL), and how it is written here. Operators that
 * mean one thing are read as ours; for the rest an error says what to write.
 */
import type { Operator } from './filter.ts';

/** Names that other tools and our own columns have for a key. */
const NAMES: Readonly<Record<string, string>> = {
  ...{ 'sip.method': 'method', 'sip.cseq.method': 'method', request: 'method' },
  ...{ 'sip.from': 'from', 'sip.from.user': 'from', sipfrom: 'from', caller: 'from', calling: 'from', ani: 'from' },
  ...{ 'sip.to': 'to', 'sip.to.user': 'to', sipto: 'to', callee: 'to', called: 'to', dnis: 'to' },
  ...{
    from_user: 'from',
    to_user: 'to',
    from_domain: 'domain',
    to_domain: 'domain',
    phone: 'number',
    ruri_user: 'number',
  },
  ...{ 'sip.call-id': 'callid', 'sip.callid': 'callid', 'call-id': 'callid', call_id: 'callid', id: 'callid' },
  ...{ 'sip.status-code': 'code', 'sip.response': 'code', status: 'code', response: 'code', final_status_code: 'code' },
  ...{ 'sip.status-line': 'reason', error: 'reason', cause: 'reason' },
  ...{ 'sip.user-agent': 'ua', 'user-agent': 'ua', useragent: 'ua', user_agent: 'ua', agent: 'ua', server: 'ua' },
  ...{ 'sip.contact.uri': 'contact', 'sip.contact': 'contact', 'sip.r-uri': 'ruri', 'sip.ruri': 'ruri', uri: 'ruri' },
  ...{ 'ip.addr': 'ip', 'ipv6.addr': 'ip', 'ip.host': 'ip', addr: 'ip', address: 'ip', net: 'ip', ipaddr: 'ip' },
  ...{ 'ip.src': 'src', 'ipv6.src': 'src', source: 'src', srcip: 'src', src_ip: 'src' },
  ...{ 'ip.dst': 'dst', 'ipv6.dst': 'dst', destination: 'dst', dstip: 'dst', dst_ip: 'dst', dest: 'dst' },
  ...{ 'udp.port': 'port', 'tcp.port': 'port', sport: 'port', dport: 'port', srcport: 'port', dstport: 'port' },
  ...{ 'udp.srcport': 'port', 'udp.dstport': 'port', 'tcp.srcport': 'port', 'tcp.dstport': 'port' },
  ...{
    'rtp.ssrc': 'ssrc',
    'rtp.p_type': 'codec',
    payload: 'text',
    'frame.time': 'since',
    time: 'since',
    after: 'since',
  },
  ...{ created_at: 'since', before: 'until', proto: 'transport', protocol: 'transport', 'ip.proto': 'transport' },
  ...{ mos_worst: 'mos', mos_min: 'mos', loss_pct: 'loss', loss_pct_max: 'loss', packet_loss: 'loss' },
  ...{ jitter_ms: 'jitter', jitter_ms_max: 'jitter', pdd_ms: 'pdd', setup_ms: 'setup', duration_sec: 'duration' },
  ...{ length: 'duration', hangup: 'ended-by', ended_by: 'ended-by', findings: 'finding', problem: 'finding' },
  ...{ carrier: 'trunk', peer: 'trunk', gateway: 'trunk', header: 'header.NAME' },
};

/** The key that a foreign name means; null where it is none. */
export function foreignKey(name: string): string | null {
  return Object.hasOwn(NAMES, name.toLowerCase()) ? (NAMES[name.toLowerCase()] ?? null) : null;
}

/** Operators as people write them, the longest first, and what they are here. */
const WRITTEN: readonly (readonly [written: string, operator: Operator, isNegated: boolean, isExpression: boolean])[] =
  [
    ['!=', '=', true, false],
    ['==', '=', false, false],
    ['=~', ':', false, true],
    ['!~', ':', true, true],
    ['<=', '<=', false, false],
    ['>=', '>=', false, false],
    [':', ':', false, false],
    ['=', '=', false, false],
    ['<', '<', false, false],
    ['>', '>', false, false],
  ];
export type WrittenOperator = {
  readonly written: string;
  readonly operator: Operator;
  readonly isNegated: boolean;
  readonly isExpression: boolean;
};

/** The operator that begins there; null where none does. */
export function operatorAt(text: string, at: number): WrittenOperator | null {
  const found = WRITTEN.find(([written]) => text.startsWith(written, at));
  if (found === undefined) return null;
  const [written, operator, isNegated, isExpression] = found;
  return { written, operator, isNegated, isExpression };
}

/** Words between a key and a value, and how the term begins here. */
const VERBS: Readonly<Record<string, string>> = {
  ...{
    is: '=',
    equals: '=',
    eq: '=',
    ne: '=',
    not: '=',
    in: ':',
    like: ':*',
    contains: ':*',
    has: ':*',
    matches: ':~',
  },
  ...{ lt: '<', le: '<=', gt: '>', ge: '>=', under: '<', below: '<', over: '>', above: '>' },
};

/** How a term is written whose key stood alone: `key` is the key here, `rest` what follows it. */
export function termMeant(key: string, rest: string): string {
  const words = rest.split(/\s+/);
  let isNegated = false;
  let begin = '';
  for (const [i, word] of words.entries()) {
    const verb = word.toLowerCase();
    if (!Object.hasOwn(VERBS, verb))
      return `${isNegated ? '-' : ''}${key}${begin === '' && i === 0 ? ':' : begin}${word}`;
    isNegated ||= verb === 'ne' || verb === 'not';
    begin = VERBS[verb] ?? '';
  }
  return `${key}${begin}VALUE`;
}

/** How a value is written that is none here; null where nothing is wrong with it. */
export function valueMeant(key: string | null, value: string): string | null {
  const term = (text: string): string => (key === null ? text : `${key}:${text}`);
  const single = /^'(.+)'$/.exec(value)?.[1];
  if (single !== undefined) return `quote with ", not with '; write ${term(`"${single}"`)}`;
  const slashes = /^\/(.+)\/i?$/.exec(value)?.[1];
  if (slashes !== undefined) return `an expression begins with ~; write ${term(`~${slashes}`)}`;
  const percent = /^%(.*?)%?$|^(.+)%$/.exec(value);
  if (percent !== null && key !== null && !/^\d/.test(value))
    return `a star stands for any text; write ${term(`*${percent[1] ?? percent[2] ?? ''}`)}`;
  const ordered = /^(<=|>=|[<>])(\d.*)$/.exec(value);
  if (ordered !== null && key !== null) return `write ${key}${ordered[1]}${ordered[2]}`;
  if (ordered !== null) return `a key is missing before ${ordered[1]}; write mos<3.6, for example`;
  return null;
}
