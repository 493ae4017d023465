/** Calls whose later messages say what their first one does not: Server, Reason, Contact, P-Asserted-Identity, other sockets. */
import { ALICE, answer, BOB, hangUp } from '../../fixtures/build/basic-call.ts';
import { Capture, EPOCH_US } from '../../fixtures/build/capture.ts';
import type { Party } from '../../fixtures/build/sip-call.ts';
import { SipScript } from '../../fixtures/build/sip-call.ts';

const PHONE: Party = { ...ALICE, agent: 'phone/1' };
const PROXY = { address: '203.0.113.50', port: 5099 };

const CALLS: Readonly<Record<string, (c: SipScript) => void>> = {
  plain: (c) => {
    answer(c, c.request('INVITE', 0), '');
    hangUp(c, 5_000);
  },
  server: (c) => {
    const invite = c.request('INVITE', 0);
    c.respond(invite, 180, 100, { headers: [['Server', 'gateway 7']] });
    c.respond(invite, 486, 200, { headers: [['Warning', '399 gw "all lines busy"']] });
  },
  asserted: (c) => {
    const invite = c.request('INVITE', 0);
    const values = '"Desk" <sip:+4930777@carrier.example>, <tel:+4930778>';
    c.respond(invite, 200, 900, { headers: [['P-Asserted-Identity', values]] });
    c.ack(invite, 200, 950);
    hangUp(c, 2_000);
  },
  contact: (c) => {
    const invite = c.request('INVITE', 0, { headers: [['Contact', '<sip:alice:secret@192.0.2.10>']] });
    const contacts = '<sip:car%6fl@192.0.2.99:5070;ob>;q=1, <sip:[2001:db8::7]:5061>';
    c.respond(invite, 302, 900, { headers: [['Contact', contacts]] });
  },
  reason: (c) => {
    answer(c, c.request('INVITE', 0), '');
    const bye = c.request('BYE', 4_000, {
      headers: [['Reason', 'Q.850;cause=31;text="network, normal"']],
      hop: { src: ALICE.sip, dst: PROXY },
    });
    c.respond(bye, 200, 4_030, { hop: { src: PROXY, dst: ALICE.sip } });
  },
  diverted: (c) => {
    const invite = c.request('INVITE', 0);
    answer(c, invite, '');
    c.request('INVITE', 3_000, { headers: [['Diversion', '<sip:+4930999@pbx.example;user=phone>;reason=no-answer']] });
    hangUp(c, 5_000);
  },
};

/** What filters find there, for what a first message has not. */
export const SAID_LATER: Readonly<Record<string, readonly string[]>> = {
  'ua:"gateway 7"': ['server'],
  'ua:~gateway': ['server'],
  'reason:*lines*': ['server'],
  'reason:~cause=31': ['reason'],
  'pai:+4930777': ['asserted'],
  'pai:tel:+4930778': ['asserted'],
  'number:+4930778': ['asserted'],
  'number:*0999': ['diverted'],
  'contact:carol': ['contact'],
  'contact:~2001:db8::7': ['contact'],
  'contact:*5070*': ['contact'],
  'port:5099': ['reason'],
  'ip:203.0.113.48/29': ['reason'],
  'from:gw.exam*': ['userless'],
  'to:urn:service*': ['userless'],
  'gw.exam*': ['userless'],
};
/** What all have, and what none has. */
export const SAID_BESIDES = [
  ...['ua:*', '-ua:*', '-ua:phone*', 'reason:*', '-reason:*', 'contact:*', '-contact:*', 'pai:*', '-pai:*', 'ruri:*'],
  ...['domain:*', 'domain:192.0.2.10', 'number:*', '-number:*', 'ip:192.0.2.0/24', '-ip:192.0.2.0/24', 'port:5060'],
  ...[
    'transport:udp',
    '-transport:udp',
    'origin:wire',
    'display:Alice',
    'tag:*',
    'src:192.0.2.10',
    'dst:198.51.100.20',
  ],
  ...['ruri:~^sip:bob', 'contact:alice', 'number:bob', 'domain:~^198', 'ruri:~5060'],
];

/** From and To have no user. */
const USERLESS = {
  tsUs: EPOCH_US + 200e6,
  src: ALICE.sip,
  dst: BOB.sip,
  bytes: Buffer.from(
    [
      'OPTIONS sip:x@198.51.100.20 SIP/2.0',
      'Via: SIP/2.0/UDP 192.0.2.10;branch=z9hG4bKuserless',
      'From: <sip:gw.example.com>;tag=a',
      'To: <urn:service:sos>',
      'Call-ID: userless',
      'CSeq: 1 OPTIONS',
      'Content-Length: 0',
      '',
      '',
    ].join('\r\n'),
  ),
};

export function talkativeCalls(): Uint8Array {
  const messages = Object.entries(CALLS).flatMap(([callId, script], i) => {
    const c = new SipScript({ callId, caller: PHONE, callee: BOB, startUs: EPOCH_US + i * 20e6 });
    script(c);
    return c.messages;
  });
  return new Capture().add([...messages, USERLESS]).pcap();
}
