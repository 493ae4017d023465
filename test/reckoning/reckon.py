#!/usr/bin/env python3
"""
Reckons the metrics of captures from their definitions, and prints them as a line of JSON each: a witness beside calltap that
shares no code with it. Standard library alone.

    python3 reckon.py [--trunk NETWORK=NAME] [--local NETWORK] CAPTURE...
"""
import argparse
import json

from calls import Calls
from families import Families
from media import Media
from messages import Message, read
from trunks import Trunks

METHODS = {
    'INVITE', 'ACK', 'BYE', 'CANCEL', 'REGISTER', 'OPTIONS', 'PRACK', 'SUBSCRIBE', 'NOTIFY', 'PUBLISH', 'INFO', 'REFER',
    'MESSAGE', 'UPDATE',
}  # fmt: skip


class Codes:
    """Responses by method and code, each once, and messages that came again between the same sockets."""

    def __init__(self, families):
        self._out, self._seen = families, set()

    def on_message(self, message):
        method = message.method if message.method in METHODS else 'other'
        ends = (message.source, message.source_port, message.target, message.target_port)
        key = (*ends, message.call_id, message.branch, message.cseq, message.method, message.status, message.to_tag)
        if key in self._seen:
            self._out.count('calltap_retransmissions_total', method=method)
        elif not message.is_request:
            self._out.count('calltap_responses_total', method=method, code=str(message.status))
        self._seen.add(key)


def reckon(path, trunks):
    families, media = Families(), Media()
    calls, codes = Calls(families, trunks), Codes(families)
    for one in read(path):
        calls.pass_time(one.ts_us)
        if isinstance(one, Message):
            if one.call_id:
                codes.on_message(one)
                calls.on_message(one)
                media.on_message(one)
        else:
            media.on_datagram(one)
    media.count(families, calls.answered(), trunks)
    return families.samples()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('captures', nargs='+')
    parser.add_argument('--trunk', action='append', default=[])
    parser.add_argument('--local', action='append', default=[])
    options = parser.parse_args()
    trunks = Trunks(options.trunk, options.local)
    for path in options.captures:
        print(json.dumps(reckon(path, trunks)))


if __name__ == '__main__':
    main()
