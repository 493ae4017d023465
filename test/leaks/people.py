"""Whom the nasty captures tell of: names that stand nowhere else, so that each that is found was theirs."""
import hashlib

USER, OTHER, SHORT = 'zanderson-voss', 'qwilhelmina', '743'
NUMBER, LOCAL, CALLED = '+4930901820475', '030901820475', '+12125550198273'
NAME, CALLED_NAME, ODD_NAME = 'Zacharias Anderson-Voß', 'Wilhelmina Quist', 'Dr. \\"Zack\\" Voss \\\\ Partner'
DOMAIN, PROXY, CARRIER = 'acmevoice-holding.net', 'sbc7.fra.acmevoice-holding.net', 'ims.mnc077.quistcarrier.org'
HERE, THERE, CORE = '81.93.45.167', '185.27.214.9', '10.171.33.94'
HERE6, THERE6 = '2a02:8109:b5c0:11f2::7e', '2a00:1e48:77:3f::52'
PASSWORD, REALM, NONCE = 'hunter2secret', 'acmevoice-realm.net', 'NonceQ7x9pLm3ZkT4vWy'
AGENT, SERVER = 'VossPhone X7/8.4.2-acmebuild (b4fbe47713c8)', 'QuistSwitch 12.9 edge-fra-3'
BODY = 'Please call Dr. Quist at room Kilimanjaro-17 about invoice INV-88412'
KEY = 'd0RmdmcmVCspeEc3QGZiNWpVLFJhQX1cfHAwJSoj'
FINGERPRINT = ':'.join(hashlib.sha256(b'zack').hexdigest()[i : i + 2].upper() for i in range(0, 64, 2))
TEXTS = (USER, OTHER, NUMBER, LOCAL, CALLED, NAME, CALLED_NAME, DOMAIN, PROXY, CARRIER, PASSWORD, REALM, NONCE, AGENT, SERVER, BODY, KEY, FINGERPRINT)
ADDRESSES = (HERE, THERE, CORE, HERE6, THERE6)


def call_id(n):
    return f'c{n}-7f3ad21e-zvoss@{HERE}'


def tag(n):
    return f'tg{n}QvW81xk'


def branch(n):
    return f'z9hG4bKvoss{n}kq81'


def sdp(address=HERE, port=30_000, more=''):
    family = 'IP6' if ':' in address else 'IP4'
    return (
        f'v=0\r\no={USER} 8151623 8151624 IN {family} {address}\r\ns=Call of {OTHER}\r\ni={BODY}\r\nc=IN {family} {address}\r\n'
        f't=0 0\r\nm=audio {port} RTP/AVP 0 101\r\na=rtpmap:0 PCMU/8000\r\na=rtpmap:101 telephone-event/8000\r\n{more}'
    )


def request(method='INVITE', n=1, via=f'SIP/2.0/UDP {HERE}:5060', extra=(), body='', kind='application/sdp', uri='', to_tag=''):
    """A request with what it must have, and `extra` lines."""
    return _message(f'{method} {uri or f"sip:{CALLED}@{PROXY};user=phone"} SIP/2.0', method, n, via, extra, body, kind, to_tag)


def response(code='200 OK', method='INVITE', n=1, via=f'SIP/2.0/UDP {HERE}:5060', extra=(), body='', kind='application/sdp'):
    return _message(f'SIP/2.0 {code}', method, n, via, extra, body, kind, tag(f'{n}b'))


def _message(start, method, n, via, extra, body, kind, to_tag):
    body = body if isinstance(body, bytes) else body.encode()
    lines = [
        start,
        f'Via: {via};branch={branch(n)};rport',
        'Max-Forwards: 70',
        f'From: "{NAME}" <sip:{USER}@{DOMAIN}>;tag={tag(n)}',
        f'To: "{CALLED_NAME}" <sip:{CALLED}@{PROXY}>' + (f';tag={to_tag}' if to_tag else ''),
        f'Call-ID: {call_id(n)}',
        f'CSeq: {n} {method}',
        f'Contact: <sip:{USER}@{HERE}:5060;transport=udp>',
        *extra,
        *([f'Content-Type: {kind}'] if body else []),
        f'Content-Length: {len(body)}',
    ]
    return '\r\n'.join(lines).encode() + b'\r\n\r\n' + body
