"""
The whole examination of captures: calltap makes each anonymous with two keys of its own, twice with the first; nothing of the original
may be in the results, what calltap and tshark say of them must be the same, and the same key must give the same bytes.
"""
import os
import subprocess
import tempfile

import compare
from capture import unpacked

LIMIT_S = 300


def examine(path, searched, options=()):
    """Lines of what is wrong with the anonymized captures of this one. `searched` is the search of one original in files."""
    with open(path, 'rb') as file:
        ending = 'pcapng' if unpacked(file.read(64) + b'')[:4] == b'\x0a\x0d\x0d\x0a' else 'pcap'
    with tempfile.TemporaryDirectory(prefix='calltap-leaks-') as folder:
        written, lines = [], []
        runs = [('one', 'key-a'), ('two', 'key-b'), ('again', 'key-a')]
        for name, key in runs[: 2 if '--quick' in options else 3]:
            out = os.path.join(folder, f'{name}.{ending}')
            run = anonymized(path, out, os.path.join(folder, key), options)
            if run.returncode or not os.path.exists(out):
                return [f'{path}\tprogram\texit code {run.returncode}\t{run.stderr.strip()[-400:]!r}']
            if 'Error' in run.stderr or '\n    at ' in run.stderr:
                lines.append(f'{path}\tprogram\t{run.stderr.strip()[-400:]!r}')
            written.append(out)
        if len({_bytes(out) for out in written[0::2]}) > 1:
            lines.append(f'{path}\tprogram\tthe same key gives other bytes')
        lines += searched(path, written[:2], options)
        lines += [f'{path}\tcompare\t{line}' for line in compare.differences(path, written[0])]
        return lines


def _bytes(path):
    with open(path, 'rb') as file:
        return file.read()


def anonymized(path, out, key, options=()):
    command = ['node', compare.PROGRAM, path, '-O', out, f'--anonymize={key}', *(option for option in options if option.startswith('--keep'))]
    if '-E' in options:
        command.append('-E')
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=LIMIT_S, check=False)
