/** For each lint rule, messages that break it and messages that do not, in the words of lint-example.ts. */

export type LintExample = { readonly fires: readonly string[]; readonly passes: readonly string[] };

const HEAD = 'v=0\\no=- 1000001 1 IN IP4 192.0.2.1\\ns=-\\nc=IN IP4 192.0.2.1\\nt=0 0\\n';
const ANSWER = 'v=0\\no=- 2000001 1 IN IP4 192.0.2.2\\ns=-\\nc=IN IP4 192.0.2.2\\nt=0 0\\n';
const AUDIO = 'm=audio 4000 RTP/AVP 0\\n';
const SECURE = 'm=audio 4000 UDP/TLS/RTP/SAVPF 0\\n';

export const LINT_EXAMPLES: Readonly<Record<string, LintExample>> = {
  'mandatory-header-missing': { fires: ['INVITE | -From'], passes: ['INVITE'] },
  'max-forwards-missing': { fires: ['OPTIONS | -Max-Forwards'], passes: ['OPTIONS'] },
  'max-forwards-invalid': { fires: ['OPTIONS | Max-Forwards: 300'], passes: ['OPTIONS | Max-Forwards: 0'] },
  'max-forwards-high': { fires: ['OPTIONS | Max-Forwards: 255'], passes: ['OPTIONS'] },
  'max-forwards-exhausted': { fires: ['INVITE | Max-Forwards: 0'], passes: ['INVITE | Max-Forwards: 1'] },
  'single-header-repeated': { fires: ['INVITE | +Call-ID: other'], passes: ['INVITE'] },
  'branch-without-cookie': { fires: ['INVITE | Via: SIP/2.0/UDP 192.0.2.1;branch=1'], passes: ['INVITE'] },
  'via-unreadable': { fires: ['INVITE | Via: 192.0.2.1'], passes: ['INVITE'] },
  'address-unreadable': { fires: ['INVITE | Contact: sip:alice@example.com?x=1'], passes: ['INVITE'] },
  'from-tag-missing': { fires: ['INVITE | From: <sip:alice@example.com>'], passes: ['INVITE'] },
  'cseq-method-differs': { fires: ['INVITE | CSeq: 1 BYE'], passes: ['INVITE'] },
  'cseq-invalid': { fires: ['INVITE | CSeq: 4294967296 INVITE'], passes: ['INVITE | CSeq: 2147483647 INVITE'] },
  'content-type-missing': { fires: ['INVITE | ~offer | -Content-Type'], passes: ['INVITE | ~offer', 'INVITE'] },
  'content-length-missing': {
    fires: ['INVITE | %tcp | -Content-Length'],
    passes: ['INVITE | %tcp', 'INVITE | -Content-Length'],
  },
  'content-length-large': { fires: ['INVITE | ~offer | Content-Length: 5000'], passes: ['INVITE | ~offer'] },
  'content-length-small': { fires: ['INVITE | ~offer | Content-Length: 20'], passes: ['INVITE | ~offer'] },
  'content-length-invalid': { fires: ['INVITE | Content-Length: x'], passes: ['INVITE'] },
  'line-end-bare-lf': { fires: ['INVITE | %lf'], passes: ['INVITE'] },
  'header-line-unreadable': { fires: ['REGISTER | +Bad Header Name: x'], passes: ['REGISTER | +X-Good: x'] },
  'start-line-form': { fires: ['OPTIONS | =OPTIONS  sip:192.0.2.2:5060 SIP/2.0'], passes: ['OPTIONS'] },
  'request-uri-form': { fires: ['OPTIONS | =OPTIONS <sip:192.0.2.2:5060> SIP/2.0'], passes: ['OPTIONS'] },
  'version-unknown': { fires: ['OPTIONS | =OPTIONS sip:192.0.2.2:5060 SIP/3.0'], passes: ['OPTIONS'] },
  'status-code-invalid': { fires: ['INVITE', '200 | =SIP/2.0 799 OK'], passes: ['INVITE', '200'] },
  'header-order': {
    fires: [
      'INVITE | -Via | +Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK-late',
      'INVITE | -Via | +X-Last: 1 | +Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK-late',
    ],
    passes: ['INVITE'],
  },
  'header-folded': { fires: ['INVITE | Subject: one\r\n two'], passes: ['INVITE | Subject: one two'] },
  'ipv6-without-brackets': {
    fires: ['INVITE | Contact: <sip:alice@2001:db8::1>'],
    passes: ['INVITE | Contact: <sip:alice@[2001:db8::1]:5060>'],
  },
  'tel-context-missing': {
    fires: ['INVITE | =INVITE tel:7042 SIP/2.0'],
    passes: [
      'INVITE | =INVITE tel:7042;phone-context=example.com SIP/2.0',
      'INVITE | =INVITE tel:+1-201-555-0123 SIP/2.0',
    ],
  },
  'date-form': {
    fires: ['INVITE | Date: 2010-11-13 23:29:00'],
    passes: ['INVITE | Date: Sat, 13 Nov 2010 23:29:00 GMT'],
  },
  'warning-form': {
    fires: ['INVITE', '488 | Warning: incompatible'],
    passes: ['INVITE', '488 | Warning: 304 pbx "Media type not available"'],
  },
  'expires-invalid': { fires: ['REGISTER | Expires: soon'], passes: ['REGISTER | Expires: 3600'] },
  'multipart-boundary-missing': {
    fires: ['INVITE | ~x | Content-Type: multipart/mixed'],
    passes: ['INVITE | ~--b--\\n | Content-Type: multipart/mixed;boundary=b'],
  },
  'record-route-without-lr': {
    fires: ['INVITE | +Record-Route: <sip:192.0.2.9>'],
    passes: ['INVITE | +Record-Route: <sip:192.0.2.9;lr>'],
  },
  'contact-missing': { fires: ['INVITE | -Contact'], passes: ['INVITE'] },
  'contact-many': { fires: ['INVITE | +Contact: <sip:b@192.0.2.9>'], passes: ['INVITE'] },
  'sips-contact': {
    fires: ['INVITE | =INVITE sips:bob@example.com SIP/2.0'],
    passes: ['INVITE | =INVITE sips:bob@example.com SIP/2.0 | Contact: <sips:alice@192.0.2.1>'],
  },
  'session-id-form': {
    fires: ['INVITE | Session-ID: my-session'],
    passes: ['INVITE | Session-ID: ab30317f1a784dc48ff824d0d3715d86;remote=00000000000000000000000000000000'],
  },
  'charging-vector-without-icid': {
    fires: ['INVITE | P-Charging-Vector: orig-ioi=home.example'],
    passes: ['INVITE | P-Charging-Vector: icid-value=1234;orig-ioi=home.example'],
  },
  'identity-shown-despite-privacy': {
    fires: ['INVITE | Privacy: id | P-Asserted-Identity: <sip:+12015550123@example.com>'],
    passes: ['INVITE | Privacy: none | P-Asserted-Identity: <sip:+12015550123@example.com>'],
  },
  'digest-count-missing': {
    fires: ['REGISTER | Authorization: Digest username="a", realm="r", nonce="n", uri="sip:x", response="0", qop=auth'],
    passes: [
      'REGISTER | Authorization: Digest username="a", realm="r", nonce="n", uri="sip:x", response="0", qop=auth, nc=00000001, cnonce="c"',
    ],
  },
  'udp-request-large': {
    fires: [
      'INVITE | +X-Filler: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    ],
    passes: [
      'INVITE',
      'INVITE | +X-Filler: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
      '100',
    ],
  },
  'via-transport-differs': {
    fires: ['INVITE | Via: SIP/2.0/TCP 192.0.2.1:5060;branch=z9hG4bK-x'],
    passes: ['INVITE', 'INVITE | %tcp'],
  },
  'sips-in-clear': {
    fires: ['INVITE | =INVITE sips:bob@example.com SIP/2.0 | Contact: <sips:alice@192.0.2.1>'],
    passes: ['INVITE'],
  },
  'cancel-with-require': { fires: ['INVITE', '180', 'CANCEL | +Require: 100rel'], passes: ['INVITE', '180', 'CANCEL'] },
  'refer-to-count': { fires: ['REFER'], passes: ['REFER | +Refer-To: <sip:carol@example.com>'] },
  'subscribe-without-event': { fires: ['SUBSCRIBE'], passes: ['SUBSCRIBE | +Event: presence'] },
  'notify-without-state': {
    fires: ['NOTIFY | +Event: presence'],
    passes: ['NOTIFY | +Event: presence | +Subscription-State: active'],
  },
  'refer-notify-body': {
    fires: ['NOTIFY | +Event: refer | +Subscription-State: active'],
    passes: [
      'NOTIFY | +Event: refer | +Subscription-State: active | ~SIP/2.0 200 OK\\n | Content-Type: message/sipfrag',
    ],
  },
  'prack-without-rack': { fires: ['PRACK'], passes: ['PRACK | +RAck: 1 1 INVITE'] },
  'session-expires-small': {
    fires: ['INVITE | Session-Expires: 30'],
    passes: ['INVITE | Session-Expires: 1800;refresher=uac'],
  },
  'min-se-small': { fires: ['INVITE | Min-SE: 30'], passes: ['INVITE | Min-SE: 90'] },
  'session-expires-below-min': {
    fires: ['INVITE | Session-Expires: 120 | Min-SE: 600'],
    passes: ['INVITE | Session-Expires: 600 | Min-SE: 90'],
  },
  'to-tag-missing': { fires: ['INVITE', '180 | To: <sip:bob@example.com>'], passes: ['INVITE', '180', '200'] },
  'response-from-differs': {
    fires: ['INVITE', '200 | From: <sip:alice@example.com>;tag=other'],
    passes: ['INVITE', '200'],
  },
  'branch-reused': {
    fires: [
      'OPTIONS | Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK-same',
      'INFO | Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK-same',
    ],
    passes: ['INVITE', '486', 'ACK'],
  },
  'cseq-not-rising': {
    fires: ['INVITE | CSeq: 5 INVITE', '200', 'ACK | CSeq: 5 ACK', 'BYE | CSeq: 4 BYE'],
    passes: ['INVITE', '200', 'ACK', 'BYE'],
  },
  'call-id-reused': {
    fires: ['INVITE', '200', 'ACK', 'BYE', '200 BYE', 'INVITE | To: <sip:bob@example.com>'],
    passes: [
      'INVITE',
      '407',
      'ACK',
      'INVITE | To: <sip:bob@example.com>',
      '200',
      'ACK',
      'INVITE',
      '200',
      'ACK',
      'BYE',
      '200 BYE',
    ],
  },
  'bye-without-to-tag': {
    fires: ['INVITE', '200', 'ACK', 'BYE | To: <sip:bob@example.com>'],
    passes: ['INVITE', '200', 'ACK', 'BYE'],
  },
  'ack-cseq-differs': { fires: ['INVITE', '200', 'ACK | CSeq: 9 ACK'], passes: ['INVITE', '200', 'ACK'] },
  'ack-failure-branch': {
    fires: ['INVITE', '486', 'ACK | Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK-new'],
    passes: ['INVITE', '486', 'ACK'],
  },
  'ack-2xx-branch': {
    fires: ['INVITE', '200', 'ACK | Via: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bK-example-0'],
    passes: ['INVITE', '200', 'ACK'],
  },
  'ack-target': {
    fires: ['INVITE', '200', 'ACK | =ACK sip:elsewhere@192.0.2.9 SIP/2.0'],
    passes: ['INVITE', '200', 'ACK'],
  },
  'cancel-branch': {
    fires: ['INVITE', '180', 'CANCEL | Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK-new'],
    passes: ['INVITE', '180', 'CANCEL'],
  },
  'cancel-target': {
    fires: ['INVITE', '180', 'CANCEL | =CANCEL sip:elsewhere@192.0.2.9 SIP/2.0'],
    passes: ['INVITE', '180', 'CANCEL'],
  },
  'cancel-early': { fires: ['INVITE', 'CANCEL'], passes: ['INVITE', '100', 'CANCEL'] },
  'no-trying': { fires: ['INVITE', '180 | %later 900'], passes: ['INVITE', '100', '180 | %later 900'] },
  'answer-without-contact': { fires: ['INVITE', '200 | -Contact'], passes: ['INVITE', '200'] },
  'rport-not-filled': {
    fires: [
      'OPTIONS | Via: SIP/2.0/UDP 192.0.2.1:5090;rport;branch=z9hG4bK-x',
      '200 | Via: SIP/2.0/UDP 192.0.2.1:5090;rport;branch=z9hG4bK-x',
    ],
    passes: [
      'OPTIONS | Via: SIP/2.0/UDP 192.0.2.1:5060;rport;branch=z9hG4bK-x',
      '200 | Via: SIP/2.0/UDP 192.0.2.1:5060;rport=5060;received=192.0.2.1;branch=z9hG4bK-x',
    ],
  },
  'received-missing': {
    fires: [
      'OPTIONS | Via: SIP/2.0/UDP 198.51.100.9;branch=z9hG4bK-x',
      '200 | Via: SIP/2.0/UDP 198.51.100.9;branch=z9hG4bK-x',
    ],
    passes: [
      'OPTIONS | Via: SIP/2.0/UDP 198.51.100.9;branch=z9hG4bK-x',
      '200 | Via: SIP/2.0/UDP 198.51.100.9;received=192.0.2.1;branch=z9hG4bK-x',
    ],
  },
  'challenge-missing': {
    fires: ['REGISTER', '401'],
    passes: ['REGISTER', '401 | +WWW-Authenticate: Digest realm="r", nonce="n"'],
  },
  'proxy-challenge-missing': {
    fires: ['INVITE', '407'],
    passes: ['INVITE', '407 | +Proxy-Authenticate: Digest realm="r", nonce="n"'],
  },
  'allow-missing': { fires: ['INVITE', '405'], passes: ['INVITE', '405 | +Allow: x'] },
  'unsupported-missing': { fires: ['INVITE', '420'], passes: ['INVITE', '420 | +Unsupported: x'] },
  'require-missing': { fires: ['INVITE', '421'], passes: ['INVITE', '421 | +Require: x'] },
  'min-se-missing': { fires: ['INVITE', '422'], passes: ['INVITE', '422 | +Min-SE: 90'] },
  'min-expires-missing': { fires: ['REGISTER', '423'], passes: ['REGISTER', '423 | +Min-Expires: 60'] },
  'unsupported-event-list': { fires: ['SUBSCRIBE', '489'], passes: ['SUBSCRIBE', '489 | +Allow-Events: presence'] },
  'accept-missing': { fires: ['INVITE', '415'], passes: ['INVITE', '415 | +Accept: application/sdp'] },
  'redirect-without-contact': {
    fires: ['INVITE', '302'],
    passes: ['INVITE', '302 | +Contact: <sip:carol@example.com>'],
  },
  'rejected-offer-without-warning': {
    fires: ['INVITE | ~offer', '488'],
    passes: ['INVITE | ~offer', '488 | +Warning: 304 pbx "Media type not available"'],
  },
  'refresher-missing': {
    fires: ['INVITE | Session-Expires: 1800', '200 | Session-Expires: 1800'],
    passes: ['INVITE | Session-Expires: 1800', '200 | Session-Expires: 1800;refresher=uas'],
  },
  'reliable-without-rseq': {
    fires: ['INVITE', '183 | +Require: 100rel'],
    passes: ['INVITE', '183 | +Require: 100rel | +RSeq: 1'],
  },
  'prack-missing': {
    fires: ['INVITE', '183 | +Require: 100rel | +RSeq: 7', '200'],
    passes: ['INVITE', '183 | +Require: 100rel | +RSeq: 7', 'PRACK | +RAck: 7 1 INVITE', '200 INVITE'],
  },
  'required-100rel-ignored': {
    fires: ['INVITE | +Require: 100rel', '180'],
    passes: ['INVITE | +Require: 100rel', '180 | +Require: 100rel | +RSeq: 1'],
  },
  'expiry-shortened': {
    fires: [
      'REGISTER | Expires: 3600 | Contact: <sip:192.0.2.1:5060>',
      '200 | Contact: <sip:192.0.2.1:5060>;expires=20',
    ],
    passes: [
      'REGISTER | Expires: 3600 | Contact: <sip:192.0.2.1:5060>',
      '200 | Contact: <sip:192.0.2.1:5060>;expires=3600',
    ],
  },
  'binding-not-listed': {
    fires: ['REGISTER | Expires: 60', '200 | -Contact'],
    passes: [
      'REGISTER | Expires: 60',
      '200',
      'REGISTER | Expires: 0 | Contact: <sip:192.0.2.1:5060>',
      '200 | -Contact',
    ],
  },
  'binding-without-expires': {
    fires: ['REGISTER', '200 | Contact: <sip:192.0.2.1:5060>'],
    passes: ['REGISTER', '200'],
  },
  'subscription-without-expires': {
    fires: ['SUBSCRIBE | +Event: presence', '200'],
    passes: ['SUBSCRIBE | +Event: presence', '200 | +Expires: 600'],
  },
  'private-contact': { fires: ['INVITE | Contact: <sip:alice@10.1.2.3:5060>'], passes: ['INVITE'] },
  'retry-after-missing': { fires: ['INVITE', '503'], passes: ['INVITE', '503 | +Retry-After: 10'] },
  'sdp-mandatory-line': {
    fires: [`INVITE | ~v=0\\ns=-\\nt=0 0\\nc=IN IP4 192.0.2.1\\n${AUDIO}`],
    passes: ['INVITE | ~offer'],
  },
  'sdp-connection-missing': {
    fires: [`INVITE | ~v=0\\no=- 1 1 IN IP4 192.0.2.1\\ns=-\\nt=0 0\\n${AUDIO}`],
    passes: ['INVITE | ~offer'],
  },
  'sdp-origin-form': {
    fires: [`INVITE | ~v=0\\no=- x y IN IP4\\ns=-\\nc=IN IP4 192.0.2.1\\nt=0 0\\n${AUDIO}`],
    passes: ['INVITE | ~offer'],
  },
  'sdp-line-form': { fires: [`INVITE | ~${HEAD}${AUDIO}rtpmap:0 PCMU/8000\\n`], passes: ['INVITE | ~offer'] },
  'sdp-version-same': {
    fires: [`INVITE | ~${HEAD}${AUDIO}`, '200 | ~answer', 'ACK', `INVITE | ~${HEAD}m=audio 4100 RTP/AVP 0\\n`],
    passes: [
      `INVITE | ~${HEAD}${AUDIO}`,
      '200 | ~answer',
      'ACK',
      'INVITE | ~v=0\\no=- 1000001 2 IN IP4 192.0.2.1\\ns=-\\nc=IN IP4 192.0.2.1\\nt=0 0\\nm=audio 4100 RTP/AVP 0\\n',
    ],
  },
  'sdp-version-falls': {
    fires: [
      `INVITE | ~v=0\\no=- 1000001 5 IN IP4 192.0.2.1\\ns=-\\nc=IN IP4 192.0.2.1\\nt=0 0\\n${AUDIO}`,
      '200 | ~answer',
      'ACK',
      `INVITE | ~${HEAD}${AUDIO}`,
    ],
    passes: [`INVITE | ~${HEAD}${AUDIO}`, '200 | ~answer', 'ACK', `INVITE | ~${HEAD}${AUDIO}`],
  },
  'sdp-answer-media-count': {
    fires: [`INVITE | ~${HEAD}${AUDIO}m=video 4002 RTP/AVP 31\\n`, '200 | ~answer'],
    passes: ['INVITE | ~offer', '200 | ~answer'],
  },
  'sdp-answer-media-type': {
    fires: ['INVITE | ~offer', `200 | ~${ANSWER}m=video 4000 RTP/AVP 31\\n`],
    passes: ['INVITE | ~offer', '200 | ~answer'],
  },
  'sdp-answer-no-common-codec': {
    fires: ['INVITE | ~offer', `200 | ~${ANSWER}m=audio 5000 RTP/AVP 8\\n`],
    passes: ['INVITE | ~offer', '200 | ~answer'],
  },
  'sdp-answer-direction': {
    fires: [`INVITE | ~${HEAD}${AUDIO}a=sendonly\\n`, `200 | ~${ANSWER}${AUDIO}a=sendonly\\n`],
    passes: [`INVITE | ~${HEAD}${AUDIO}a=sendonly\\n`, `200 | ~${ANSWER}${AUDIO}a=recvonly\\n`],
  },
  'sdp-answer-profile': {
    fires: ['INVITE | ~offer', `200 | ~${ANSWER}m=audio 5000 RTP/SAVP 0\\n`],
    passes: ['INVITE | ~offer', '200 | ~answer'],
  },
  'sdp-answer-missing': { fires: ['INVITE | ~offer', '200'], passes: ['INVITE | ~offer', '200 | ~answer'] },
  'sdp-answer-changed': {
    fires: ['INVITE | ~offer', '183 | ~answer', `200 | ~${ANSWER}m=audio 5000 RTP/AVP 0\\n`],
    passes: ['INVITE | ~offer', '183 | ~answer', '200 | ~answer'],
  },
  'sdp-payload-without-name': {
    fires: [`INVITE | ~${HEAD}m=audio 4000 RTP/AVP 0 101\\n`],
    passes: [`INVITE | ~${HEAD}m=audio 4000 RTP/AVP 0 101\\na=rtpmap:101 telephone-event/8000\\n`],
  },
  'sdp-payload-redefined': {
    fires: [
      `INVITE | ~${HEAD}m=audio 4000 RTP/AVP 97\\na=rtpmap:97 opus/48000/2\\n`,
      '200 | ~answer',
      'ACK',
      'INVITE | ~v=0\\no=- 1000001 2 IN IP4 192.0.2.1\\ns=-\\nc=IN IP4 192.0.2.1\\nt=0 0\\nm=audio 4000 RTP/AVP 97\\na=rtpmap:97 G726-32/8000\\n',
    ],
    passes: [
      `INVITE | ~${HEAD}m=audio 4000 RTP/AVP 97\\na=rtpmap:97 opus/48000/2\\n`,
      '200 | ~answer',
      'ACK',
      'INVITE | ~v=0\\no=- 1000001 2 IN IP4 192.0.2.1\\ns=-\\nc=IN IP4 192.0.2.1\\nt=0 0\\nm=audio 4000 RTP/AVP 98 97\\na=rtpmap:98 G726-32/8000\\na=rtpmap:97 OPUS/48000/2\\n',
    ],
  },
  'sdp-hold-by-address': {
    fires: [`INVITE | ~v=0\\no=- 1000001 1 IN IP4 192.0.2.1\\ns=-\\nc=IN IP4 0.0.0.0\\nt=0 0\\n${AUDIO}`],
    passes: [`INVITE | ~${HEAD}${AUDIO}a=sendonly\\n`],
  },
  'sdp-telephone-event-clock': {
    fires: [
      `INVITE | ~${HEAD}m=audio 4000 RTP/AVP 97 101\\na=rtpmap:97 opus/48000/2\\na=rtpmap:101 telephone-event/8000\\n`,
    ],
    passes: [
      `INVITE | ~${HEAD}m=audio 4000 RTP/AVP 97 0 101\\na=rtpmap:97 opus/48000/2\\na=rtpmap:101 telephone-event/8000\\n`,
    ],
  },
  'sdp-keys-in-clear': {
    fires: [
      `INVITE | ~${HEAD}m=audio 4000 RTP/SAVP 0\\na=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz\\n`,
    ],
    passes: ['INVITE | ~offer'],
  },
  'sdp-fingerprint-missing': {
    fires: [`INVITE | ~${HEAD}${SECURE}`],
    passes: [`INVITE | ~${HEAD}${SECURE}a=fingerprint:sha-256 00:11\\na=setup:actpass\\n`],
  },
  'sdp-setup-in-answer': {
    fires: [
      `INVITE | ~${HEAD}${SECURE}a=setup:actpass\\na=fingerprint:sha-256 00:11\\n`,
      `200 | ~${ANSWER}${SECURE}a=setup:actpass\\na=fingerprint:sha-256 00:11\\n`,
    ],
    passes: [
      `INVITE | ~${HEAD}${SECURE}a=setup:actpass\\na=fingerprint:sha-256 00:11\\n`,
      `200 | ~${ANSWER}${SECURE}a=setup:active\\na=fingerprint:sha-256 00:11\\n`,
    ],
  },
  'sdp-ice-incomplete': {
    fires: [`INVITE | ~${HEAD}${AUDIO}a=ice-ufrag:8hhY\\n`],
    passes: [`INVITE | ~${HEAD}${AUDIO}a=ice-ufrag:8hhY\\na=ice-pwd:asd88fgpdd777uzjYhagZg\\n`],
  },
  'sdp-rtcp-mux-unasked': {
    fires: ['INVITE | ~offer', `200 | ~${ANSWER}${AUDIO}a=rtcp-mux\\n`],
    passes: [`INVITE | ~${HEAD}${AUDIO}a=rtcp-mux\\n`, `200 | ~${ANSWER}${AUDIO}a=rtcp-mux\\n`],
  },
};
