"""
Looks for the originals of one capture in captures written from it, each with a key of its own. An original is told as found only if
all of them have it: a replacement that is an original by chance differs from key to key.

Anywhere in the file, and in what is put together, unmasked, unpacked, decoded (base64 at each alignment, hex, %-escapes, quoted
pairs, folded lines, UTF-16), in any case: texts of 5 characters or more with a letter, and of 7 digits or more. Texts of less than 8,
and those that are nobody's name, must not go on with more of their kind (letters or digits) at either end. Shorter texts are looked for in fields of their kind alone.
Addresses: in text of any spelling, in address fields of layers, STUN, HEP and SDP, in hex, as a number; and at any offset of a frame
outside its sound, also XORed as STUN does and as EUI-64, if three of their bytes differ and are not 0. Sound: 24 bytes of an RTP
payload. Pressed keys: the same event in the same packet.
"""
import base64
import ipaddress
import re
import sys
import zlib
from array import array

from originals import IP4_TEXT, IP6_TEXT, MAC_TEXT

WINDOW, CHUNK = 4, 1 << 20
BASE64 = re.compile(rb'[A-Za-z0-9+/_-]{12,}')
HEX = re.compile(rb'(?:[0-9a-fA-F]{2}){6,}')
WIDE = re.compile(rb'(?:[\x20-\x7e]\0){4,}|(?:\0[\x20-\x7e]){4,}')
FOLDED = re.compile(rb'\r?\n[ \t]+')
MOST_DECODED = 1 << 25
NAMES = ('user', 'host', 'display', 'call-id', 'tag', 'branch', 'number', 'realm', 'nonce', 'planted', 'password')


def is_strong(text):
    letters = re.search(rb'[a-zA-Z\x80-\xff]', text)
    return len(text) >= 5 if letters else len(re.sub(rb'\D', b'', text)) >= 7


def decoded(data, depth=2):
    """All that a patient reader makes of the bytes."""
    todo, size = [(data, depth)], 0
    while todo:
        piece, left = todo.pop()
        yield piece
        size += len(piece)
        if not left or size > MOST_DECODED:
            continue
        for plain in _spelled(piece):
            if plain and plain != piece:
                todo.append((plain, left - 1))


def _spelled(data):
    if b'%' in data:
        yield re.sub(rb'%([0-9a-fA-F]{2})', lambda m: bytes([int(m.group(1), 16)]), data)
    if b'\\' in data:
        yield re.sub(rb'\\(.)', rb'\1', data)
    if FOLDED.search(data):
        yield FOLDED.sub(b' ', data)
        yield FOLDED.sub(b'', data)
    yield b'\n'.join(run.replace(b'\0', b'') for run in WIDE.findall(data))
    yield b'\n'.join(bytes.fromhex(run.decode()) for run in HEX.findall(data))
    yield b'\n'.join(bytes.fromhex(run[1:-1].decode()) for run in HEX.findall(data) if len(run) % 2)
    runs = []
    for run in BASE64.findall(data):
        run = run.replace(b'-', b'+').replace(b'_', b'/')
        for skip in range(4):
            part = run[skip:]
            runs.append(base64.b64decode(part[: len(part) // 4 * 4] + (part[len(part) // 4 * 4 :] + b'===')[:4] if len(part) % 4 > 1 else part[: len(part) // 4 * 4]))
    yield b'\n'.join(runs)
    for head, window in ((b'\x1f\x8b\x08', 31), (b'\x78\x9c', 15), (b'\x78\x01', 15), (b'\x78\xda', 15)):
        at = data.find(head)
        while at >= 0:
            try:
                yield zlib.decompressobj(window).decompress(data[at:], 1 << 22)
            except zlib.error:
                pass
            at = data.find(head, at + 1)


class Haystack:
    """What was written, ready to be looked through. `name` is that of the file: it may tell something too."""

    def __init__(self, written, data, name=b''):
        self.written = written
        seen, parts = set(), [name]
        for piece in (data, written.heads, *written.notes, *written.pieces):
            for plain in decoded(piece, 0 if piece is data and written.heads else 2):
                key = hash(plain)
                if key not in seen:
                    seen.add(key)
                    parts.append(plain)
        self.plain = b'\n'.join(parts)
        self.low = self.plain.lower()
        self.ips, self.macs = set(written.addresses), set(written.macs)
        for found in set(IP4_TEXT.findall(self.plain) + IP6_TEXT.findall(self.plain)):
            try:
                self.ips.add(ipaddress.ip_address(found.decode()).packed)
            except ValueError:
                pass
        for found in MAC_TEXT.findall(self.plain):
            self.macs.add(bytes.fromhex(re.sub(rb'[:-]', b'', found).decode()))
        self._windows = None

    def has(self, text, is_name=True):
        """Whether a strong text stands in it; what is no name must not be a part of a word. The windows are made once, so that a text that is not there costs nothing."""
        low = text.lower()
        if self._windows is None:
            self._windows = [windows_of(self.low[at : at + CHUNK + WINDOW]) for at in range(0, len(self.low), CHUNK)]
        first = int.from_bytes(low[:WINDOW], sys.byteorder)
        for i, windows in enumerate(self._windows):
            if first in windows and self._stands(low, i * CHUNK, (i + 1) * CHUNK + len(low), is_name):
                return True
        return False

    def _stands(self, low, start, end, is_name):
        at = self.low.find(low, start, end)
        while at >= 0:
            if (len(low) >= 8 and is_name) or not (_goes_on(self.low, at - 1, at) or _goes_on(self.low, at + len(low) - 1, at + len(low))):
                return True
            at = self.low.find(low, at + 1, end)
        return False

    def around(self, text):
        at = self.low.find(text.lower())
        return self.plain[max(0, at - 40) : at + len(text) + 40] if at >= 0 else b''


def windows_of(data):
    """The 4 bytes at each offset, as numbers."""
    found = set()
    for start in range(WINDOW):
        part = data[start:]
        found.update(array('I', part[: len(part) // WINDOW * WINDOW]))
    return found


def _goes_on(data, left, right):
    if left < 0 or right >= len(data):
        return False
    pair = data[left : right + 1]
    return pair.isdigit() or pair.isalpha()


def spellings(address):
    """Other spellings of an address that no reading of fields finds."""
    if len(address) == 4:
        yield b'-'.join(b'%d' % byte for byte in address)
        number = int.from_bytes(address, 'big')
        if number > 99_999_999:
            yield b'%d' % number
    yield address.hex().encode()


def is_telling(data):
    return len({byte for byte in data if byte}) >= 3


def _address_stands(address, haystack, reads_bytes):
    if address in haystack.ips:
        return 'as a field or text'
    if len(address) == 4 and b'\0' * 10 + b'\xff\xff' + address in haystack.ips:
        return 'mapped to IPv6'
    if reads_bytes and is_telling(address):
        for spelled in spellings(address):
            if haystack.has(spelled):
                return f'as {spelled.decode()}'
        heads = haystack.written.heads
        if address in heads:
            return f'in a frame: {_hex_around(heads, address)}'
        xored = bytes(a ^ b for a, b in zip(address[:4], b'\x21\x12\xa4\x42'))
        if len(address) == 4 and b'\x00\x01' in heads and xored in heads:
            return f'XORed: {_hex_around(heads, xored)}'
    return ''


def _mac_stands(mac, haystack, reads_bytes):
    heads = haystack.written.heads
    if mac in haystack.macs:
        return 'as a field or text'
    if reads_bytes and is_telling(mac) and (mac in heads or haystack.has(mac.hex().encode())):
        return 'in the bytes'
    if reads_bytes and is_telling(mac) and bytes([mac[0] ^ 2]) + mac[1:3] + b'\xff\xfe' + mac[3:] in heads:
        return 'as EUI-64'
    return ''


def _hex_around(data, part):
    at = data.find(part)
    return f'{data[max(0, at - 8) : at].hex()} {part.hex()} {data[at + len(part) : at + len(part) + 8].hex()}'


def swapped(digits):
    """A number as SS7 writes it: nibbles the other way round."""
    text = digits.decode() + ('f' if len(digits) % 2 else '')
    return bytes.fromhex(''.join(text[i + 1] + text[i] for i in range(0, len(text), 2)))


def leaks(originals, haystacks, keeps_audio=False, reads_bytes=True):
    """(kind, original, where) of each original that every haystack has. Without `reads_bytes` addresses are those of fields and texts."""
    for text, kind in originals.texts.items():
        if is_strong(text):
            if all(haystack.has(text, kind in NAMES) for haystack in haystacks):
                yield kind, text, repr(haystacks[0].around(text))
            elif text.isdigit() and len(text) >= 10 and all(swapped(text) in haystack.written.heads for haystack in haystacks):
                yield kind, text, 'with its nibbles swapped'
        elif len(text) < 5 or not text.isdigit() or kind == 'user':
            if all(haystack.written.texts.get(text) == kind for haystack in haystacks):
                yield kind, text, 'in a field of its kind'
    for address in originals.addresses:
        where = [_address_stands(address, haystack, reads_bytes) for haystack in haystacks]
        if all(where):
            yield 'address', str(ipaddress.ip_address(address)).encode(), where[0]
    for mac in originals.macs:
        where = [_mac_stands(mac, haystack, reads_bytes) for haystack in haystacks]
        if all(where):
            yield 'mac', mac.hex(':').encode(), where[0]
    for key, extension in originals.extensions.items():
        if all(haystack.written.extensions.get(key) == extension for haystack in haystacks):
            yield 'rtp extension', extension.hex().encode(), f'SSRC {key[0]:#x}, sequence {key[1]}'
            break
    if keeps_audio:
        return
    for sound in originals.sounds:
        if all(sound in haystack.plain for haystack in haystacks):
            yield 'sound', sound.hex().encode(), 'RTP payload'
            break
    same = [key for key, event in originals.events.items() if event and all(haystack.written.events.get(key) == event for haystack in haystacks)]
    if same:
        yield 'keys', b'%d' % originals.events[same[0]], f'{len(same)} packets, SSRC {same[0][0]:#x}, sequence {same[0][1]}'
