"""
What calltap answers of an original and of what was written from it: every document must be the same but for names, and each name of
one must stand for one name of the other. The mapping is learned from the pair. tshark, where it is there, must see the same protocols
and no error that the original did not have.
"""
import json
import os
import re
import shutil
import subprocess
import time
import urllib.parse
import urllib.request

PROGRAM = os.environ.get('CALLTAP', os.path.join(os.path.dirname(__file__), '../../dist/program/calltap.js'))
TIME = re.compile(r'^\d{4}-\d\d-\d\dT[\d:.]+Z?$')
POINTER = re.compile(r'\S+#\d+@[0-9a-f]{16}')
ADDRESS = re.compile(r'(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])|(?<![\w:])[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){2,7}(?:\d+\.\d+\.\d+\.\d+)?(?![\w:])')
TOKEN = re.compile(r'[^\s"<>()\[\],;=@/?&]+')
# Counters of the capture: frames that are left out are counted where they are, so these differ with reason.
# TLS is left out, and with it what says that there was some.
OF_THE_FILE = {'encrypted_sip_flows', 'next_cursor', 'capture_name', 'frames_read', 'uptime_sec', 'frame', 'frames', 'losses', 'capture_quality', 'learned_sip_sockets', 'source', 'sources', 'elapsed_sec', 'undecoded'}
# Names of one kind under several keys.
SPACES = {'from': 'user', 'to': 'user', 'from_user': 'user', 'to_user': 'user', 'from_display': 'display', 'to_display': 'display'}
MOST_DIALOGS, MOST_LINES = 60, 40
DOCUMENTS = ('/v1/dialogs/{}/report', '/v1/dialogs/{}/correlated', '/v1/dialogs/{}/tree', '/v1/dialogs/{}/lint')
ASKED = ('/ask/calls/{}', '/ask/calls/{}/ladder?legs=true')
LISTS = ('/ask/findings', '/ask/registrations?limit=1000', '/v1/report', '/v1/stats')


class Served:
    """calltap while it serves a capture that it has read to the end."""

    def __init__(self, path):
        command = ['node', PROGRAM, path, '--api', '127.0.0.1:0', '--ask', '--api-max-rows', '100000']
        self._child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.said = ''
        for line in self._child.stderr:
            self.said += line
            found = re.match(r'api listening on (http://\S+)', line)
            if found:
                self._base = found.group(1)
                break
        else:
            raise OSError(self.said.strip())

    def __enter__(self):
        while self.get('/v1/stats').get('source_exhausted') is False:
            time.sleep(0.05)
        return self

    def __exit__(self, *_):
        self._child.terminate()
        self._child.stderr.read()
        self._child.wait()

    def get(self, path):
        while True:
            try:
                with urllib.request.urlopen(self._base + path, timeout=60) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                detail = json.load(error).get('detail')
                if error.code != 503:
                    return {'status': error.code, 'detail': detail}
                time.sleep(0.3)  # It takes 100 requests a second.


class Pair:
    def __init__(self):
        self.lines, self._to, self._from, self.call_ids = [], {}, {}, {}

    def differ(self, where, left, right):
        if len(self.lines) < MOST_LINES:
            self.lines.append(f'{where}\t{json.dumps(left)[:160]}\t{json.dumps(right)[:160]}')

    def learn(self, space, left, right, where):
        for table, key, value, other in ((self._to, (space, left), right, 'one becomes two'), (self._from, (space, right), left, 'two become one')):
            known = table.setdefault(key, value)
            if known != value:
                self.differ(f'{where}: {other} ({key[1]})', known, value)

    def walk(self, left, right, where):
        key = where.rsplit('.', 1)[-1]
        if key in OF_THE_FILE:
            return
        if isinstance(left, dict) and isinstance(right, dict):
            for name in sorted(set(left) | set(right)):
                if name not in left or name not in right:
                    if name not in OF_THE_FILE:
                        self.differ(f'{where}.{name}', left.get(name), right.get(name))
                else:
                    self.walk(left[name], right[name], f'{where}.{name}')
        elif isinstance(left, list) and isinstance(right, list):
            if len(left) != len(right):
                self.differ(where, left, right)
                return
            for one, other in zip(left, right):
                self.walk(one, other, where)
        elif isinstance(left, str) and isinstance(right, str):
            self._texts(left, right, where, key)
        elif left != right:
            self.differ(where, left, right)

    def _texts(self, left, right, where, key):
        if left in self.call_ids:
            if self.call_ids[left] != right:
                self.differ(f'{where}: another Call-ID', left, right)
            return
        left, right = POINTER.sub('(frame)', left), POINTER.sub('(frame)', right)
        if left == right and key not in SPACES and not ADDRESS.search(left):
            return
        if TIME.match(left) or TIME.match(right):
            self.differ(where, left, right)
            return
        ours, theirs = ADDRESS.findall(left), ADDRESS.findall(right)
        if len(ours) != len(theirs):
            self.differ(where, left, right)
            return
        for one, other in zip(ours, theirs):
            self.learn('address', one, other, where)
        ours, theirs = TOKEN.findall(ADDRESS.sub(' ', left)), TOKEN.findall(ADDRESS.sub(' ', right))
        if len(ours) != len(theirs):
            self.differ(where, left, right)
            return
        for one, other in zip(ours, theirs):
            if one != other or key in SPACES:
                self.learn(SPACES.get(key, key), one, other, where)


def differences(original, written):
    pair = Pair()
    with Served(original) as before, Served(written) as after:
        left, right = before.get('/v1/dialogs?limit=100000'), after.get('/v1/dialogs?limit=100000')
        ours, theirs = _in_order(left.pop('dialogs')), _in_order(right.pop('dialogs'))
        pair.walk(left, right, 'dialogs')
        for one, other in zip(ours, theirs):
            pair.call_ids[one['call_id']] = other['call_id']
        if len(set(pair.call_ids.values())) != len(pair.call_ids):
            pair.differ('two Call-IDs become one', len(pair.call_ids), len(set(pair.call_ids.values())))
        for one, other in zip(ours, theirs):
            pair.walk(one, other, 'dialog')
        for one, other in list(zip(ours, theirs))[:MOST_DIALOGS]:
            names = [urllib.parse.quote(dialog['call_id'], safe='') for dialog in (one, other)]
            for form in DOCUMENTS + ASKED:
                documents = [served.get(form.format(name)) for served, name in zip((before, after), names)]
                pair.walk(*documents, form.format('').replace('//', '/') + ' ' + one['created_at'])
        left, right = (sorted(served.get('/v1/streams?limit=100000')['streams'], key=_stream) for served in (before, after))
        pair.walk(left, right, 'streams')
        for path in LISTS:
            pair.walk(before.get(path), after.get(path), path)
    return pair.lines + tshark_differences(original, written)


def _in_order(dialogs):
    return sorted(dialogs, key=lambda dialog: (dialog['created_at'], dialog['method'], dialog['updated_at'], dialog['msg_count'], dialog['state']))


def _stream(stream):
    return stream['ssrc'], stream['packets'], stream['dst'].rsplit(':', 1)[1], stream['src'].rsplit(':', 1)[1]


SEEN = ('sip.Method', 'sip.Status-Code', 'sdp.media', 'stun.type')
METHODS = set('INVITE ACK BYE CANCEL REGISTER OPTIONS PRACK SUBSCRIBE NOTIFY PUBLISH INFO REFER MESSAGE UPDATE'.split())
# tshark itself lost a stream whose segments are out of order, and what it says of that is chance.
LOST = ('New fragment overlaps', 'Decompression failed', 'Trailing stray')
MOST_WEIGHT, OF_SEQUENCE = 0x600000, 0x02000000  # warnings and errors; but not what TCP misses where frames are left out


def _tshark(path):
    command = ['tshark', '-n', '-r', path, '-T', 'fields', '-E', 'separator=/t', '-E', 'occurrence=a', '-E', 'aggregator=|']
    for name in ('ip', 'udp', 'tcp'):
        command += ['-o', f'{name}.check_checksum:TRUE']
    for field in ('frame.time_epoch', '_ws.expert.severity', '_ws.expert.group', '_ws.expert.message', *SEEN):
        command += ['-e', field]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    frames = []
    for number, line in enumerate(run.stdout.decode('utf-8', 'replace').split('\n')[:-1], 1):
        at_time, weights, groups, texts, *seen = line.split('\t')
        experts = zip(weights.split('|'), groups.split('|'), texts.split('|'))
        errors = [(group, text) for weight, group, text in experts if weight and int(weight) >= MOST_WEIGHT and int(group or 0) != OF_SEQUENCE]
        # What tshark takes for a method may be anything; media that it guesses from other frames is left to calltap's reading.
        seen[0] = '|'.join(method for method in seen[0].split('|') if method in METHODS)
        # It reads SIP in the data of STUN, which calltap does not, so that it is none afterwards.
        frames.append((number, at_time, errors, [] if seen.pop() else seen))
    return frames


def tshark_differences(original, written):
    """Frames are paired by their time, in order: what was left out has no partner."""
    if not shutil.which('tshark'):
        return []
    lines, at = [], 0
    before = _tshark(original)
    if any(lost in text for _, _, errors, _ in before for _, text in errors for lost in LOST):
        return []
    for number, at_time, errors, seen in _tshark(written):
        start = at
        while at < len(before) and before[at][1] != at_time:
            at += 1
        if at == len(before):
            lines.append(f'tshark\tframe {number} at {at_time} has no original')
            at = start
            continue
        # Of several frames at one time some may be left out: the first that looks the same is the partner.
        same = at
        while same < len(before) and before[same][1] == at_time and before[same][3] != seen:
            same += 1
        at = same if same < len(before) and before[same][1] == at_time else at
        known, theirs = before[at][2], before[at][3]
        if len(errors) > len(known):
            lines.append(f'tshark\tframe {number} (was {before[at][0]}): {[text for _, text in errors]}, was {[text for _, text in known]}')
        if theirs != seen:
            lines.append(f'tshark\tframe {number} (was {before[at][0]}): sees {seen}, was {theirs}')
        at += 1
    return lines[:MOST_LINES]
