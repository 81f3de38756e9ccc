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
# The codes of keys that have no letter, and what those type that type something.
KEYS = {'Tab': (9, ''), 'Enter': (13, '\r'), 'Escape': (27, ''), 'ArrowUp': (38, ''), 'ArrowDown': (40, ''), '/': (191, '/'), '?': (191, '?')}


class Chromium:
    """A headless Chromium without a window. Its commands and answers go through two pipes."""

    def __init__(self, *options):
        self._number, self._unread, self._pages, self._answers = 0, b'', {}, {}
        self._traced, self._is_traced = [], False
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._start(options)

    def _start(self, more):
        # Chromium reads commands from descriptor 3 and writes to 4; high numbers keep both ends out of their way.
        commands, to_browser = os.pipe()
        from_browser, answers = os.pipe()
        commands, answers = (fcntl.fcntl(end, fcntl.F_DUPFD, 20) for end in (commands, answers))
        self._to, self._from = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 20) for end in (to_browser, from_browser))

        def place():
            os.dup2(commands, 3)
            os.dup2(answers, 4)

        options = ['--headless', '--remote-debugging-pipe', '--disable-gpu', '--hide-scrollbars', '--no-first-run', *more]
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

    def page(self):
        """Opens a tab."""
        return Page(self, self.send(None, 'Target.createTarget', url='about:blank')['targetId'])

    def send(self, session, method, **parameters):
        """Sends a command, for a session or for the browser, and returns its result."""
        number = self.begin(session, method, **parameters)
        while number not in self._answers:
            self.read()
        answer = self._answers.pop(number)
        if 'error' in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer['result']

    def begin(self, session, method, **parameters):
        """Sends a command and returns its number, without waiting for its result."""
        self._number += 1
        command = {'id': self._number, 'method': method, 'params': parameters}
        if session:
            command['sessionId'] = session
        os.write(self._to, json.dumps(command).encode() + b'\0')
        return self._number

    def read(self, patience=PATIENCE):
        """Takes one message. Returns whether there was one."""
        end = time.monotonic() + patience
        while b'\0' not in self._unread:
            ready, _, _ = select.select([self._from], [], [], max(0, end - time.monotonic()))
            if not ready and patience < PATIENCE:
                return False
            more = os.read(self._from, 1 << 20) if ready else b''
            if not more:
                raise RuntimeError('Chromium does not answer')
            self._unread += more
        line, self._unread = self._unread.split(b'\0', 1)
        answer = json.loads(line)
        if 'id' in answer:
            self._answers[answer['id']] = answer
        elif answer.get('sessionId') in self._pages:
            self._pages[answer['sessionId']].note(answer['method'], answer['params'])
        elif answer['method'] == 'Tracing.dataCollected':
            self._traced += answer['params']['value']
        elif answer['method'] == 'Tracing.tracingComplete':
            self._is_traced = True
        return True

    def tasks_of(self, work):
        """Does something, and returns the milliseconds of the processor that each task of a page took meanwhile.

        Time that a busy machine gives to others does not count.
        """
        self._traced, self._is_traced = [], False
        self.send(None, 'Tracing.start', categories='toplevel', transferMode='ReportEvents')
        try:
            work()
        finally:
            self.send(None, 'Tracing.end')
            while not self._is_traced:
                self.read()
        pages = {(event['pid'], event['tid']) for event in self._traced
                 if event['name'] == 'thread_name' and event['args']['name'] == 'CrRendererMain'}
        return [event['tdur'] / 1000 for event in self._traced
                if event.get('ph') == 'X' and 'tdur' in event and (event['pid'], event['tid']) in pages]

    def attach(self, target, page=None):
        """Begins a session with a target, whose events a page takes."""
        session = self.send(None, 'Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        if page:
            self._pages[session] = page
        return session


class Page:
    """A tab. What it says and asks for is kept in `messages` and `requests`, and its responses are."""

    def __init__(self, chromium, target):
        self.messages, self.requests, self.dialogs, self._statuses = [], [], [], []
        self.held = []
        self.chromium, self.target = chromium, target
        self._events, self._urls = [], {}
        self._session = chromium.attach(target, self)
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.send(f'{domain}.enable')

    @property
    def responses(self):
        """Each response as its URL and status, also those of frames and those that the page itself may not see."""
        # The status may come before the request is told of.
        # A redirect has the number of its request.
        seen = {number: iter(urls) for number, urls in self._urls.items()}
        return [(next(seen.get(number, iter(())), ''), status) for number, status in self._statuses]

    def forget(self):
        """Empties what is kept."""
        for kept in (self.messages, self.requests, self.dialogs, self._statuses, self._urls):
            kept.clear()

    def send(self, method, **parameters):
        """Sends a command and returns its result."""
        return self.chromium.send(self._session, method, **parameters)

    def close(self):
        self.chromium.send(None, 'Target.closeTarget', targetId=self.target)

    def note(self, event, details):
        """Keeps what an event says."""
        self._events.append(event)
        if event == 'Runtime.consoleAPICalled':
            self.messages.append(' '.join(str(part.get('value', part.get('description'))) for part in details['args']))
        elif event == 'Runtime.exceptionThrown':
            self.messages.append(details['exceptionDetails']['text'])
        elif event == 'Log.entryAdded':
            self.messages.append(details['entry']['text'])
        elif event == 'Network.requestWillBeSent':
            self.requests.append(details['request']['url'])
            self._urls.setdefault(details['requestId'], []).append(details['request']['url'])
        elif event == 'Network.responseReceivedExtraInfo':
            self._statuses.append((details['requestId'], details['statusCode']))
        elif event == 'Fetch.requestPaused':
            self.held.append(details['requestId'])
        elif event == 'Page.javascriptDialogOpening':
            self.dialogs.append(details['message'])
            self.chromium.begin(self._session, 'Page.handleJavaScriptDialog', accept=False)

    def open(self, url, width=1280, scheme='light'):
        """Opens a page at a width, in a light or a dark scheme, and waits until it is loaded."""
        self.resize(width)
        self.send('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': scheme}])
        self._events.clear()
        self.send('Page.navigate', url=url)
        while 'Page.loadEventFired' not in self._events:
            self.chromium.read()

    def resize(self, width, height=900):
        self.send('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=False)

    def evaluate(self, expression):
        """The value of a JavaScript expression."""
        result = self.send('Runtime.evaluate', expression=expression, returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in result:
            raise RuntimeError(result['exceptionDetails'].get('exception', {}).get('description', 'a script failed'))
        return result['result'].get('value')

    def wait(self, expression, seconds=15):
        """Waits until a JavaScript expression has a true value, across navigations too. Returns whether it has."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if self.evaluate(f'Boolean({expression})'):
                    return True
            except RuntimeError:
                # The document has just been replaced.
                pass
            self.chromium.read(0.1)
        return False

    def frames(self):
        """The text that each frame in the page shows, also those of other sites; empty for one that was refused."""
        tree = self.send('Page.getFrameTree')['frameTree']
        texts = [self._text(self._session, child['frame']['id']) for child in tree.get('childFrames', [])]
        for target in self.chromium.send(None, 'Target.getTargets')['targetInfos']:
            if target['type'] == 'iframe':
                texts.append(self._text(self.chromium.attach(target['targetId'])))
        return texts

    def _text(self, session, frame=None):
        where = {}
        if frame:
            where['contextId'] = self.chromium.send(
                session, 'Page.createIsolatedWorld', frameId=frame)['executionContextId']
        expression = 'location.protocol === "chrome-error:" ? "" : document.documentElement.innerText.trim()'
        result = self.chromium.send(session, 'Runtime.evaluate', expression=expression, returnByValue=True, **where)
        return result['result'].get('value', '')

    def click(self, selector):
        """Presses the mouse in the middle of an element. Works without scripts in the page."""
        # Before its styles are there, it is elsewhere.
        self.wait('document.readyState === "complete"')
        self.evaluate(f'document.querySelector({json.dumps(selector)}).scrollIntoView({{block: "center"}})')
        box = self.evaluate(
            f'(({{x, y, width, height}}) => [x + width / 2, y + height / 2])'
            f'(document.querySelector({json.dumps(selector)}).getBoundingClientRect())')
        if box == [0, 0]:
            raise RuntimeError(f'{selector} is not shown')
        common = {'x': box[0], 'y': box[1], 'button': 'left', 'clickCount': 1}
        self.send('Input.dispatchMouseEvent', type='mousePressed', **common)
        self.send('Input.dispatchMouseEvent', type='mouseReleased', **common)

    def press(self, key, code, text=''):
        """Presses a key and lets it go."""
        common = {'key': key, 'code': key, 'windowsVirtualKeyCode': code}
        down = {**common, 'type': 'keyDown', 'text': text} if text else {**common, 'type': 'rawKeyDown'}
        self.send('Input.dispatchKeyEvent', **down)
        self.send('Input.dispatchKeyEvent', **common, type='keyUp')

    def hit(self, *keys):
        """Presses keys one after another, by their names or letters."""
        for key in keys:
            code, text = KEYS.get(key, (ord(key[0].upper()), key))
            self.press(key, code, text)

    def type(self, text):
        """Puts text where the focus is."""
        self.send('Input.insertText', text=text)

    def hold(self, pattern):
        """Keeps requests for addresses of a pattern back, until `let_go`."""
        self.held.clear()
        self.send('Fetch.enable', patterns=[{'urlPattern': pattern}])

    def wait_for_held(self, seconds=15):
        """Waits until a request is kept back. Returns whether one is."""
        end = time.monotonic() + seconds
        while not self.held and time.monotonic() < end:
            self.chromium.read(0.1)
        return bool(self.held)

    def let_go(self):
        for request in self.held:
            self.send('Fetch.continueRequest', requestId=request)
        self.send('Fetch.disable')

    def use_scripts(self, are_used):
        """Whether the scripts of pages run."""
        self.send('Emulation.setScriptExecutionDisabled', value=not are_used)

    def screenshot(self, path, whole=True):
        """Writes a picture of the whole page, or of what the window shows."""
        clip = {'captureBeyondViewport': True, **self._clip()} if whole else {}
        data = self.send('Page.captureScreenshot', format='png', **clip)
        with open(path, 'wb') as file:
            file.write(base64.b64decode(data['data']))

    def _clip(self):
        size = self.send('Page.getLayoutMetrics')['cssContentSize']
        # Chromium cannot make higher pictures.
        return {'clip': {'x': 0, 'y': 0, 'width': size['width'], 'height': min(size['height'], 16_000), 'scale': 1}}


class Browser(Page):
    """A Chromium with one tab."""

    def __init__(self, *options):
        chromium = Chromium(*options)
        super().__init__(chromium, chromium.send(None, 'Target.createTarget', url='about:blank')['targetId'])

    def close(self):
        self.chromium.close()
