# SPDX-License-Identifier: Apache-2.0
"""The safety rules of the dashboard, tried in Chromium: what a person with a hostile site in another tab would meet.

Each function is a rule: its first line says it, and it yields what breaks it.
"""

import html
import json
import time

from safety_http import SHOWN_NAME, differs
from servers import ACCOUNT, HostileSite, free_port

# How long seven tabs may take to load, in seconds: one that gets no connection waits for ever.
SEVEN_TABS = 15
# How long a change of another process may take to appear, in seconds: the server looks every two.
APPEARS = 20


def status(page, url):
    """The status of the last response for a URL; None if there was none."""
    return next((status for asked, status in reversed(page.responses) if asked == url), None)


def words(page):
    return page.evaluate('document.documentElement.innerText.trim()')


def enter(page, dashboard, account=ACCOUNT):
    """Opens the file that leads to the address, as kith ui does. Returns whether the overview is shown."""
    page.open(dashboard.entrance_file().as_uri())
    arrived = page.wait(f'location.href === "{dashboard.base}/@{account}" && document.readyState === "complete"')
    dashboard.next_entrance()
    return arrived


def enters_from_a_file(stage):
    """Chromium: a file with the address leads to the overview, and the address is used up then"""
    page, dashboard = stage.page, stage.dashboard
    entrance = dashboard.entrance
    yield from differs('the overview is shown', enter(page, dashboard), True)
    yield from differs('its heading', page.evaluate('document.querySelector("h1").textContent'), 'Overview')
    yield from differs('its account', page.evaluate('document.querySelector(".sub").textContent'), f'Alice, {ACCOUNT}')
    tab = page.chromium.page()
    tab.open(entrance)
    yield from differs('the second time', status(tab, entrance), 403)
    tab.close()


def closes_after_wrong_addresses(stage):
    """Chromium: after 10 wrong addresses none lets in; the tab inside goes on"""
    dashboard, page, tab = stage.start(), stage.page.chromium.page(), stage.page.chromium.page()
    yield from differs('the overview is shown', enter(page, dashboard), True)
    seen = []
    for number in range(11):
        tab.open(f'{dashboard.base}/enter?token={number}')
        seen.append(status(tab, f'{dashboard.base}/enter?token={number}'))
    yield from differs('wrong ones', seen, [403] * 10 + [429])
    tab.open(dashboard.entrance)
    yield from differs('the right one', status(tab, dashboard.entrance), 429)
    page.open(f'{dashboard.base}/accounts')
    yield from differs('the tab inside', page.evaluate('document.querySelector("h1").textContent'), 'Accounts')
    # Cookies do not know ports.
    stage.page.open(f'{stage.dashboard.base}/accounts')
    yield from differs('the tab of the other dashboard', words(stage.page).startswith('This browser'), False)
    page.close()
    tab.close()


def refuses_rebound_names(stage):
    """Chromium: a page of another host that leads to the dashboard gets 421"""
    page, dashboard = stage.page, stage.dashboard
    url = f'http://evil.test:{dashboard.port}/'
    page.open(url)
    yield from differs('the page', (status(page, url), words(page)), (421, 'This server does not have that name.'))
    for path in ('/accounts', '/api/listJobs'):
        yield from differs(f'fetch of {path}', page.evaluate(f'fetch("{path}").then(answer => answer.status)'), 421)
    yield from differs('a POST', page.evaluate(
        'fetch("/api/proposals", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" })'
        '.then(answer => answer.status)'), 421)


def hides_the_cookie(stage):
    """Chromium: scripts do not see the cookie, and other sites do not get it sent"""
    page, dashboard = stage.page, stage.dashboard
    page.open(f'{dashboard.base}/accounts')
    yield from differs('document.cookie', page.evaluate('document.cookie'), '')
    cookies = page.send('Network.getCookies', urls=[dashboard.base])['cookies']
    seen = {cookie['name']: (cookie['httpOnly'], cookie.get('sameSite'), cookie['path']) for cookie in cookies}
    yield from differs('the cookie', seen.get(f'kith-{dashboard.port}'), (True, 'Strict', '/'))
    for name in ('localhost', 'evil.test'):
        for path in ('/accounts', f'/@{ACCOUNT}/followers'):
            url = dashboard.base + path
            stage.site.pages['/go'] = f'<h1>Hostile</h1><a href="{url}">Go</a>'
            page.open(stage.site.address(name, '/go'))
            page.click('a')
            page.wait(f'location.href === "{url}" && document.readyState === "complete"')
            yield from differs(f'a link of {name} to {path}', (status(page, url), words(page)[:16]), (401, 'This browser has'))
    page.open(f'{dashboard.base}/accounts')
    yield from differs('the address typed again', status(page, f'{dashboard.base}/accounts'), 200)


def keeps_data_from_other_origins(stage):
    """Chromium: a hostile page reads and shows nothing of the dashboard"""
    page, base = stage.page, stage.dashboard.base
    paths = ('/accounts', f'/@{ACCOUNT}/followers', '/api/listJobs', '/api/listAccounts')
    paths = json.dumps([f'{base}{path}' for path in paths])
    fetches = f'''Promise.all({paths}.flatMap(url => ["cors", "no-cors"].map(mode =>
        fetch(url, {{ mode, credentials: "include" }})
            .then(async answer => `${{mode}} ${{url}}: ${{await answer.text()}}`, () => null)
    ))).then(all => all.filter(one => one !== null))'''
    elements = f'''Promise.all({paths}.flatMap(url => ["img", "script", "link", "object", "video"].map(name =>
    new Promise(resolve => {{
        const element = document.createElement(name);
        if (name === "link") element.rel = "stylesheet";
        element[name === "link" ? "href" : name === "object" ? "data" : "src"] = url;
        element.onload = element.onloadedmetadata = () => resolve(`${{name}} ${{url}}: loaded`);
        element.onerror = () => resolve(null);
        document.body.append(element);
    }})))).then(all => all.filter(one => one !== null))'''
    events = f'''new Promise(resolve => {{
        const source = new EventSource("{base}/api/events", {{ withCredentials: true }});
        source.onopen = () => resolve("open");
        source.onerror = () => {{ source.close(); resolve("refused"); }};
    }})'''
    for name in HostileSite.NAMES:
        page.open(stage.site.address(name))
        page.forget()
        yield from differs(f'what {name} fetches', page.evaluate(fetches), [])
        yield from differs(f'what {name} embeds', page.evaluate(elements), [])
        yield from differs(f'the events for {name}', page.evaluate(events), 'refused')
        answered = {status for url, status in page.responses if url.startswith(f'{base}/api/')}
        # To cookies, another port is the same site: there, Sec-Fetch-Site refuses.
        yield from differs(f'the statuses of /api for {name}', answered, {403 if name == '127.0.0.1' else 401})


def cannot_be_framed(stage):
    """Chromium: a frame with the dashboard in a hostile page stays empty"""
    page, site, dashboard = stage.page, stage.site, stage.dashboard
    site.pages['/shown'] = '<p>A frame that is shown'
    for name in HostileSite.NAMES:
        for host in ('127.0.0.1', 'localhost'):
            shown = site.address(host, '/shown')
            for path in ('/accounts', f'/@{ACCOUNT}/jobs', '/nothing', '/api/listJobs'):
                url = f'http://{host}:{dashboard.port}{path}'
                site.pages['/frame'] = f'<iframe src="{html.escape(url)}"></iframe><iframe src="{shown}"></iframe>'
                page.open(site.address(name, '/frame'))
                yield from differs(f'{url} in {name}', sorted(page.frames()), ['', 'A frame that is shown'])


def ignores_forms_of_other_sites(stage):
    """Chromium: a form that a hostile page sends by itself changes nothing, even with the right token"""
    page, dashboard, session = stage.page, stage.dashboard, stage.session
    enter(page, dashboard)
    token = page.evaluate('document.querySelector("meta[name=kith-token]").content')
    job = session.propose('mute', 'oscar.test')
    fields = {'token': token, 'digest': session.job(job)['digest'], 'confirmed': 'yes'}
    before = session.jobs()
    inputs = ''.join(f'<input type="hidden" name="{name}" value="{value}">' for name, value in fields.items())
    # As text/plain, a form can send what reads as JSON.
    text = json.dumps({'token': token, 'kind': 'mute', 'accounts': ['judy.test']})[:-1] + ', "rest": "'
    forms = [
        (f'/@{ACCOUNT}/jobs/{job}/approve', 'application/x-www-form-urlencoded', inputs),
        (f'/@{ACCOUNT}/jobs/{job}/reject', 'application/x-www-form-urlencoded', inputs),
        (f'/@{ACCOUNT}/jobs/{job}/approve', 'multipart/form-data', inputs),
        ('/api/proposals', 'text/plain', f'<input name="{html.escape(text)}" value="&quot;}}">'),
    ]
    for name in HostileSite.NAMES:
        for path, kind, inside in forms:
            stage.site.pages['/form'] = (
                f'<form method="post" action="{dashboard.base}{path}" enctype="{kind}">{inside}</form>'
                '<script>document.forms[0].submit()</script>')
            page.forget()
            page.open(stage.site.address(name, '/form'))
            page.wait(f'location.origin === "{dashboard.base}" && document.readyState === "complete"')
            expected = 403 if name == '127.0.0.1' else 401
            yield from differs(f'{kind} to {path} from {name}', status(page, dashboard.base + path), expected)
        page.open(stage.site.address(name))
        page.evaluate(f'''fetch("{dashboard.base}/@{ACCOUNT}/jobs/{job}/approve", {{ method: "POST", mode: "no-cors",
            credentials: "include", body: new URLSearchParams({json.dumps(fields)}) }}).catch(() => null)''')
    yield from differs('the jobs', session.jobs(), before)


def approves_with_buttons(stage):
    """Chromium: the buttons of the jobs page approve and undo, without scripts and with them"""
    page, dashboard, session = stage.page, stage.dashboard, stage.session
    address = f'{dashboard.base}/@{ACCOUNT}/jobs'
    for handle, isDisabled in (('mallory.test', True), ('grace.test', False)):
        where = 'without scripts' if isDisabled else 'with scripts'
        job = session.propose('mute', handle)
        page.send('Emulation.setScriptExecutionDisabled', value=isDisabled)
        for action, count in (('approve', 'done'), ('undo', 'undone')):
            page.open(address)
            page.forget()
            page.click(f'#job-{job}-{action}')
            url = f'{address}/{job}/{action}'
            end = time.monotonic() + APPEARS
            while status(page, url) is None and time.monotonic() < end:
                page.chromium.read(0.1)
            page.wait('document.readyState === "complete"')
            if status(page, url) != 303:
                yield f'{where}, {action}: {status(page, url)} {words(page)[:80]!r}, expected 303'
                break
            yield from differs(f'{where}, {action}: changes that are {count}', session.waits_for_count(job, count), 1)
            if not isDisabled:
                shown = page.wait(f'document.querySelector("#job-{job}-{action}") === null')
                yield from differs(f'{where}, {action}: its button is gone', shown, True)
    page.send('Emulation.setScriptExecutionDisabled', value=False)


def answers_its_own_page(stage):
    """Chromium: a page of the dashboard reads /api; its address typed into the browser does not"""
    page, base = stage.page, stage.dashboard.base
    page.open(f'{base}/accounts')
    seen = page.evaluate('fetch("/api/listJobs?all=true").then(answer => answer.json()).then(answer => answer.rows.length)')
    yield from differs('the rows', seen, len(stage.session.jobs()))
    page.open(f'{base}/api/listJobs')
    yield from differs('the typed address', status(page, f'{base}/api/listJobs'), 403)


def unreported(page):
    """The directives that no message of the console names."""
    reported = ' '.join(page.messages).replace('"', "'")
    directives = ('script-src', 'style-src', 'img-src', 'connect-src', 'base-uri', 'form-action')
    return [directive for directive in directives if f"'{directive} " not in reported]


def blocks_what_is_injected(stage):
    """Chromium: the policy of a page blocks scripts, styles and requests that are put into it"""
    page = stage.page
    for path in ('/accounts', '/nothing', f'/@{ACCOUNT}/jobs'):
        page.open(stage.dashboard.base + path)
        page.forget()
        seen = page.evaluate(f'''(async () => {{
            const add = (name, set) => {{
                const element = document.createElement(name);
                Object.assign(element, set);
                document.body.append(element);
                return element;
            }};
            const before = getComputedStyle(document.body).backgroundColor;
            add("script", {{ text: "window.injected = 1" }});
            add("script", {{ src: "{stage.site.address('127.0.0.1')}" }});
            add("style", {{ textContent: "body {{ background: #010203 }}" }});
            add("p", {{ innerHTML: "<b onclick='window.injected = 2' style='color: #010203'>x</b>" }});
            add("img", {{ src: "{stage.site.address('127.0.0.1')}" }});
            document.querySelector("p b").click();
            add("base", {{ href: "{stage.site.address('127.0.0.1')}" }});
            const form = add("form", {{ action: "{stage.site.address('127.0.0.1', '/stolen')}", method: "post" }});
            // A form that is not blocked leaves the page.
            setTimeout(() => form.submit(), 200);
            const asked = await fetch("{stage.site.address('127.0.0.1')}", {{ mode: "no-cors" }}).then(() => true, () => false);
            const bold = [...document.querySelectorAll("b")].at(-1);
            return [window.injected ?? null, getComputedStyle(document.body).backgroundColor === before,
                getComputedStyle(bold).color === "rgb(1, 2, 3)", asked, document.baseURI.startsWith("{stage.dashboard.base}")];
        }})()''')
        yield from differs(f'{path}: script, background, colour, request, base', seen, [None, True, False, False, True])
        missing = unreported(page)
        # The console may be told a little later.
        end = time.monotonic() + 5
        while missing and time.monotonic() < end:
            page.chromium.read(0.1)
            missing = unreported(page)
        yield from differs(f'{path}: what the console does not name', missing, [])
        yield from differs(f'{path}: what reached the other site',
                           [url for url, _ in page.responses if url.startswith(stage.site.address('127.0.0.1'))], [])


def shows_hostile_words_as_text(stage):
    """Chromium: a hostile name is text in a <bdi>, and makes no element"""
    page = stage.page
    for section in ('followers', 'following', 'mutuals'):
        page.open(f'{stage.dashboard.base}/@{ACCOUNT}/{section}')
        seen = page.evaluate('''[...document.querySelectorAll("main bdi")]
            .filter(name => name.textContent.includes("evil"))
            .map(name => [name.textContent, name.children.length, getComputedStyle(name).unicodeBidi])''')
        yield from differs(section, seen, [[SHOWN_NAME, 0, 'isolate']])
        made = page.evaluate('document.querySelectorAll("main img[src=x], main [onerror]").length')
        yield from differs(f'{section}: elements made of it', made, 0)
    yield from differs('dialogs', page.dialogs, [])


def shares_events_among_tabs(stage):
    """Chromium: seven tabs load, share one event stream, show what another process changes, and replace the one that reads"""
    address = f'{stage.dashboard.base}/@{ACCOUNT}/jobs'
    # The tab that leads would be one of other rules.
    stage.page.open('about:blank')
    tabs = [stage.page.chromium.page() for _ in range(7)]
    start = time.monotonic()
    for tab in tabs:
        tab.chromium.begin(tab._session, 'Page.navigate', url=address)
    loaded = [tab.wait(f'location.href === "{address}" && document.readyState === "complete"', SEVEN_TABS) for tab in tabs]
    yield from differs(f'tabs that loaded within {SEVEN_TABS} s', loaded, [True] * 7)
    if time.monotonic() - start > SEVEN_TABS:
        yield f'seven tabs took {time.monotonic() - start:.0f} s'

    def leaders():
        return [tab for tab in tabs if tab.evaluate('document.documentElement.dataset.events') == 'open']

    def waits_for_leader():
        end = time.monotonic() + APPEARS
        while not leaders() and time.monotonic() < end:
            time.sleep(0.1)
        return leaders()

    def appears(verb, handle):
        known = set(stage.session.jobs())
        stage.network.kith(verb, handle, '--account', ACCOUNT)
        job = max(set(stage.session.jobs()) - known)
        shown = []
        for tab in tabs:
            # A hidden tab waits until it is seen.
            tab.send('Page.bringToFront')
            shown.append(tab.wait(f'document.querySelector("#jobs").textContent.includes("Job {job}:")', APPEARS))
        return shown

    yield from differs('tabs that read the stream', len(waits_for_leader()), 1)
    streams = [url for tab in tabs for url in tab.requests if url.endswith('/api/events')]
    yield from differs('streams that were opened', len(streams), 1)
    # The watch needs one look before it can see a change.
    time.sleep(2.5)
    yield from differs('tabs that show the change', appears('mute', 'bob.test'), [True] * 7)
    leader = leaders()[0]
    tabs.remove(leader)
    leader.close()
    yield from differs('tabs that read the stream after it has closed', len(waits_for_leader()), 1)
    yield from differs('tabs that show the next change', appears('unmute', 'bob.test'), [True] * 6)
    loads = [tab.evaluate('performance.getEntriesByType("navigation").length') for tab in tabs]
    yield from differs('navigations of each tab', loads, [1] * 6)
    for tab in tabs:
        tab.close()


def shows_the_first_change(stage):
    """Chromium: a change right after the first page was opened appears there"""
    page, dashboard = stage.page, stage.start()
    enter(page, dashboard)
    yield from differs('the stream is open', page.wait('document.documentElement.dataset.events === "open"'), True)
    stage.network.kith('mute', 'frank.test', '--account', ACCOUNT)
    shown = page.wait('document.querySelector("#jobs").textContent.includes("frank.test")', APPEARS / 2)
    yield from differs(f'the job is shown within {APPEARS / 2:.0f} s', shown, True)


def works_at_a_forwarded_name(stage):
    """Chromium: at the address of --host-name, the page has events, reads /api and sends forms"""
    page = stage.page
    port = free_port()
    dashboard = stage.start('--port', str(port), '--host-name', f'forwarded.localhost:{port}')
    yield from differs('the address', dashboard.base, f'http://forwarded.localhost:{port}')
    page.forget()
    yield from differs('the overview is shown', enter(page, dashboard), True)
    seen = page.wait('document.documentElement.dataset.events === "open"', 5)
    yield from differs('the stream is open', seen, True)
    yield from differs('/api', page.evaluate('fetch("/api/listJobs").then(answer => answer.status)'), 200)
    posted = page.evaluate("""fetch("/api/visible", {
        method: "POST", headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ token: document.querySelector("meta[name=kith-token]").content }),
    }).then(answer => answer.status)""")
    yield from differs('a POST', posted, 200)
    yield from differs('exceptions', [message for message in page.messages if 'Uncaught' in message], [])


RULES = [
    enters_from_a_file, closes_after_wrong_addresses, refuses_rebound_names, hides_the_cookie, keeps_data_from_other_origins,
    cannot_be_framed, ignores_forms_of_other_sites, approves_with_buttons, answers_its_own_page, blocks_what_is_injected,
    shows_hostile_words_as_text, shares_events_among_tabs, shows_the_first_change,
    works_at_a_forwarded_name,
]
# Those that a dashboard without its safety breaks.
REFUSALS = [
    closes_after_wrong_addresses, refuses_rebound_names, hides_the_cookie, keeps_data_from_other_origins, cannot_be_framed,
    ignores_forms_of_other_sites, answers_its_own_page, blocks_what_is_injected, shows_hostile_words_as_text,
]
