# SPDX-License-Identifier: BSD-3-Clause
"""A server of archives on 127.0.0.1 that misbehaves as it is told, for test_matrices.py.

files: {path: bytes}. habits: {path: [habit of the first request, of the second, ...]}; the last one
stays. A habit is a function of the handler and the content, or None: an honest answer with Range and
If-Range. requests: (method, path, Range) of all that came.
"""
import contextlib
import hashlib
import http.server
import re
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.answer(lambda handler, content: handler.head(200, len(content)))

    def do_GET(self):
        habits = self.server.habits.get(self.path, [None])
        self.answer((habits.pop(0) if len(habits) > 1 else habits[0]) or honest)

    def answer(self, habit):
        self.server.requests.append((self.command, self.path, self.headers.get("Range")))
        content = self.server.files.get(self.path)
        with contextlib.suppress(OSError):  # the client may have gone
            if content is None:
                self.send_error(404)
            else:
                habit(self, content)

    def head(self, status, length=None, **more):
        self.send_response(status)
        for name, value in more.items():
            self.send_header(name.replace("_", "-"), value)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def first_byte(self):
        found = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range") or "")
        return int(found[1]) if found else 0


def tag(content):
    return f'"{hashlib.md5(content).hexdigest()}"'


def honest(handler, content, most=None):
    """At most `most` bytes of what was asked for; the connection then ends."""
    first = handler.first_byte()
    if first and handler.headers.get("If-Range", tag(content)) == tag(content):
        if first >= len(content):
            handler.head(416, 0, Content_Range=f"bytes */{len(content)}")
            return
        handler.head(206, len(content) - first, ETag=tag(content),
                     Content_Range=f"bytes {first}-{len(content) - 1}/{len(content)}")
    else:
        first = 0
        handler.head(200, len(content), ETag=tag(content))
    handler.wfile.write(content[first:][:most])


def breaks_after(count):
    return lambda handler, content: honest(handler, content, count)


def ignores_range(count=None):
    def habit(handler, content):
        handler.head(200, len(content))
        handler.wfile.write(content[:count])
    return habit


def says_size(change):
    """A Content-Length that is not so, without Range."""
    def habit(handler, content):
        handler.head(200, len(content) + change)
        handler.wfile.write(content[:len(content) + min(change, 0)])
    return habit


def no_size(handler, content):
    handler.head(200)
    handler.wfile.write(content)


def without_tag(handler, content):
    """Range without If-Range, ETag and date: the total size alone tells that it is another file."""
    first = handler.first_byte()
    more = {"Content_Range": f"bytes {first}-{len(content) - 1}/{len(content)}"} if first else {}
    handler.head(206 if first else 200, len(content) - first, **more)
    handler.wfile.write(content[first:])


def other_range(handler, content):
    handler.head(206, len(content), Content_Range=f"bytes 0-{len(content) - 1}/{len(content)}")
    handler.wfile.write(content)


def is_silent(handler, _content):
    handler.server.ended.wait(60)


def trickles(handler, content):
    handler.head(200, len(content))
    for byte in content:
        handler.wfile.write(bytes([byte]))
        handler.wfile.flush()
        handler.server.ended.wait(0.02)


def is_busy(handler, _content):
    handler.head(503, 0)


def moved(path):
    return lambda handler, _content: handler.head(302, 0, Location=path)


@contextlib.contextmanager
def serving(files):
    """The server; its address is .url."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.files, server.habits, server.requests = files, {}, []
    server.ended = threading.Event()
    server.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server
    finally:
        server.ended.set()
        server.shutdown()
        thread.join()
        server.server_close()
