"""
The originals of a capture: every text, address and sound in it that somebody could be known by, by kind; and where they may be
looked for in a capture that was written (`pieces`: what is put together, unmasked and unpacked; `heads`: frames without sound).
"""
import ipaddress
import re

import payloads
from capture import Capture
from layers import UDP, Layers
from sip import START, Message, SipReader, unescaped
from standards import KEPT_HEADERS, XML_NAMES, is_kept
from streams import Streams, is_web_socket, looks_like_frames, sip_messages, web_socket_messages

IP4_TEXT = re.compile(rb'(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d]|\.\d)')
IP6_TEXT = re.compile(rb'(?<![0-9a-zA-Z:.])(?=[0-9a-fA-F:.]*:[0-9a-fA-F]*:)[0-9a-fA-F:]{2,39}(?:\d+\.\d+\.\d+\.\d+)?(?![0-9a-zA-Z:])')
MAC_TEXT = re.compile(rb'(?<![0-9a-fA-F:.-])[0-9a-fA-F]{2}(?:[:-][0-9a-fA-F]{2}){5}(?![0-9a-fA-F:-])')
PRINTABLE = re.compile(rb'[\x20-\x7e\t\r\n\x80-\xff]{6,}')
ASCII = re.compile(rb'[\x20-\x7e]{6,}')
MOST_SOUNDS, SOUND = 500, 24
NUMBERED = ('user', 'display', 'number', 'file', 'body')
DIGITS = re.compile(rb'^\+?[\d().\- ]+$')
# A measurement, and a socket of nobody: X-RTP-Stat has both.
FIGURES = re.compile(rb'\d{1,4}\.\d{1,2}|0\.0\.0\.0:\d{1,5}')


def is_special(address):
    """An address that keeps its class and may keep itself: nobody's."""
    a = ipaddress.ip_address(address)
    if a.version == 6 and a.ipv4_mapped:
        a = a.ipv4_mapped
    if a.version == 4:
        return a.packed[0] in (0, 127) or a.packed[0] >= 224
    return a.is_multicast or a.is_unspecified or a.is_loopback


class Originals:
    def __init__(self, capture):
        self.texts, self.addresses, self.macs, self.sounds = {}, {}, set(), []
        self.events, self.extensions = {}, {}
        self.heads, self.pieces, self.named, self.payloads = [], [], set(), 0
        self.notes = [value for _, value in capture.texts]
        self._sip, self._streams, self._found, self._event_types = SipReader(self), Streams(), False, set()
        layers = Layers(self)
        for what, value in capture.texts:
            self._file_text(what, value)
        for _, link, data, _ in capture.frames:
            self._found, self._cuts = False, []
            layers.frame(link, data)
            self._keep_head(data)
            if not self._found and b'SIP/2.0' in data:
                self._sip_message(data[START.search(data).start() :] if START.search(data) else data)
        for flow, data in self._streams.whole():
            self._stream(flow, data)
        self.heads = b'\n'.join(self.heads)
        self._forget_named()

    # What layers and payloads hand over

    def address(self, kind, value):
        if kind == 'mac':
            if len(value) == 6 and not value[0] & 1 and any(value):
                self.macs.add(value)
        elif len(value) in (4, 16) and not is_special(value):
            self.addresses.setdefault(value, kind)
            if len(value) == 16 and value[11:13] == b'\xff\xfe':
                self.macs.add(bytes([value[8] ^ 2]) + value[9:11] + value[13:])

    def datagram(self, protocol, source, target, ports, data):
        self._found = True
        if not data:
            return
        if protocol != UDP:
            self.strings('other', data)
        else:
            self.payload(data, 'udp')

    def tcp(self, flow, sequence, flags, data):
        self._found = True
        self._streams.add(flow, sequence, flags, data)

    def payload(self, data, where):
        kind = payloads.kind_of(data)
        if kind == 'rtp' and where != 'stream':
            self._rtp(data)
            return
        self.payloads += 1
        self.pieces.append(data)
        try:
            if kind == 'sip':
                self._sip_message(data)
            elif kind == 'channel':
                self.payload(data[4:], 'channel')
            elif kind in ('stun', 'rtcp', 'hep', 'hep2'):
                getattr(payloads, kind)(data, self)
            else:
                self.strings('other', data)
        except (IndexError, ValueError, payloads.struct.error):
            self.strings('other', data)

    def text(self, kind, value):
        value = value.strip(b' \t\r\n\0"')
        if len(set(value)) < 2 or is_kept(value) or FIGURES.fullmatch(value) or not re.search(rb'[A-Za-z0-9\x80-\xff]', value):
            return
        for found in (value, unescaped(value)):
            self._addresses_in(found)
        if IP4_TEXT.fullmatch(value) or IP6_TEXT.fullmatch(value.strip(b'[]')):
            return
        if value.isdigit() and len(value) < 6 and kind not in ('user', 'display', 'number', 'tag', 'call-id'):
            return
        if kind == 'label' and (len(value) < 4 or value.isdigit()):
            return
        self.texts.setdefault(value.lower() if kind in ('host', 'label') else value, kind)
        for part in re.split(rb'[^A-Za-z0-9\x80-\xff]+', value):
            if len(part) >= 8 and part != value and not is_kept(part):
                self.texts.setdefault(part, kind)
        digits = re.sub(rb'\D', b'', value)
        if kind in NUMBERED and DIGITS.match(value) and len(digits) >= 9:
            self.texts.setdefault(digits.lstrip(b'0'), kind)
            self.texts.setdefault(digits[-8:], kind)

    def whole(self, kind, value):
        """A text that is told as a whole: its words may be anybody's."""
        if not all(is_kept(word) or len(word) < 4 for word in re.findall(rb'[\w.-]+', XML_NAMES.sub(b' ', value))):
            self.texts.setdefault(value, kind)

    def strings(self, kind, data):
        """The words of something unknown: what a reader of the file would see with `strings`."""
        for run in ASCII.findall(data):
            self._addresses_in(run)
            for word in re.findall(rb"[A-Za-z0-9_@.%+-]{8,}", run):
                self.text(kind, word)

    # Reading

    def _file_text(self, what, value):
        if len(value) == 6 and what.startswith('option 6 '):
            self.address('mac', value)
        elif what == 'resolved address' or what.startswith(('option 4 of block 0x1', 'option 5 of block 0x1')):
            self.address('ip4', value[:16] if len(value) >= 16 else value[:4])
        elif PRINTABLE.fullmatch(value) or what == 'resolved name':
            self.text('file', value)
            for word in re.findall(rb'[^\s"<>()\[\]{},;=:/&|]+', value):
                if len(word) >= 5:
                    self.text('file', word)
        else:
            self.strings('file', value)

    def _sip_message(self, data):
        message = Message(data)
        for name, value in message.headers:
            self.named.add(name)
            self.named.update(part for part in name.split(b'-') if len(part) > 3)
            if name in KEPT_HEADERS and name != b'content-type':
                self.named.update(word.lower() for word in re.findall(rb"[^\s\"<>,;=]+", value))
        for name in re.findall(rb'[;?&]\s*([\w.+-]+)\s*=', data):
            self.named.add(name.lower())
        for name in re.findall(rb'\na=([\w.+-]+)', data):
            self.named.add(name.lower())
        self._event_types.update(int(kind) for kind in re.findall(rb'a=rtpmap:(\d+) telephone-event', data))
        self._sip.read(data)

    def _addresses_in(self, text):
        for found in IP4_TEXT.findall(text) + IP6_TEXT.findall(text):
            try:
                self.address('text', ipaddress.ip_address(found.decode()).packed)
            except ValueError:
                pass
        for found in MAC_TEXT.findall(text):
            self.address('mac', bytes.fromhex(re.sub(rb'[:-]', b'', found).decode()))

    def _rtp(self, data):
        ssrc, sequence, kind, extension, payload = payloads.rtp(data)
        self._cuts.append((data, len(data) - len(payload)))
        if any(extension):
            self.extensions[ssrc, sequence] = extension
        if len(payload) in (4, 8, 12) and kind >= 96 and payload[0] < 16:
            self.events[ssrc, sequence] = payload[0]
        elif len(self.sounds) < MOST_SOUNDS and len(payload) >= SOUND:
            middle = payload[len(payload) // 2 - SOUND // 2 :][:SOUND]
            if len(set(middle)) > SOUND // 2:
                self.sounds.append(middle)

    def _keep_head(self, frame):
        """The frame without the sound in it: binary addresses are looked for in what is left."""
        for data, size in self._cuts:
            frame = frame.replace(data[size:], b'', 1) if len(data) > size else frame
        self.heads.append(frame)

    def _stream(self, flow, data):
        self.pieces.append(data)
        if is_web_socket(data) or (b'SIP/2.0' not in data[:2048] and looks_like_frames(data)):
            for message in web_socket_messages(data):
                if is_web_socket(message):
                    self._sip.read(b'\n' + message)
                self.payload(message, 'stream')
        elif data[:4] == b'HEP3':
            at = 0
            while data[at : at + 4] == b'HEP3':
                size = max(6, int.from_bytes(data[at + 4 : at + 6], 'big'))
                self.payload(data[at : at + size], 'stream')
                at += size
        elif b'SIP/2.0' in data:
            for message in sip_messages(data):
                self.payload(message, 'stream')
        else:
            self.strings('other', data)

    def _forget_named(self):
        """Names of headers, parameters and attributes stay, so that they are no originals where they also stand as values."""
        for text in [text for text in self.texts if text.lower() in self.named]:
            del self.texts[text]


def of_file(path):
    with open(path, 'rb') as file:
        return Originals(Capture(file.read()))
