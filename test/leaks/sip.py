"""
The originals of a SIP message, by a reading of its own: every URI, quoted text, parameter and word of every header that is not
of the standards, folded or compact or escaped as it may be; SDP; and every other body as a whole and in words.
"""
import base64
import re
import zlib

from standards import COMPACT, KEPT_HEADERS, KEPT_PARAMETERS, PHRASES, STOP, XML_NAMES

URI = re.compile(rb'\b(sips?|tel|im|pres|mailto|h323|https?|xmpp|wss?|msrps?|cid|ldap|urn):([^\s<>"]+)', re.I)
QUOTED = re.compile(rb'"((?:[^"\\]|\\.)*)"', re.S)
NAMED = re.compile(rb'[A-Za-z][\w.-]*(?==)')
WORD = re.compile(rb"[^\s\"<>()\[\]{},;=:/@?&\\|']+")
PARAMETER = re.compile(rb';\s*([^\s=;,<>"]+)\s*(?:=\s*("(?:[^"\\]|\\.)*"|[^\s;,<>]+))?')
FOLD = re.compile(rb'\r?\n[ \t]+')
ESCAPE = re.compile(rb'%([0-9a-fA-F]{2})')
METHODS = rb'INVITE|ACK|BYE|CANCEL|REGISTER|OPTIONS|PRACK|UPDATE|SUBSCRIBE|NOTIFY|REFER|MESSAGE|INFO|PUBLISH'
START = re.compile(rb'(?:SIP/2\.0 \d{3}|(?:[A-Z]{3,20}) \S+ SIP/2\.0)')
CREDENTIALS = (b'authorization', b'proxy-authorization', b'www-authenticate', b'proxy-authenticate', b'authentication-info')
VALUES = {
    b'tag': 'tag', b'from-tag': 'tag', b'to-tag': 'tag', b'branch': 'branch', b'realm': 'realm', b'nonce': 'nonce', b'cnonce': 'nonce',
    b'opaque': 'nonce', b'response': 'digest', b'username': 'user', b'icid-value': 'call-id', b'maddr': 'host', b'received': 'host',
    b'ttag': 'tag', b'ftag': 'tag',
}  # fmt: skip
CALL_IDS = (b'call-id', b'in-reply-to', b'replaces', b'target-dialog', b'join', b'x-call-id', b'x-cid', b'session-id')


def unescaped(data):
    return ESCAPE.sub(lambda m: bytes([int(m.group(1), 16)]), data)


class Message:
    """The parts of one message: `start`, `headers` as (name, value) with lines unfolded and names written out, `body`."""

    def __init__(self, data):
        found = START.search(data[:4096])
        data = data[found.start() :] if found else data
        cut = re.search(rb'\r?\n\r?\n', data)
        head, self.body = (data[: cut.start()], data[cut.end() :]) if cut else (data, b'')
        lines = FOLD.sub(b' ', head).split(b'\n')
        self.start = lines[0].rstrip(b'\r')
        self.headers = []
        for line in lines[1:]:
            name, _, value = line.rstrip(b'\r').partition(b':')
            name = name.strip().lower()
            self.headers.append((COMPACT.get(name, name), value.strip()))

    def value(self, name):
        return next((value for at, value in self.headers if at == name), b'')


class SipReader:
    """Puts the originals of messages into `sink.text(kind, bytes)`."""

    def __init__(self, sink):
        self._sink = sink

    def read(self, data):
        message = Message(data)
        self._start(message.start)
        for name, value in message.headers:
            self._header(name, value)
        self._body(message.value(b'content-type'), message.value(b'content-encoding'), message.body)

    def _start(self, line):
        if line.startswith(b'SIP/2.0'):
            phrase = line[12:].strip()
            if phrase.lower() not in PHRASES:
                self._words('phrase', phrase)
        else:
            self._any('request uri', line)

    def _header(self, name, value):
        if name in CALL_IDS:
            call_id = value.split(b';')[0].strip()
            for one in call_id.split(b',') if name == b'in-reply-to' else [call_id]:
                self._call_id(one.strip())
            self._parameters(value)
        elif name in KEPT_HEADERS:
            self._parameters(value)
        elif name in (b'user-agent', b'server', b'organization', b'subject', b'x-asterisk-hangupcause'):
            kind = 'agent' if name in (b'user-agent', b'server') else name.decode()
            if not (name == b'x-asterisk-hangupcause' and value.lower() in PHRASES):
                self._sink.text(kind, value)
                self._words(kind, value)
        elif name in CREDENTIALS:
            for key, text in re.findall(rb'([\w-]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^\s,]+)', value):
                self._parameter(key.lower(), text)
        elif name == b'identity':
            # The first part of a token is its type, which is the same for everybody.
            for part in value.split(b';')[0].split(b'.')[1:]:
                self._sink.text('identity', part)
                try:
                    self._any('identity', base64.urlsafe_b64decode(part + b'=' * (-len(part) % 4)))
                except ValueError:
                    pass
        elif name == b'reason':
            for text in QUOTED.findall(value):
                if text.lower() not in PHRASES:
                    self._words('reason', text)
        elif name == b'warning':
            self._words('warning', QUOTED.sub(b'', value)[3:])
            for text in QUOTED.findall(value):
                self._words('warning', text, least=8)
        else:
            self._any(name.decode('latin-1') or 'line', value)

    def _call_id(self, value):
        self._sink.text('call-id', value)
        for part in value.split(b'@'):
            self._sink.text('call-id', part)

    def _any(self, kind, value, depth=0):
        """A value of no known form: its URIs, quoted texts, parameters and words."""
        for scheme, rest in URI.findall(value):
            self._uri(scheme.lower(), rest, depth)
        without = URI.sub(b' ', value)
        for text in QUOTED.findall(without):
            plain = re.sub(rb'\\(.)', rb'\1', text)
            self._sink.text('display', plain)
            self._words('display', plain)
        without = QUOTED.sub(b' ', without)
        self._parameters(without)
        before = re.match(rb'\s*([^<,;"=]+?)\s*<', value)
        if before:
            self._sink.text('display', before.group(1))
        # `name=value` at the start is a parameter too: its name stays.
        self._words(kind, NAMED.sub(b' ', PARAMETER.sub(b' ', without)))

    def _uri(self, scheme, rest, depth):
        rest = rest.rstrip(b',').rstrip(b'>')
        rest, _, headers = rest.partition(b'?')
        pieces = rest.split(b';')
        user, at, host = pieces[0].rpartition(b'@')
        if scheme == b'tel' or not at and scheme in (b'urn', b'cid'):
            user, host = (pieces[0], b'') if scheme != b'urn' else (b'', b'')
            if scheme == b'urn' and not pieces[0].lower().startswith((b'ietf', b'3gpp', b'service', b'urn-')):
                self._sink.text('urn', pieces[0])
                self._words('urn', pieces[0].split(b':', 1)[-1])
        if user:
            name, _, password = user.partition(b':')
            self._sink.text('user', name)
            self._sink.text('user', unescaped(name))
            self._sink.text('password', password)
            if b';' in rest.split(b'@')[0]:
                self._words('user', rest.split(b'@')[0])
                more = rest.split(b'@', 1)[-1]
                pieces = more.split(b';')
                host = pieces[0]
        elif b'@' in rest:
            user, _, host = rest.rpartition(b'@')
            self._words('user', user)
            host = host.split(b';')[0]
        self._host(host, scheme)
        self._parameters(b';' + b';'.join(pieces[1:]) if len(pieces) > 1 else b'')
        if headers and depth < 3:
            for part in headers.split(b'&'):
                key, _, value = part.partition(b'=')
                if key.lower() in (b'replaces', b'call-id', b'in-reply-to', b'join'):
                    self._header(key.lower(), unescaped(value))
                else:
                    self._any('uri header', unescaped(value), depth + 1)

    def _host(self, host, scheme):
        host = re.sub(rb':\d+$', b'', host.split(b'/')[0]).strip(b'[]>')
        self._sink.text('host', host)
        for label in host.split(b'.'):
            self._sink.text('label', label)
        if scheme in (b'http', b'https'):
            self._words('path', host)

    def _parameters(self, value):
        for key, text in PARAMETER.findall(value):
            self._parameter(key.lower(), text)

    def _parameter(self, key, text):
        text = text.strip(b'"')
        if key in KEPT_PARAMETERS or not text:
            return
        kind = VALUES.get(key, 'parameter ' + key.decode('latin-1'))
        if kind == 'nonce' or kind == 'digest':
            self._sink.text(kind, text)
        elif kind in ('tag', 'branch'):
            self._sink.text(kind, text[7:] if text.startswith(b'z9hG4bK') else text)
        elif kind == 'parameter uri' or URI.match(text):
            self._any('uri', text)
        elif key == b'boundary':
            self._sink.text('boundary', text)
        else:
            self._sink.text(kind, text)
            self._words(kind, text)

    def _words(self, kind, text, least=4):
        for word in WORD.findall(text):
            if len(word) >= least:
                self._sink.text(kind, word)
            plain = unescaped(word)
            if plain != word:
                self._sink.text(kind, plain)

    def _body(self, kind, encoding, body):
        if not body.strip():
            return
        if encoding.lower() in (b'gzip', b'deflate', b'x-gzip'):
            try:
                body = zlib.decompressobj(47).decompress(body, 1 << 24)
            except zlib.error:
                pass
        low = kind.lower()
        boundary = re.search(rb'boundary\s*=\s*"?([^";]+)', kind, re.I)
        if low.startswith(b'multipart/') and boundary:
            for part in body.split(b'--' + boundary.group(1))[1:]:
                if part.startswith(b'--'):
                    self._words('epilogue', part[2:])
                    continue
                inner = Message(b'\n' + part.lstrip(b'\r\n'))
                for name, value in inner.headers:
                    if name == b'content-id':
                        self._sink.text('content-id', value.strip(b'<> '))
                    else:
                        self._header(name, value)
                self._body(inner.value(b'content-type'), inner.value(b'content-transfer-encoding'), inner.body)
        elif b'sdp' in low or body.startswith(b'v=0'):
            sdp(body, self)
        elif low.startswith(b'message/sipfrag') or low.startswith(b'message/sip'):
            if body.strip().lower()[12:] not in PHRASES:
                self.read(body)
        else:
            self._other_body(low, body)

    def _other_body(self, kind, body):
        whole = body.strip()
        if b'vq-rtcpxr' in kind or b'dtmf' in kind:
            self._figures(whole)
            return
        if kind.startswith(b'application/simple-message-summary'):
            # How many messages wait; the account is whose they are.
            for line in whole.splitlines():
                name, _, value = line.partition(b':')
                if name.strip().lower() not in (b'messages-waiting', b'voice-message', b'fax-message', b'text-message'):
                    self._any('body', value)
            return
        if len(whole) >= 8:
            self._sink.whole('body', whole)
        text = XML_NAMES.sub(b' ', whole) if b'xml' in kind else whole
        for line in text.splitlines():
            if len(line.strip(b' \t<>/')) >= 8:
                self._sink.whole('body', line.strip(b' \t<>/'))
        for scheme, rest in URI.findall(text):
            self._uri(scheme.lower(), rest, 1)
        self._words('body', URI.sub(b' ', text), least=5)


    def _figures(self, body):
        """A report of a phone, which calltap reads, or a pressed key: its names and figures stay, whom it tells of does not."""
        for line in body.splitlines():
            name, _, value = line.partition(b':')
            if name.strip().lower() in (b'callid', b'x-callid'):
                self._call_id(value.strip())
            elif name.strip().lower() == b'localmac':
                self._sink.text('mac', value.strip())
            elif b'ID' in name or b'Addr' in name:
                # The SSRC is that of the RTP, which stays.
                self._any('report', re.sub(rb'SSRC=\S+', b' ', value))
            if line.lower().startswith(b'signal=') and line[7:].strip() not in (b'0', b''):
                self._sink.text('key', line.strip())


def sdp(body, reader):
    """Names, addresses, keys and identifiers of SDP; ports, formats and numbers stay."""
    sink = reader._sink
    for line in re.split(rb'\r?\n', body):
        key, value = line[:2], line[2:].strip()
        if key == b'o=':
            parts = value.split()
            if parts and parts[0] != b'-':
                sink.text('user', parts[0])
            sink.text('host', parts[-1] if len(parts) == 6 else b'')
            # The version after it only counts up.
            sink.text('sdp session', parts[1] if len(parts) > 1 else b'')
        elif key in (b's=', b'i=', b'e=', b'p=', b'u=', b'k=', b'z='):
            if value not in (b'-', b''):
                sink.text('sdp text', value)
                reader._words('sdp text', value)
        elif key == b'c=':
            sink.text('host', value.split()[-1].split(b'/')[0] if value else b'')
        elif key == b'a=':
            _attribute(value, reader)


def _attribute(value, reader):
    sink, (name, _, rest) = reader._sink, value.partition(b':')
    name = name.lower()
    if name == b'crypto':
        for key in re.findall(rb'inline:([^\s|]+)', rest):
            sink.text('media key', key)
    elif name == b'ssrc':
        text = rest.partition(b' ')[2].partition(b':')[2]
        sink.text('cname', text)
        reader._words('cname', text)
    elif name == b'fingerprint':
        sink.text('fingerprint', rest.split()[-1] if rest else b'')
    elif name in (b'ice-ufrag', b'ice-pwd', b'msid', b'cname', b'label', b'key-mgmt', b'tool', b'path', b'identity', b'tls-id'):
        sink.text(name.decode(), rest)
        reader._words(name.decode(), rest)
    elif name == b'candidate':
        parts = rest.split()
        for at in (4, 9):
            if len(parts) > at:
                sink.text('host', parts[at])
        for i, word in enumerate(parts[:-1]):
            if word == b'ufrag':
                sink.text('ice-ufrag', parts[i + 1])
    elif name == b'rtcp':
        sink.text('host', rest.split()[-1] if len(rest.split()) > 1 else b'')
    elif name in (b'rtpmap', b'fmtp', b'rtcp-fb', b'extmap', b'ptime', b'group', b'mid', b'ssrc-group', b'msid-semantic', b'rtcp-xr', b'rid', b'simulcast', b'curr', b'des', b'conf', b'silencesupp', b'imageattr', b'framesize', b'framerate', b'sctpmap'):
        return
    elif name.startswith((b't38', b'alt', b'x-')) or name not in STOP:
        if not name.startswith(b't38'):
            reader._words('sdp attribute', rest, least=5)
