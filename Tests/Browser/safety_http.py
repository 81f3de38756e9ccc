# SPDX-License-Identifier: Apache-2.0
"""The safety rules of the dashboard, tried with plain HTTP: what a program or a forged request would meet.

Each function is a rule: its first line says it, and it yields what breaks it.
"""

import html
import http.client
import json
import re
import subprocess
import time
import urllib.parse

from servers import ACCOUNT

POLICY = ("default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; connect-src 'self'; "
          "form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
HARDENED = {
    'content-security-policy': POLICY, 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin', 'cache-control': 'no-store',
}
# What a stranger may call itself: markup, quotes, an override of the direction, characters without a width.
HOSTILE_NAME = '<img src=x onerror=alert(1)>"\'\u202eevil\u200b\u200d\u2060'
SHOWN_NAME = '<img src=x onerror=alert(1)>"\'\ufffdevil\ufffd\ufffd\ufffd'


def differs(what, seen, expected):
    """A fault, if something is not as expected."""
    return [] if seen == expected else [f'{what}: {seen!r}, expected {expected!r}']


def refuses_other_hosts(stage):
    """HTTP: a host of another name gets 421"""
    dashboard, session = stage.dashboard, stage.session
    port = dashboard.port
    others = [f'evil.test:{port}', 'evil.test', '127.0.0.1', f'127.0.0.1:{port + 1}', f'127.0.0.1:{port}.evil.test',
              f'127.0.0.1.evil.test:{port}', f'0.0.0.0:{port}', f'2130706433:{port}', '', f'localhost.:{port}']
    entrance = dashboard.entrance[len(dashboard.base):]
    for host in others:
        for path in ('/', '/accounts', '/api/listJobs', '/api/events', '/assets/kith.css', entrance):
            fields = session.fields(host=host, sec_fetch_site='same-origin', origin=f'http://{host}')
            yield from differs(f'GET {path.split("=")[0]} of {host!r}', dashboard.ask('GET', path, fields).status, 421)
        posted = dashboard.ask('POST', '/api/proposals', session.post_fields(host=host), session.proposal('mute', 'bob.test'))
        yield from differs(f'POST of {host!r}', posted.status, 421)
    for host in (f'127.0.0.1:{port}', f'localhost:{port}', f'LOCALHOST:{port}', f'[::1]:{port}'):
        yield from differs(f'GET / of {host}', dashboard.ask('GET', '/', session.fields(host=host)).status, 303)
    yield from differs('the address was used up', dashboard.entrance[len(dashboard.base):], entrance)


def gives_fitting_reasons(stage):
    """HTTP: the reason in the status line belongs to the status"""
    dashboard, session = stage.dashboard, stage.session
    answers = [dashboard.ask('GET', '/', session.fields()), dashboard.ask('GET', '/', {'Host': 'evil.test'}),
               dashboard.ask('GET', '/'), session.get('/api/listJobs'), session.get('/accounts'), session.get('/nothing'),
               dashboard.ask('POST', '/api/visible', session.post_fields(), session.proposal('mute', 'bob.test'))]
    for answer in answers:
        yield from differs(f'{answer.status}', answer.reason, http.client.responses[answer.status])


def admits_a_token_once(stage):
    """HTTP: an address lets one browser in, once"""
    dashboard = stage.dashboard
    entrance = dashboard.entrance[len(dashboard.base):]
    # Another method does not use it up.
    for method in ('HEAD', 'POST'):
        yield from differs(f'{method} of it', dashboard.ask(method, entrance).status, 403)
    first, again = dashboard.enter(), dashboard.ask('GET', entrance)
    yield from differs('the first time', first.answer.status, 200)
    yield from differs('the second time', (again.status, again.fields.get('set-cookie')), (403, None))
    yield from differs('what was entered', first.get('/accounts').status, 200)
    if dashboard.entrance[len(dashboard.base):] == entrance:
        yield 'the next address is the same'
    for path in ('/enter', '/enter?token=', '/enter?token=' + '0' * 64):
        yield from differs(path, dashboard.ask('GET', path).status, 403)
    for path in ('/', '/accounts', '/api/listJobs', '/nothing'):
        yield from differs(f'{path} without a cookie', dashboard.ask('GET', path).status, 401)


def closes_after_wrong_tokens(stage):
    """HTTP: after 10 wrong tokens none is accepted for a minute; those inside go on"""
    dashboard = stage.start()
    session = dashboard.enter()
    wrong = [dashboard.ask('GET', f'/enter?token={number:064x}').status for number in range(10)]
    yield from differs('wrong ones', wrong, [403] * 10)
    for path in ('/enter?token=0', dashboard.entrance[len(dashboard.base):]):
        answer = dashboard.ask('GET', path)
        wait = answer.fields.get('retry-after', '')
        yield from differs(path.split('=')[0], (answer.status, answer.fields.get('set-cookie')), (429, None))
        if not wait.isdigit() or not 1 <= int(wait) <= 60:
            yield f'Retry-After: {wait!r}, expected 1 to 60'
    yield from differs('a page of a browser inside', session.get('/accounts').status, 200)


def sets_a_strict_cookie(stage):
    """HTTP: the cookie is HttpOnly, SameSite=Strict, and has the port in its name"""
    seen = stage.session.answer.fields.get('set-cookie', '')
    pattern = rf'kith-{stage.dashboard.port}=[0-9a-f]{{64}}; HttpOnly; SameSite=Strict; Path=/'
    if not re.fullmatch(pattern, seen):
        yield f"Set-Cookie: {re.sub('=[0-9a-f]{8,}', '=…', seen)!r}"
    other = stage.start().enter()
    cookies = [(other.cookie, 401), (f'{other.cookie}; {stage.session.cookie}', 200)]
    for (cookie, expected), name in zip(cookies, ('the cookie of another dashboard', 'both cookies')):
        yield from differs(name, stage.dashboard.ask('GET', '/accounts', {'Cookie': cookie}).status, expected)


def refuses_forged_posts(stage):
    """HTTP: a POST without Origin, Sec-Fetch-Site or token of its own page changes nothing"""
    dashboard, session = stage.dashboard, stage.session
    job = session.propose('mute', 'ivan.test')
    digest, before = session.job(job)['digest'], session.jobs()
    # Browsers hide the origin of a page that tells no referrer, so `null` is that of an own page, too; the site says whose it is.
    origins = [None, 'http://evil.test', f'http://127.0.0.1:{dashboard.port + 1}', f'http://evil.test:{dashboard.port}',
               'http://127.0.0.1', f'http://127.0.0.1:{dashboard.port}.evil.test']
    sites = [None, 'none', 'same-site', 'cross-site', '']
    tokens = [None, '', '0' * 64, session.token[:-1], stage.second.token]
    tries = [({'origin': origin}, {}) for origin in origins] + [({'sec_fetch_site': site}, {}) for site in sites]
    tries += [({'origin': 'null', 'sec_fetch_site': site}, {}) for site in sites]
    tries += [({}, {'token': token}) for token in tokens] + [({'content_type': 'text/plain'}, {})]
    for fields, form in tries:
        body = session.proposal('mute', 'judy.test', **form)
        answer = dashboard.ask('POST', '/api/proposals', session.post_fields(**fields), body)
        yield from differs(f'a proposal with {fields or form}', answer.status, 403)
        given = {'token': session.token, 'digest': digest, **form}
        body = urllib.parse.urlencode({name: value for name, value in given.items() if value is not None}).encode()
        fields = {'kind': 'application/x-www-form-urlencoded', **fields}
        answer = dashboard.ask('POST', f'/@{ACCOUNT}/jobs/{job}/approve', session.post_fields(**fields), body)
        yield from differs(f'an approval with {fields or form}', answer.status, 403)
    unknown = dashboard.ask('POST', '/api/proposals', session.post_fields(cookie=None), session.proposal('mute', 'judy.test'))
    yield from differs('a proposal without a cookie', unknown.status, 401)
    answer = session.get(f'/@{ACCOUNT}/jobs/{job}/approve?token={session.token}&digest={digest}')
    yield from differs('an approval with GET', answer.status, 405)
    yield from differs('the jobs', session.jobs(), before)


def accepts_a_right_post(stage):
    """HTTP: a POST with all of them proposes, approves and rejects"""
    dashboard, session = stage.dashboard, stage.session
    job = session.propose('mute', 'heidi.test')
    yield from differs('the proposal', session.jobs().get(job), 'proposed')
    body = json.dumps({'token': session.token, 'digest': session.job(job)['digest']}).encode()
    answer = dashboard.ask('POST', f'/api/jobs/{job}/approve', session.post_fields(), body)
    yield from differs('the approval', answer.status in (200, 202), True)
    yield from differs('the job is done', session.waits_for(job, 'done'), True)
    job = session.propose('mute', 'judy.test')
    form = urllib.parse.urlencode({'token': session.token}).encode()
    fields = session.post_fields('application/x-www-form-urlencoded')
    answer = dashboard.ask('POST', f'/@{ACCOUNT}/jobs/{job}/reject', fields, form)
    yield from differs('the rejection', (answer.status, answer.fields.get('location')), (303, f'/@{ACCOUNT}/jobs/{job}'))
    yield from differs('the rejected job waits', session.jobs().get(job) == 'proposed', False)


def keeps_the_interface_to_its_pages(stage):
    """HTTP: GET /api without Sec-Fetch-Site: same-origin gets 403"""
    session = stage.session
    for path in ('listJobs', 'listJobs?all=true', 'events', 'picture?at=x', 'nothing'):
        for site in (None, 'none', 'same-site', 'cross-site'):
            answer = session.get(f'/api/{path}', sec_fetch_site=site)
            yield from differs(f'/api/{path} with {site}', answer.status, 403)
    yield from differs('from the page', session.get('/api/listJobs', sec_fetch_site='same-origin').status, 200)


def hardens_each_response(stage):
    """HTTP: each response says how browsers must treat it"""
    dashboard, session = stage.dashboard, stage.session
    page = session.get('/accounts').text
    entered = dashboard.enter()
    answers = {f'GET {path}': session.get(path) for path in (
        '/', '/accounts', f'/@{ACCOUNT}', f'/@{ACCOUNT}/followers', f'/@{ACCOUNT}/followers?from=x', f'/@{ACCOUNT}/jobs',
        '/nothing', '/@nobody.test', '/api/listJobs', '/enter?token=0', '/%')}
    answers |= {f'GET {path} of a page': session.get(path, sec_fetch_site='same-origin') for path in (
        '/api/listJobs', '/api/nothing', '/api/listAccounts', '/api/picture?at=https://evil.test/x')}
    answers['the entrance'] = entered.answer
    answers['401'], answers['421'] = dashboard.ask('GET', '/'), dashboard.ask('GET', '/', {'Host': 'evil.test'})
    answers['HEAD /accounts'] = dashboard.ask('HEAD', '/accounts', session.fields())
    answers['a refused POST'] = dashboard.ask('POST', '/accounts', session.fields())
    answers['405'] = dashboard.ask('POST', '/accounts', session.post_fields(), session.proposal('mute', 'bob.test'))
    answers['the events'], stream = dashboard.ask(
        'GET', '/api/events', session.fields(sec_fetch_site='same-origin'), streamed=True)
    stream.close()
    for name, answer in answers.items():
        for field, value in HARDENED.items():
            yield from differs(f'{name}: {field}', answer.fields.get(field), value)
        if 'access-control-allow-origin' in answer.fields:
            yield f'{name}: lets other origins read it'
    for path in re.findall(r'(?:href|src)="(/assets/[^"]+)"', page):
        answer = dashboard.ask('GET', path)
        for field, value in HARDENED.items():
            # An asset says nothing about anybody, and its address changes with it.
            expected = 'private, max-age=31536000, immutable' if field == 'cache-control' else value
            yield from differs(f'{path}: {field}', answer.fields.get(field), expected)


def escapes_the_words_of_strangers(stage):
    """HTTP: a hostile name, path or parameter is text in the page"""
    session = stage.session
    for section in ('followers', 'following', 'mutuals'):
        page = session.get(f'/@{ACCOUNT}/{section}').text
        if '<img src=x' in page:
            yield f'{section}: the name is markup'
        names = [html.unescape(name) for name in re.findall(r'<a class="dn" href="[^"]*"><bdi>(.*?)</bdi></a>', page)]
        if SHOWN_NAME not in names:
            yield f'{section}: {SHOWN_NAME!r} is not among {names!r}'
        # Names in labels are isolated by a pair of such characters.
        page = re.sub('\u2068([^\u2068\u2069]*)\u2069', r'\1', page)
        hidden = re.findall('[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]', page)
        yield from differs(f'{section}: hidden characters', hidden, [])
    hostile = urllib.parse.quote('<b id=made>"\'\u202e')
    for path in (f'/@{ACCOUNT}/followers?from={hostile}', f'/@{hostile}', f'/{hostile}', f'/@{ACCOUNT}/{hostile}'):
        page = session.get(path).text
        if '<b id=made>' in page or '\u202e' in page:
            yield f'{path}: comes back as it is'


def streams_events(stage):
    """HTTP: the event stream tells what another process changes, and a reader that was away that it missed something"""
    dashboard, session = stage.dashboard, stage.session
    fields = session.fields(sec_fetch_site='same-origin', last_event_id='another-1')
    answer, stream = dashboard.ask('GET', '/api/events', fields, streamed=True)
    yield from differs('its type', answer.fields.get('content-type'), 'text/event-stream')
    start = time.monotonic()
    lines = []

    def reads(wanted, seconds):
        while time.monotonic() < start + seconds:
            line = stream.readline().decode()
            lines.append(line.strip())
            if lines[-1] == wanted:
                return True
            if not line:
                break
        return False

    yield from differs('reset for an unknown event', reads('event: reset', 10), True)
    # The watch needs one look before it can see a change.
    time.sleep(2.5)
    stage.network.kith('mute', 'niaj.test')
    yield from differs('the change of another process', reads('event: jobs', 40), True)
    for field in ('retry: ', 'id: '):
        yield from differs(f'a line with {field}', any(line.startswith(field) for line in lines), True)
    stream.close()


def keeps_tokens_out_of_arguments(stage):
    """HTTP: no token is in the arguments of a process, and the file for the browser is the user's alone"""
    dashboard = stage.start(opens_browser=True)
    end = time.monotonic() + 10
    while not dashboard.opened.exists() and time.monotonic() < end:
        time.sleep(0.05)
    given = dashboard.opened.read_text().split('\n')[0]
    path = urllib.parse.unquote(urllib.parse.urlsplit(given).path)
    with open(path) as file:
        yield from differs('the file leads to the address', html.escape(dashboard.entrance) in file.read(), True)
        mode = subprocess.run(['stat', '-c', '%a', path], capture_output=True, text=True).stdout.strip()
    yield from differs('its mode', mode, '600')
    secrets = [dashboard.entrance.split('=')[1], stage.dashboard.entrance.split('=')[1], stage.session.token,
               stage.session.cookie.split('=')[1]]
    dashboard.enter()
    arguments = subprocess.run(['ps', '-eo', 'args', '-ww'], capture_output=True, text=True).stdout
    yield from differs('kith ui is among the processes', 'kith ui' in arguments, True)
    for secret in secrets:
        if secret in arguments or secret in given:
            yield 'a token is in the arguments'
    time.sleep(0.5)
    try:
        open(path).close()
        yield 'the file is still there when the browser has entered'
    except FileNotFoundError:
        pass


RULES = [
    refuses_other_hosts, gives_fitting_reasons, admits_a_token_once, closes_after_wrong_tokens, sets_a_strict_cookie,
    refuses_forged_posts, accepts_a_right_post, keeps_the_interface_to_its_pages, hardens_each_response,
    escapes_the_words_of_strangers, streams_events, keeps_tokens_out_of_arguments,
]
# Those that a dashboard without its safety breaks.
REFUSALS = [
    refuses_other_hosts, admits_a_token_once, closes_after_wrong_tokens, sets_a_strict_cookie, refuses_forged_posts,
    keeps_the_interface_to_its_pages, hardens_each_response, escapes_the_words_of_strangers, streams_events,
]
