# SPDX-License-Identifier: Apache-2.0
"""A Chromium that is driven over two pipes with the DevTools protocol. Needs the standard library alone."""

import base64
import fcntl
import json
import os
import select
import subprocess
import tempfile
import time

# How long one answer of the browser may take, in seconds.
PATIENCE = 60


class Browser:
    """One page of a headless Chromium. What it says and asks for is kept in `messages` and `requests`."""

    def __init__(self):
        self.messages, self.requests = [], []
        self._number, self._session, self._unread, self._events = 0, None, b'', []
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._start()
        target = self.send('Target.createTarget', url='about:blank')['targetId']
        self._session = self.send('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.send(f'{domain}.enable')

    def _start(self):
        # Chromium reads commands from descriptor 3 and writes to 4; high numbers keep both ends out of their way.
        commands, to_browser = os.pipe()
        from_browser, answers = os.pipe()
        commands, answers = (fcntl.fcntl(end, fcntl.F_DUPFD, 20) for end in (commands, answers))
        self._to, self._from = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 20) for end in (to_browser, from_browser))

        def place():
            os.dup2(commands, 3)
            os.dup2(answers, 4)

        options = ['--headless', '--remote-debugging-pipe', '--disable-gpu', '--hide-scrollbars', '--no-first-run']
        # The sandbox of Chromium refuses root.
        options += ['--no-sandbox'] if os.geteuid() == 0 else []
        self._process = subprocess.Popen(
            ['chromium', *options, f'--user-data-dir={self._profile.name}'], pass_fds=(3, 4), preexec_fn=place,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)

    def close(self):
        self._process.terminate()
        self._process.wait()
        self._profile.cleanup()

    def send(self, method, **parameters):
        """Sends a command and returns its result."""
        self._number += 1
        command = {'id': self._number, 'method': method, 'params': parameters}
        if self._session:
            command['sessionId'] = self._session
        os.write(self._to, json.dumps(command).encode() + b'\0')
        number = self._number
        while True:
            answer = self._read()
            if answer.get('id') == number:
                if 'error' in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer['result']

    def _read(self):
        end = time.monotonic() + PATIENCE
        while b'\0' not in self._unread:
            ready, _, _ = select.select([self._from], [], [], max(0, end - time.monotonic()))
            more = os.read(self._from, 1 << 20) if ready else b''
            if not more:
                raise RuntimeError('Chromium does not answer')
            self._unread += more
        line, self._unread = self._unread.split(b'\0', 1)
        answer = json.loads(line)
        if 'method' in answer:
            self._note(answer['method'], answer['params'])
        return answer

    def _note(self, event, details):
        self._events.append(event)
        if event == 'Runtime.consoleAPICalled':
            self.messages.append(' '.join(str(part.get('value', part.get('description'))) for part in details['args']))
        elif event == 'Runtime.exceptionThrown':
            self.messages.append(details['exceptionDetails']['text'])
        elif event == 'Log.entryAdded':
            self.messages.append(details['entry']['text'])
        elif event == 'Network.requestWillBeSent':
            self.requests.append(details['request']['url'])

    def open(self, url, width, scheme):
        """Opens a page at a width, in a light or a dark scheme, and waits until it is loaded."""
        self.resize(width)
        self.send('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': scheme}])
        self._events.clear()
        self.send('Page.navigate', url=url)
        while 'Page.loadEventFired' not in self._events:
            self._read()

    def resize(self, width):
        self.send('Emulation.setDeviceMetricsOverride', width=width, height=900, deviceScaleFactor=1, mobile=False)

    def evaluate(self, expression):
        """The value of a JavaScript expression."""
        result = self.send('Runtime.evaluate', expression=expression, returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in result:
            raise RuntimeError(result['exceptionDetails'].get('exception', {}).get('description', 'a script failed'))
        return result['result'].get('value')

    def press(self, key, code, text=''):
        """Presses a key and lets it go."""
        common = {'key': key, 'code': key, 'windowsVirtualKeyCode': code}
        down = {**common, 'type': 'keyDown', 'text': text} if text else {**common, 'type': 'rawKeyDown'}
        self.send('Input.dispatchKeyEvent', **down)
        self.send('Input.dispatchKeyEvent', **common, type='keyUp')

    def screenshot(self, path):
        """Writes a picture of the whole page."""
        data = self.send('Page.captureScreenshot', format='png', captureBeyondViewport=True, **self._clip())
        with open(path, 'wb') as file:
            file.write(base64.b64decode(data['data']))

    def _clip(self):
        size = self.send('Page.getLayoutMetrics')['cssContentSize']
        # Chromium cannot make higher pictures.
        return {'clip': {'x': 0, 'y': 0, 'width': size['width'], 'height': min(size['height'], 16_000), 'scale': 1}}
