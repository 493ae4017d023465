"""
Examines captures that calltap made anonymous. It shares no code with calltap: what it says, it read from the bytes.

    leaks.py originals FILE...               the originals of each capture, by kind
    leaks.py search ORIGINAL WRITTEN...      what of ORIGINAL is still in all of WRITTEN, each made with another key
    leaks.py compare ORIGINAL WRITTEN        where calltap says something else of WRITTEN, names aside; and tshark
    leaks.py examine FILE...                 all of it, with calltap (CALLTAP names its program, dist/program/calltap.js)
    leaks.py nasty FOLDER                    writes captures with originals in odd places
    leaks.py mutate FILE SEED COUNT FOLDER   writes captures with bytes of FILE changed

Options of search: --keep-audio (sound was asked to be kept), --kept=WORD (so was this word), --planted (a capture of `nasty`),
--quick (not twice with one key), --each (WRITTEN are captures of many, such as of `mutate`: a leak in any of them counts).
Lines of findings go to standard output, and the exit code is 1 if there are any. `search --help` says what is looked for where.
"""
import ipaddress
import os
import sys

import compare
import examine
import mutate
import nasty
import people
import search
from capture import Capture, unpacked
from originals import Originals, of_file


def haystack_of(path):
    with open(path, 'rb') as file:
        data = unpacked(file.read())
    return search.Haystack(Originals(Capture(data)), data, os.path.basename(path).encode())


def originals(paths):
    for path in paths:
        found = of_file(path)
        for text, kind in sorted(found.texts.items(), key=lambda item: (item[1], item[0])):
            print(f'{path}\t{kind}\t{text.decode("utf-8", "backslashreplace")}')
        for address, kind in found.addresses.items():
            print(f'{path}\t{kind}\t{address.hex()}')
        for mac in sorted(found.macs):
            print(f'{path}\tmac\t{mac.hex(":")}')
    return 0


def searched(original, written, options=()):
    found = of_file(original)
    kept = [option.partition('=')[2].encode() for option in options if option.startswith('--kept=')]
    if '--planted' in options:
        for text in people.TEXTS:
            found.texts.setdefault(text.encode(), 'planted')
        for address in people.ADDRESSES:
            found.addresses.setdefault(ipaddress.ip_address(address).packed, 'planted')
    lines = []
    is_each = '--each' in options
    if is_each:
        # A changed byte moves an address into a field that stays, such as a port or a sequence number: bytes tell nothing then.
        found.texts = {text: kind for text, kind in found.texts.items() if search.is_strong(text)}
    for together in [[path] for path in written] if is_each else [written]:
        for kind, text, where in search.leaks(found, [haystack_of(path) for path in together], '--keep-audio' in options, not is_each):
            if text not in kept:
                lines.append(f'{original}\t{kind}\t{text.decode("utf-8", "backslashreplace")}\t{where}\t{os.path.basename(together[0])}')
    # In one order, whatever the seed of Python's hashes is.
    return sorted(lines)


def main(arguments):
    options = [argument for argument in arguments if argument.startswith('-')]
    command, *paths = [argument for argument in arguments if not argument.startswith('-')] or ['help']
    if command == 'help' or '--help' in options:
        print(search.__doc__ if command == 'search' else __doc__)
        return 0
    if command == 'originals':
        return originals(paths)
    if command == 'search':
        lines = searched(paths[0], paths[1:], options)
    elif command == 'compare':
        lines = compare.differences(paths[0], paths[1])
    elif command == 'examine':
        lines = [line for path in paths for line in examine.examine(path, searched, options)]
    elif command == 'nasty':
        nasty.write_all(paths[0])
        return 0
    elif command == 'mutate':
        mutate.write(paths[0], int(paths[1]), int(paths[2]), paths[3])
        return 0
    else:
        raise SystemExit(__doc__)
    for line in lines:
        print(line)
    return 1 if lines else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
