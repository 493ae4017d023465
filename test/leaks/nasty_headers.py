"""Messages with originals in every header that may hold one, spelled as nobody would expect."""
import base64

import people as p


def token():
    parts = [b'{"alg":"ES256","typ":"passport"}', f'{{"orig":{{"tn":"{p.NUMBER[1:]}"}},"dest":{{"tn":["{p.CALLED[1:]}"]}}}}'.encode(), b'\1\2\3' * 21]
    return '.'.join(base64.urlsafe_b64encode(part).decode().rstrip('=') for part in parts)


def known():
    """Headers of the standards."""
    return [
        f'Via: SIP/2.0/UDP {p.PROXY}:5060;branch=z9hG4bK{p.OTHER};received={p.CORE};rport=5071;maddr={p.THERE};x-trace="{p.USER}";keep={p.SHORT}',
        f'Via: SIP/2.0/TLS [{p.HERE6}]:5061;branch=z9hG4bK-v6{p.OTHER};received={p.HERE6}',
        f'Record-Route: <sip:{p.PROXY};lr;ftag={p.tag(1)};did={p.OTHER}.7>,<sip:{p.CORE}:5080;lr;user={p.USER}>',
        f'Route: <sip:{p.USER}%40{p.DOMAIN}@{p.PROXY};lr>',
        f'History-Info: <sip:{p.NUMBER}@{p.DOMAIN}?Reason=SIP%3Bcause%3D302%3Btext%3D%22{p.OTHER}%22&Privacy=history>;index=1,<sip:{p.OTHER}@{p.CARRIER};cause=302>;index=1.1;mp=1',
        f'Diversion: "{p.CALLED_NAME}" <tel:{p.LOCAL};phone-context={p.DOMAIN}>;reason=unconditional;counter=1;privacy=off',
        f'P-Asserted-Identity: "{p.NAME}" <sip:{p.NUMBER}@{p.CARRIER};user=phone>',
        f'P-Asserted-Identity: <tel:{p.NUMBER};ext={p.SHORT}>',
        f'P-Preferred-Identity: <sip:{p.USER}@{p.DOMAIN}>',
        f'P-Called-Party-ID: <sip:{p.CALLED}@{p.CARRIER}>',
        f'P-Associated-URI: <sip:{p.OTHER}@{p.CARRIER}>, <tel:+49-30-901-820-475>',
        f'P-Charging-Vector: icid-value="icid{p.OTHER}77";icid-generated-at={p.CORE};orig-ioi={p.CARRIER};term-ioi=term.{p.DOMAIN}',
        f'P-Charging-Function-Addresses: ccf="aaa://{p.CORE}:3868";ecf={p.PROXY}',
        'P-Access-Network-Info: 3GPP-E-UTRAN-FDD;utran-cell-id-3gpp=2620112345ABCDE77',
        f'P-Visited-Network-ID: "{p.CARRIER} visited"',
        f'P-User-Database: <aaa://hss.{p.CARRIER}>',
        f'P-Served-User: <sip:{p.USER}@{p.DOMAIN}>;sescase=orig',
        f'Remote-Party-ID: "{p.ODD_NAME}" <sip:{p.LOCAL}@{p.CORE}>;party=calling;privacy=off;screen=yes',
        f'Call-Info: <https://{p.PROXY}/photos/{p.USER}.png>;purpose=icon, <cid:{p.OTHER}@{p.DOMAIN}>',
        f'Alert-Info: <http://{p.CORE}/{p.USER}/ring.wav>',
        f'Geolocation: <cid:{p.USER}@{p.DOMAIN}>',
        f'Geolocation: <https://lis.{p.DOMAIN}:9768/{p.OTHER}>',
        f'User-to-User: {p.OTHER.encode().hex()};encoding=hex;purpose=isdn-uui',
        f'Identity: {token()};info=<https://cert.{p.DOMAIN}/{p.USER}.crt>;alg=ES256;ppt=shaken',
        f'Subject: {p.BODY}',
        f'Organization: Anderson-Voss Holding',
        f'Reply-To: {p.NAME} <sip:{p.USER}@{p.DOMAIN}>',
        f'In-Reply-To: 7jq8-{p.OTHER}@{p.HERE}, other-{p.USER}@{p.DOMAIN}',
        f'Path: <sip:term@{p.PROXY};lr;ob>',
        f'Service-Route: <sip:orig@{p.PROXY};lr>',
        f'User-Agent: {p.AGENT}',
        f'Warning: 399 {p.PROXY} "Refused for {p.USER} at {p.CORE}"',
        f'Reason: Q.850;cause=16;text="{p.BODY}"',
        f'Session-ID: ab30317f1a784dc48ff824d0d3715d86;remote=47755a9de7794ba387653f2099600ef2',
        f'Referred-By: <sip:{p.USER}@{p.DOMAIN}>;cid="{p.OTHER}.ref@{p.DOMAIN}"',
        f'Replaces: 98732-{p.OTHER}@{p.HERE};from-tag=r33th4x0r;to-tag=ff87ff99q',
        f'Join: 12adf2f3-{p.OTHER};to-tag=12djq;from-tag=54381zz',
        f'Geolocation-Routing: yes',
        f'Accept-Contact: *;+g.3gpp.icsi-ref="urn%3Aurn-7%3A3gpp-service.ims.icsi.mmtel";x-owner={p.USER}',
        f'Timestamp: 54',
    ]


def unknown():
    """Headers of vendors."""
    text = f'{p.USER}|{p.NUMBER}|{p.CORE}'
    return [
        f'X-Asterisk-Channel: PJSIP/{p.USER}-0000002a',
        f'X-CallerID-Name: {p.NAME}',
        f'X-Account: uid={p.USER};pwd={p.PASSWORD};host={p.PROXY}',
        f'X-Blob: {base64.b64encode(text.encode()).decode()}',
        f'X-Blob2: {base64.b64encode(b"." + text.encode()).decode()}',
        f'X-Hex: {text.encode().hex()}',
        f'X-Json: {{"caller":"{p.USER}","number":"{p.NUMBER}","ip":"{p.HERE}"}}',
        f'X-Ip: {p.HERE.replace(".", "-")}.pool.{p.DOMAIN}',
        f'X-Ip6: {p.HERE6.upper()}',
        f'X-Mac: {p.AGENT[-13:-1]}; 3C-52-A1-7B-E9-0D; 3c:52:a1:7b:e9:0d',
        f'X-FS-Support: update_display,send_info',
        f'P-Key-Flags: keys="{p.SHORT}"',
        f'P-RTP-Stat: PS=207,OS=49680,PR=314,OR=50240,PL=0,JI=600,LA=40,DU=5,EN=G722,DE=G722,IP={p.CORE}',
        f'X-Channel: ossp/{p.OTHER}',
        f'Cisco-Guid: 1337281940-3870298990-2150301771-2887066141',
        f'X-Empty:',
        f'X-Escaped: %7A%61%6e%64%65%72%73%6f%6e%2d%76%6f%73%73',
    ]


def folded():
    return (
        f'INVITE sip:%71wilhelmina@{p.PROXY} SIP/2.0\r\nv: SIP/2.0/UDP {p.HERE}:5060\r\n ;branch={p.branch(3)}\r\n\t;rport\r\n'
        f'f: "{p.ODD_NAME}"\r\n <sip:{p.USER.upper()}:{p.PASSWORD}@{p.DOMAIN.upper()}>\r\n\t;tag={p.tag(3)}\r\nt: <sip:{p.CALLED}@{p.PROXY}>\r\n'
        f'i: {p.call_id(3)}\r\nCSEQ: 3 INVITE\r\nm: {p.CALLED_NAME} <sip:{p.OTHER}%2Balias@{p.CORE}>;expires=60\r\ns: {p.BODY[:20]}\r\n   {p.BODY[20:]}\r\n'
        f'r: <sip:{p.OTHER}@{p.DOMAIN}?Replaces=98732-{p.USER}%40{p.HERE}%3Bfrom-tag%3Dr33th4x0r%3Bto-tag%3Dff87ff99q&X-Id={p.NUMBER}>\r\n'
        f'b: <sip:{p.USER}@{p.DOMAIN}>\r\nMax-Forwards : 70\r\nl: 0\r\n\r\n'
    ).encode()


def credentials():
    digest = f'Digest username="{p.USER}", realm="{p.REALM}", nonce="{p.NONCE}", uri="sip:{p.PROXY}", response="6629fae49393a05397450978507c4ef1", cnonce="0a4f113bQx", opaque="5ccc069c403ebaf9f0171e9517f40e41", qop=auth, nc=00000001, algorithm=MD5'
    uri = f'sip:{p.DOMAIN}'
    return [
        p.request('REGISTER', 1, uri=uri, extra=[f'Contact: <sip:{p.USER}@{p.CORE}:5060>;+sip.instance="<urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6>";reg-id=1;gr=urn:uuid:f81d4fae-7dec']),
        p.response('401 Unauthorized', 'REGISTER', 1, extra=[f'WWW-Authenticate: Digest realm="{p.REALM}", nonce="{p.NONCE}", opaque="5ccc069c403ebaf9f0171e9517f40e41", domain="sip:{p.PROXY} sip:{p.CARRIER}", qop="auth", algorithm=MD5']),
        p.request('REGISTER', 2, uri=uri, extra=['Authorization: ' + digest]),
        p.request('REGISTER', 3, uri=uri, extra=[f'Proxy-Authorization: Basic {base64.b64encode(f"{p.USER}:{p.PASSWORD}".encode()).decode()}']),
        p.request('REGISTER', 4, uri=uri, extra=[f'Authorization: Bearer {token()}']),
        p.response('200 Registered ' + p.USER, 'REGISTER', 2, extra=[f'Service-Route: <sip:{p.PROXY};lr>', 'Authentication-Info: nextnonce="47364c23432d2e131a5fb210812c", rspauth="6629fae49393a05397450978507c4ef1"', f'P-Associated-URI: <sip:{p.NUMBER}@{p.DOMAIN}>']),
        p.response('302 Moved Temporarily', n=5, extra=[f'Contact: <sip:{p.OTHER}@{p.CARRIER}>;q=0.7,"{p.CALLED_NAME}"<tel:{p.NUMBER}>;q=0.1']),
        p.response(f'488 No codec for {p.CALLED_NAME}', n=6),
        p.request('REFER', 7, extra=[f'Refer-To: <sip:{p.OTHER}@{p.CARRIER};method=INVITE?Replaces=abc{p.USER}%40{p.CORE}%3Bto-tag%3D123zz%3Bfrom-tag%3D456yy>', f'Referred-By: sip:{p.USER}@{p.DOMAIN}']),
    ]


def header_scenes():
    yield 'headers-known', [p.request(extra=known(), body=p.sdp()), p.response('183 Session Progress', extra=known()[:9])]
    yield 'headers-unknown', [p.request(n=2, extra=unknown()), p.response(n=2, extra=unknown())]
    yield 'folded-compact', [folded(), p.response('404 Not Found', n=3)]
    yield 'credentials', credentials()
    short = [p.request(n=i, uri=f'sip:{100 + i}@{p.CORE}', extra=[f'Contact: "{name}" <sip:{200 + i}@{p.HERE}>']) for i, name in enumerate(('Al', 'Bo', 'Cy', 'Di', 'Ed', 'Flo', 'Gus', 'Hal'))]
    yield 'short-names', short
