"""ClickHouse's HTTP interface over chdb, for tests: one folder on disk, four queries at a time, no users.

    server.py FOLDER [PORT]     listens on 127.0.0.1, and prints `listening PORT` when it answers

It takes what calltap sends: a query in the URL or in the body, `database`, settings and `param_NAME`
as parameters of the URL, bodies in chunks and in gzip. It answers with ClickHouse's status codes and error texts. It checks
no credentials; `X-ClickHouse-User` and `Authorization` are accepted and ignored.
"""

import json
import queue
import re
import sys
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from chdb import session

SESSIONS = 4
MAX_BODY_BYTES = 64 * 1024 * 1024
# Names of the interface itself; every other parameter of a URL is a setting.
OF_INTERFACE = {"query", "database", "default_format", "query_id", "session_id", "session_timeout", "session_check"}
OF_INTERFACE |= {"user", "password", "role", "compress", "decompress", "wait_end_of_query", "send_progress_in_http_headers"}
OF_INTERFACE |= {"http_headers_progress_interval_ms", "cancel_http_readonly_queries_on_client_close"}
# Status by the number of the error; any other is 500.
STATUS = {194: 401, 192: 403, 193: 403, 497: 403, 516: 403, 512: 403, 48: 501, 158: 500, 159: 408}
STATUS |= dict.fromkeys((6, 8, 15, 25, 26, 27, 36, 38, 41, 44, 53, 62, 72, 117, 167, 168, 321, 376, 427, 441, 675, 676), 400)
STATUS |= dict.fromkeys((46, 47, 50, 56, 60, 73, 78, 81, 115), 404)
TYPES = {"JSONEachRow": "application/x-ndjson", "JSON": "application/json", "TabSeparated": "text/tab-separated-values"}
INSERT = re.compile(r"\s*INSERT\b", re.I)
FORMAT = re.compile(r"\bFORMAT\s+(\w+)\s*;?\s*$", re.I)
READS = re.compile(r"\s*(SELECT|WITH|SHOW|DESCRIBE|DESC|EXPLAIN|EXISTS)\b", re.I)


class Refused(Exception):
    """An answer without the engine: a status, the number of an error, and its text."""

    def __init__(self, status, code, text):
        super().__init__(f"Code: {code}. DB::Exception: {text}")
        self.status = status
        self.code = code


class Engine:
    """Some sessions of chdb on one folder: a query has one to itself, and its settings there."""

    def __init__(self, folder):
        self.idle = queue.SimpleQueue()
        for _ in range(SESSIONS):
            self.idle.put(Session(folder))

    def run(self, sql, data, parameters):
        """Returns (bytes, format, summary). Raises RuntimeError as ClickHouse words it."""
        one = self.idle.get()
        try:
            return one.run(sql, data, parameters)
        finally:
            self.idle.put(one)


class Session:
    """A session of chdb, which has a database and settings of its own."""

    def __init__(self, folder):
        self.session = session.Session(folder)
        self.database = "default"

    def run(self, sql, data, parameters):
        settings = {name: value for name, value in parameters.items() if name not in OF_INTERFACE and name[:6] != "param_"}
        values = {name[6:]: value for name, value in parameters.items() if name.startswith("param_")}
        began = time.monotonic()
        try:
            self.use(parameters.get("database") or "default")
            for name, value in settings.items():
                self.session.query(f"SET {plain(name)} = {quoted(value)}")
            answer, written, read = self.execute(sql, data, values, parameters.get("default_format"))
        finally:
            for name in settings:
                self.reset(name)
        nanoseconds = int((time.monotonic() - began) * 1e9)
        counts = {**written, **read, "elapsed_ns": nanoseconds}
        return answer[0], answer[1], json.dumps({name: str(value) for name, value in counts.items()})

    def execute(self, sql, data, values, default_format):
        """Runs one statement: (bytes, format), what it wrote, what it read. An INSERT brings its rows after it."""
        # chdb has a call for rows alone, but it skips constraints.
        whole = f"{sql}\n{data.decode()}" if data else sql
        named = None if INSERT.match(sql) else FORMAT.search(sql)
        form = named[1] if named else default_format or "TabSeparated"
        done = self.session.query(whole, form, params=values or None)
        written = {"written_rows": done.rows_written(), "written_bytes": done.bytes_written()}
        return (done.bytes(), form), written, {"read_rows": done.rows_read(), "read_bytes": done.bytes_read()}

    def use(self, database):
        if database != self.database:
            self.session.query(f"USE `{database.replace('`', '')}`")
            self.database = database

    def reset(self, name):
        try:
            self.session.query(f"SET {plain(name)} = DEFAULT")
        except RuntimeError:
            pass  # It is no setting, which the query has said already.


def plain(name):
    if re.fullmatch(r"\w+", name) is None:
        raise Refused(404, 115, f"Unknown setting '{name}'. (UNKNOWN_SETTING)")
    return name


def quoted(value):
    return value if re.fullmatch(r"\d+", value) else "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "chdb"
    # An answer is two packets: the second would wait for the acknowledgement of the first, 40 ms.
    disable_nagle_algorithm = True

    def do_GET(self):
        self.answer(is_get=True)

    def do_POST(self):
        self.answer(is_get=False)

    def answer(self, is_get):
        try:
            parts = urlsplit(self.path)
            body = self.body()
            parameters = dict(parse_qsl(parts.query, keep_blank_values=True))
            if parts.path.rstrip("/") == "/ping" or (is_get and "query" not in parameters):
                return self.send(200, b"Ok.\n", {})
            sql, data = (parameters["query"], body) if parameters.get("query") else (body.decode(), b"")
            if is_get and READS.match(sql) is None:
                raise Refused(500, 164, "Cannot execute query in readonly mode. (READONLY)")
            answer, form, summary = self.server.engine.run(sql, data, parameters)
            head = {"X-ClickHouse-Summary": summary, "X-ClickHouse-Format": form}
            self.send(200, answer, {**head, "Content-Type": TYPES.get(form, "text/plain; charset=UTF-8")})
        except Refused as error:
            self.send(error.status, f"{error}\n".encode(), {"X-ClickHouse-Exception-Code": str(error.code)})
        except UnicodeDecodeError:
            self.send(400, b"Code: 62. DB::Exception: Syntax error\n", {"X-ClickHouse-Exception-Code": "62"})
        except RuntimeError as error:
            found = re.search(r"Code: (\d+)\.", str(error))
            code = int(found[1]) if found else 1001
            self.send(STATUS.get(code, 500), f"{error}\n".encode(), {"X-ClickHouse-Exception-Code": str(code)})

    def body(self):
        """The whole body, in any coding that clients use. Raises Refused."""
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            raw = self.chunks()
        else:
            size = int(self.headers.get("Content-Length", 0))
            self.bound(size)
            raw = self.rfile.read(size)
        if self.headers.get("Content-Encoding") != "gzip":
            return raw
        inflate = zlib.decompressobj(31)
        try:
            text = inflate.decompress(raw, MAX_BODY_BYTES)
        except zlib.error:
            raise Refused(500, 354, "inflate failed. (ZLIB_INFLATE_FAILED)") from None
        if not inflate.eof:
            raise Refused(500, 354, "inflate failed: the body ends early. (ZLIB_INFLATE_FAILED)")
        return text

    def chunks(self):
        found = bytearray()
        while (size := int(self.rfile.readline(64).split(b";")[0], 16)) > 0:
            self.bound(len(found) + size)
            found += self.rfile.read(size)
            self.rfile.readline(8)
        self.rfile.readline(8)
        return bytes(found)

    def bound(self, size):
        if size > MAX_BODY_BYTES:
            self.close_connection = True
            raise Refused(413, 62, "the body is too large for this engine")

    def send(self, status, body, headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


def main():
    folder, port = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0
    server = Server(("127.0.0.1", port), Handler)
    server.engine = Engine(folder)
    print(f"listening {server.server_address[1]}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
