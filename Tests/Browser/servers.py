# SPDX-License-Identifier: Apache-2.0
"""What the tests of the dashboard run: a sandbox network, `kith ui`, and a web site of an attacker."""

import http.client
import http.server
import json
import os
import pathlib
import re
import shlex
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request

# How long a program may take to say what is waited for, in seconds.
PATIENCE = 30
ACCOUNT = 'alice.test'


def free_port():
    """A port that nothing listens at."""
    with socket.create_server(('127.0.0.1', 0)) as server:
        return server.getsockname()[1]


class Network:
    """A sandbox network, and the files of a user who has signed in there. What it starts ends with it."""

    def __init__(self, programs, accounts=200, *options):
        self._options = ('--accounts', str(accounts), *options)
        self._programs, self._started = pathlib.Path(programs).resolve(), []
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.folder = pathlib.Path(self._folder.name)
        self.environment = {**os.environ}
        for name in ('STATE', 'DATA', 'CONFIG', 'CACHE'):
            self.environment[f'XDG_{name}_HOME'] = str(self.folder / name.lower())
        for name in ('DISPLAY', 'WAYLAND_DISPLAY', 'KITH_MESSAGES'):
            self.environment.pop(name, None)
        try:
            self._start_sandbox()
        except BaseException:
            self.close()
            raise

    def _start_sandbox(self):
        sandbox = self.start('kith-sandbox', 'run', '--port', '0', *self._options, stdout=subprocess.PIPE)
        url = json.loads(sandbox.stdout.readline())['appview']
        for name in ('KITH_APPVIEW', 'ATP_PLC_HOST', 'ATP_PDS_HOST', 'KITH_RESOLVER', 'KITH_JETSTREAM'):
            self.environment[name] = url

    def start(self, program, *arguments, environment=None, **options):
        """Starts a program that runs until the network is closed."""
        process = subprocess.Popen(
            [self._programs / program, *arguments], env=environment or self.environment, text=True, **options)
        self._started.append(process)
        return process

    def kith(self, *arguments, typed=None):
        """Runs a command to its end."""
        done = subprocess.run(
            [self._programs / 'kith', *arguments], env=self.environment, input=typed, text=True, capture_output=True,
            timeout=PATIENCE)
        if done.returncode:
            raise RuntimeError(f"kith {' '.join(arguments)}: {done.stderr.strip()}")

    def let_a_day_pass(self):
        """Lets one of the days of a network with a history pass."""
        urllib.request.urlopen(urllib.request.Request(f"{self.environment['KITH_APPVIEW']}/day", method='POST')).read()

    def sign_in(self, handle):
        self.kith('login', handle, '--password-stdin', typed=f"pw-{handle.split('.')[0]}\n")

    def close(self):
        for process in reversed(self._started):
            process.send_signal(signal.SIGINT)
        for process in self._started:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._folder.cleanup()


class Answer:
    """The response to a request."""

    def __init__(self, response, body):
        self.status, self.reason, self.body = response.status, response.reason, body
        self.fields = {name.lower(): value for name, value in response.getheaders()}
        self.text = body.decode('utf-8', 'replace')


class Dashboard:
    """A `kith ui`."""

    def __init__(self, network, *options, opens_browser=False):
        self.network, self._lines, self._said = network, [], threading.Condition()
        environment = dict(network.environment)
        # What the browser would be opened with, in place of a browser.
        self.opened = network.folder / 'opened'
        if opens_browser:
            environment.update(DISPLAY=':0', PATH=f"{self._make_opener()}:{environment['PATH']}")
        options += () if opens_browser else ('--no-open',)
        self.process = network.start('kith', 'ui', *options, environment=environment, stderr=subprocess.PIPE)
        threading.Thread(target=self._listen, daemon=True).start()
        self._entrances = 0
        self.entrance = self.next_entrance()
        self.base = self.entrance.split('/enter')[0]
        self.port = int(self.base.rsplit(':', 1)[1])

    def _make_opener(self):
        folder = self.network.folder / 'opener'
        folder.mkdir(exist_ok=True)
        opener, kept = folder / 'xdg-open', shlex.quote(str(self.opened))
        opener.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {kept}.new\nmv {kept}.new {kept}\n')
        opener.chmod(0o700)
        return folder

    def _listen(self):
        for line in self.process.stderr:
            with self._said:
                self._lines.append(line.strip())
                self._said.notify_all()

    def next_entrance(self):
        """Waits for an address that was not printed before: each one counts once."""
        def printed():
            return [found[0] for line in self._lines if (found := re.search(r'http://\S+/enter\?token=\S+', line))]

        with self._said:
            if not self._said.wait_for(lambda: len(printed()) > self._entrances, PATIENCE):
                raise RuntimeError(f'kith ui printed no address: {self._lines}')
            self._entrances += 1
            self.entrance = printed()[self._entrances - 1]
            return self.entrance

    def ask(self, method, path, fields=None, body=None, streamed=False):
        """Sends a request as it is given, with the right Host unless the fields have another one; None sends none."""
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=PATIENCE)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in {'Host': f'127.0.0.1:{self.port}', **(fields or {})}.items():
            if value is not None:
                connection.putheader(name, value)
        if body is not None:
            connection.putheader('Content-Length', str(len(body)))
        connection.endheaders(body)
        response = connection.getresponse()
        if streamed:
            return Answer(response, b''), response
        answer = Answer(response, response.read())
        connection.close()
        return answer

    def enter(self):
        """Enters without a browser."""
        session = Session(self, self.ask('GET', self.entrance[len(self.base):]))
        self.next_entrance()
        return session

    def entrance_file(self):
        """A file of the user alone that leads a browser to the address."""
        path = self.network.folder / f'enter-{self.port}.html'
        path.unlink(missing_ok=True)
        with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), 'w') as file:
            file.write(f'<!doctype html><meta http-equiv="refresh" content="0;url={self.entrance}">')
        return path


class Session:
    """A program that has entered as a browser does."""

    def __init__(self, dashboard, answer):
        self.dashboard, self.answer = dashboard, answer
        self.cookie = answer.fields.get('set-cookie', '').split(';')[0]
        page = self.get('/accounts').text
        self.token = re.search(r'name="kith-token" content="([0-9a-f]+)"', page)[1]

    def get(self, path, **more):
        return self.dashboard.ask('GET', path, self.fields(**more))

    def api(self, path):
        """The answer of /api as an object."""
        return json.loads(self.get(f'/api/{path}', sec_fetch_site='same-origin').body)

    def jobs(self):
        """The states of all jobs by their numbers."""
        return {row['job']: row['state'] for row in self.api('listJobs?all=true')['rows']}

    def job(self, number):
        return next(row for row in self.api('listJobs?all=true')['rows'] if row['job'] == number)

    def waits_for(self, number, state):
        """Whether a job gets into a state soon."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.jobs().get(number) == state:
                return True
            time.sleep(0.1)
        return False

    def waits_for_count(self, number, state):
        """How many changes of a job are in a state, as soon as there is one."""
        end = time.monotonic() + PATIENCE
        while not self.job(number)[state] and time.monotonic() < end:
            time.sleep(0.1)
        return self.job(number)[state]

    def fields(self, **more):
        """The fields of a request; those of `more` have underscores in their names."""
        given = {'Cookie': self.cookie, **{name.replace('_', '-').title(): value for name, value in more.items()}}
        return {name: value for name, value in given.items() if value is not None}

    def post_fields(self, kind='application/json', **more):
        """The fields of a right POST, with others in place of some; None leaves one out."""
        right = {'origin': self.dashboard.base, 'sec_fetch_site': 'same-origin', 'content_type': kind}
        return self.fields(**{**right, **more})

    def propose(self, kind, handles, account=ACCOUNT):
        """Proposes a change of one account, or of several, and returns the number of its job."""
        handles = [handles] if isinstance(handles, str) else handles
        body = self.proposal(kind, None, account=account, accounts=handles)
        answer = self.dashboard.ask('POST', '/api/proposals', self.post_fields(), body)
        return json.loads(answer.body)['outcome']['job']

    def proposal(self, kind, handle, **more):
        fields = {'token': self.token, 'kind': kind, 'accounts': [handle], 'account': ACCOUNT, **more}
        return json.dumps({name: value for name, value in fields.items() if value is not None}).encode()


class HostileSite:
    """A web site of an attacker on this machine. It shows the pages that it is given."""

    # The same site as the dashboard to cookies, which ignore ports; and two others.
    NAMES = ('127.0.0.1', 'localhost', 'evil.test')

    def __init__(self):
        self.pages = pages = {'/': '<h1>Hostile</h1>'}

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = pages.get(self.path)
                self.send_response(404 if body is None else 200)
                self.send_header('Content-Type', 'text/html; charset=utf-8')
                self.end_headers()
                self.wfile.write((body or '').encode())

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def address(self, name, path='/'):
        return f'http://{name}:{self.port}{path}'

    def close(self):
        self._server.shutdown()
        self._server.server_close()
