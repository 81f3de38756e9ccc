# SPDX-License-Identifier: Apache-2.0
"""A dashboard without its safety, so that each rule can show that it sees its fault."""

import html
import http.client
import http.server
import json
import re
import threading
import urllib.parse

from safety_http import HOSTILE_NAME, SHOWN_NAME
from servers import PATIENCE, Dashboard


class WeakenedDashboard(Dashboard):
    """Stands before a `kith ui` and makes each request a right one. What it sends back says nothing to browsers."""

    def __init__(self, network, *options, **more):
        super().__init__(network, *options, **more)
        self._port, self._entrances = self.port, self._entrances - 1
        entered = self._forward('GET', self.entrance[len(self.base):], {})
        self._cookie = entered.getheader('Set-Cookie').split(';')[0]
        entered.read()
        page = self._forward('GET', '/accounts', {}).read().decode()
        self._token = re.search(r'name="kith-token" content="([0-9a-f]+)"', page)[1]
        self._serve()

    # The real one has let this in, and no one else needs to enter.
    def next_entrance(self):
        return super().next_entrance() if not hasattr(self, '_cookie') else self.entrance

    def _forward(self, method, path, fields, body=None):
        connection = http.client.HTTPConnection('127.0.0.1', self._port, timeout=PATIENCE)
        given = {'Origin': f'http://127.0.0.1:{self._port}', 'Sec-Fetch-Site': 'same-origin', **fields}
        connection.request(method, path, body, {**given, 'Cookie': getattr(self, '_cookie', '')})
        return connection.getresponse()

    def _signed(self, body):
        """The body with the right token, as JSON or as a form."""
        text = body.decode('utf-8', 'replace')
        if text.startswith('{'):
            # A form of text/plain ends its JSON with a line break.
            return 'application/json', json.dumps({**json.loads(text), 'token': self._token}).encode()
        found = dict(re.findall(r'name="(\w+)"\r\n\r\n(.*)\r\n', text) or urllib.parse.parse_qsl(text))
        return 'application/x-www-form-urlencoded', urllib.parse.urlencode({**found, 'token': self._token}).encode()

    def _serve(self):
        dashboard = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def do_GET(self):
                dashboard._answer(self)

            do_HEAD = do_POST = do_GET

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, *_):
                # A browser may leave.
                pass

        server = Server(('127.0.0.1', 0), Handler)
        server.daemon_threads = True
        self.port = server.server_port
        self.base = f'http://127.0.0.1:{self.port}'
        self.entrance = f'{self.base}/enter?token=1'
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def _answer(self, request):
        body, fields = None, {}
        if request.command == 'POST':
            kind, body = self._signed(request.rfile.read(int(request.headers.get('Content-Length') or 0)))
            fields['Content-Type'] = kind
        path = request.path
        if path.startswith('/enter'):
            return self._send(request, 200, 'text/html', b'<meta http-equiv="refresh" content="0;url=/">')
        if path.startswith('/api/events'):
            return self._send(request, 404, 'text/plain', b'')
        response = self._forward(request.command, path, fields, body)
        data = response.read()
        if (response.getheader('Content-Type') or '').startswith('text/html'):
            data = data.decode().replace(html.escape(SHOWN_NAME).replace('&#x27;', '&#39;'), HOSTILE_NAME).encode()
        self._send(request, response.status, response.getheader('Content-Type'), data, response.getheader('Location'))

    def _send(self, request, status, kind, data, location=None):
        request.send_response(status)
        fields = {
            'Content-Type': kind, 'Content-Length': str(len(data)), 'Location': location,
            'Set-Cookie': f'kith={self._cookie.split("=")[1]}; Path=/' if request.path.startswith('/enter') else None,
            'Access-Control-Allow-Origin': request.headers.get('Origin'), 'Access-Control-Allow-Credentials': 'true',
        }
        for name, value in fields.items():
            if value is not None:
                request.send_header(name, value)
        request.end_headers()
        if request.command != 'HEAD':
            request.wfile.write(data)
