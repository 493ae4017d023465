"""Captures with bytes changed, the same ones for the same seed: in frames, whose records stay right, or anywhere in the file."""
import os
import random
import struct

from capture import Capture

TELLING = [b'\r\n', b'\n', b'\r\n\r\n', b':', b'"', b'<', b'>', b';', b'%', b'\\', b'\0', b'\xff', b' ', b'@', b',', b'[', b'--', b'SIP/2.0', b'=']


def mutated(data, rng):
    capture = Capture(data)
    links = {link for _, link, _, _ in capture.frames}
    if len(links) != 1 or rng.random() < 0.15:
        return _changed(data, rng, 24)
    frames = [(at, frame) for at, _, frame, _ in capture.frames]
    for _ in range(rng.randint(1, 4)):
        i = rng.randrange(len(frames))
        at, frame = frames[i]
        way = rng.random()
        if way < 0.08:
            frames.pop(i) if len(frames) > 1 else None
        elif way < 0.14:
            frames.insert(rng.randrange(len(frames) + 1), frames[i])
        elif way < 0.24:
            frames[i] = (at, frame[: rng.randrange(len(frame) + 1)])
        else:
            frames[i] = (at, _changed(frame, rng))
    head = struct.pack('<IHHiIII', 0xA1B23C4D, 2, 4, 0, 0, 262_144, links.pop())
    records = (struct.pack('<IIII', at // 1_000_000_000 & 0xFFFFFFFF, at % 1_000_000_000, len(frame), len(frame)) + frame for at, frame in frames)
    return head + b''.join(records)


def _changed(data, rng, spared=0):
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        if len(data) <= spared:
            break
        at, way = rng.randrange(spared, len(data)), rng.randrange(7)
        size = min(rng.choice((1, 2, 4, 16, 100)), len(data) - at)
        if way == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif way == 1:
            data[at : at + size] = rng.randbytes(size)
        elif way == 2:
            del data[at : at + size]
        elif way == 3:
            data[at:at] = rng.randbytes(size)
        elif way == 4:
            word = rng.choice(TELLING)
            data[at : at + rng.choice((0, len(word)))] = word
        elif way == 5:
            other = rng.randrange(spared, len(data))
            data[at:at] = data[other : other + size]
        else:
            # Lengths of headers and protocols are in the first bytes.
            data[rng.randrange(min(len(data), 64))] = rng.choice((0, 1, 4, 0x40, 0x7F, 0x80, 0xFF))
    return bytes(data)


def write(path, seed, count, folder):
    with open(path, 'rb') as file:
        data = file.read()
    os.makedirs(folder, exist_ok=True)
    name = os.path.basename(path)
    for i in range(count):
        with open(os.path.join(folder, f'{seed + i:06d}-{name}'), 'wb') as file:
            file.write(mutated(data, random.Random(f'{name} {seed + i}')))
