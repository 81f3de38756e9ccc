# SPDX-License-Identifier: Apache-2.0
"""What people do on the dashboard, in Chromium: each flow is followed to its end, as the server and the network see it.

Each function is a flow: its first line says it, and it yields what goes wrong. What it changes it takes back, so that the flows
do not depend on each other.
"""

import contextlib
import json
import time
import urllib.parse
import urllib.request

from safety_browser import APPEARS, enter
from safety_http import differs
from servers import Dashboard, Network

# In a network of 50 accounts nearly all follow this one and are followed by it; alice blocks them by a list.
PERSON = 'bob.test'
ACCOUNTS = 50
# What the AppView of the network may be behind, in milliseconds: more than the pages of a flow take.
LAG = 8_000
# The longest task that a page may run, in milliseconds: a key waits as long.
LONGEST_TASK = 50
# The most rows that stay in a page.
MOST_ROWS = 200
SELECTED = 5
# How often the tasks of a page are measured, if they take too long.
TRIES = 3
ROWS_PER_SLOW_TASK = 10_000


class Visit:
    """A person who has signed in on a network of its own and opened the dashboard."""

    def __init__(self, programs, browser, accounts, *options, person=PERSON):
        self.person, self.page, self._browser, self._programs = person, browser, browser, programs
        self.network = Network(programs, accounts, *options)
        try:
            self.network.sign_in(person)
            self.dashboard = Dashboard(self.network)
            self.session = self.dashboard.enter()
            self.page = browser.chromium.page()
            if not enter(self.page, self.dashboard, person):
                raise RuntimeError(f'the overview of {person} is not shown')
        except BaseException:
            self.close()
            raise

    @contextlib.contextmanager
    def another(self, *options, accounts=ACCOUNTS, person=PERSON):
        """A visit of another network, in the same browser."""
        visit = Visit(self._programs, self._browser, accounts, *options, person=person)
        try:
            yield visit
        finally:
            visit.close()

    def close(self):
        if self.page is not self._browser:
            self.page.close()
        self.network.close()

    def address(self, path=''):
        return f'{self.dashboard.base}/@{self.person}/{path}'.rstrip('/')

    def open(self, path='', tab=None, **more):
        """Opens a page of the account, in this tab or another one."""
        tab = tab or self.page
        tab.open(self.address(path), **more)
        tab.send('Page.bringToFront')
        return tab

    def rows(self, listing):
        """The accounts of a listing, by their DIDs."""
        asked = f'listAccounts?actor={self.person}&listing={listing}&limit=1000&account={self.person}'
        return {row['did']: row['handle'] for row in self.session.api(asked)['rows']}

    def edge(self, account, field='following'):
        """Whether the person follows or blocks an account, as the network has it."""
        path = f'checkRelationships?actor={self.person}&target={account}&account={self.person}'
        return bool(self.session.api(path)['rows'][0][field])

    def follows_by_appview(self, account):
        """Whether the person follows an account, as the AppView has it now: not what Kith knows of its own writes."""
        person = self.session.api(f'showProfile?actor={self.person}')['rows'][0]['did']
        query = urllib.parse.urlencode({'actor': person, 'others': account})
        appview = self.network.environment['KITH_APPVIEW']
        with urllib.request.urlopen(f'{appview}/xrpc/app.bsky.graph.getRelationships?{query}') as answer:
            return 'following' in json.load(answer)['relationships'][0]

    def becomes(self, expected, look, seconds=APPEARS):
        """Whether something is as expected soon."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if look() == expected:
                return True
            self.page.chromium.read(0.1)
        return False


def button(account):
    """The follow button of an account."""
    return f'.fbw[data-fb="{account}"] .fb'


def state(page, account):
    """What a follow button says: its state, its words and its number of followers."""
    return page.evaluate(f'document.querySelector({json.dumps(button(account))})?.dataset.s')


def loads(page, expression):
    """Whether a page is loaded for which an expression is true."""
    return page.wait(f'{expression} && document.readyState === "complete"')


def arrives(page, path):
    """Whether a page is loaded whose address ends like this."""
    return loads(page, f'location.pathname.endsWith({json.dumps(path)})')


def text(page, selector):
    return page.evaluate(f'document.querySelector({json.dumps(selector)})?.innerText ?? null')


def watch_button(page, account):
    """Keeps all states that a button has from now on in `window.states`."""
    page.evaluate(f'''(() => {{
        const note = () => {{
            const now = document.querySelector({json.dumps(button(account))})?.dataset.s;
            if (window.states.at(-1) !== now) window.states.push(now);
        }};
        window.states = [];
        note();
        new MutationObserver(note).observe(document.body, {{ subtree: true, childList: true, attributes: true }});
    }})()''')


def is_in(account, *states):
    """An expression: whether a button is in one of some states."""
    return f'{json.dumps(states)}.includes(document.querySelector({json.dumps(button(account))})?.dataset.s)'


def follows_by_the_button(visit):
    """Flow: the follow button answers at once, the server confirms it, and the message undoes it"""
    page = visit.page
    account = next(iter(visit.rows('notFollowedBack')))
    visit.open(f'profile/{account}')
    number = f'[data-count="{account} followers"]'
    yield from differs('the button before', state(page, account), 'follow')
    before = int(text(page, number).replace(',', ''))
    page.hold('*/change')
    page.click(button(account))
    held = page.wait_for_held()
    shown = (held, state(page, account), text(page, button(account)), int(text(page, number).replace(',', '')))
    yield from differs('before the answer', shown, (True, 'busy', 'Mutual', before + 1))
    page.let_go()
    yield from differs('confirmed', page.wait(is_in(account, 'mutual')), True)
    yield from differs('on the network', visit.becomes(True, lambda: visit.edge(account)), True)
    yield from differs('the message', (text(page, '.toast') or '')[:11], 'You follow ')
    yield from differs('its role', page.evaluate('document.querySelector(".toast").getAttribute("role")'), 'status')
    page.click('.toast form button')
    yield from differs('undone', page.wait(is_in(account, 'follow'), APPEARS), True)
    yield from differs('on the network', visit.becomes(False, lambda: visit.edge(account)), True)


def rolls_back_what_is_refused(visit):
    """Flow: what the server does not accept is rolled back, and the button says why"""
    with visit.another('--fault-rate', '1', '--faults', '500', '--fault-methods', 'com.atproto.repo.applyWrites') as other:
        page = other.page
        account = next(iter(other.rows('notFollowedBack')))
        other.open(f'profile/{account}')
        number = f'[data-count="{account} followers"]'
        before = text(page, number)
        watch_button(page, account)
        page.click(button(account))
        said = page.wait('document.querySelector(".fbw [role=alert]")')
        yield from differs('something is said', said, True)
        yield from differs('the states of the button', page.evaluate('window.states'), ['follow', 'busy', 'follow'])
        yield from differs('the number', text(page, number), before)
        words = text(page, '.fbw [role=alert]') or ''
        if not words.startswith('Not followed yet: ') or '500' not in words:
            yield f'the reason: {words!r}'
        yield from differs('on the network', other.edge(account), False)


def holds_what_the_appview_does_not_know(visit):
    """Flow: an AppView that lags does not flip a new state back"""
    with visit.another('--lag', str(LAG)) as other:
        page = other.page
        account = next(iter(other.rows('notFollowedBack')))
        other.open(f'profile/{account}')
        watch_button(page, account)
        page.click(button(account))
        yield from differs('confirmed', page.wait(is_in(account, 'mutual')), True)
        # Each of these asks for the button again, while the AppView has the old state.
        other.network.kith('mute', 'erin.test', '--account', other.person)
        address = other.address(f'button/{account}')
        again = page.evaluate(f'fetch("{address}?styles=standard").then(answer => answer.text())')
        yield from differs('the button that is asked for', 'data-s="mutual"' in again, True)
        tab = other.open(f'profile/{account}', page.chromium.page())
        yield from differs('in another tab', state(tab, account), 'mutual')
        other.open('followers', tab)
        yield from differs('in the list', state(tab, account), 'mutual')
        tab.close()
        page.send('Page.bringToFront')
        yield from differs('meanwhile for the AppView', other.follows_by_appview(account), False)
        yield from differs('then for the AppView', other.becomes(True, lambda: other.follows_by_appview(account)), True)
        yield from differs('the states of the button', page.evaluate('window.states'), ['follow', 'busy', 'mutual'])


def searches_and_filters(visit):
    """Flow: the filter suggests terms while it is typed, the search narrows, and a wrong predicate is named with its place"""
    page = visit.open('followers')
    everyone = len(rows_of(page))
    page.click('#filter')
    page.type('mut')
    offered = page.wait('document.querySelector("#suggestions [role=option]")')
    yield from differs('something is suggested', offered, True)
    page.hit('ArrowDown')
    marked = page.evaluate(
        'document.getElementById(document.activeElement.getAttribute("aria-activedescendant"))?.innerText')
    yield from differs('the marked suggestion', (marked or '').split('\n')[0], 'mutual')
    page.hit('Enter')
    yield from differs('what is typed', page.wait('document.activeElement.value === "mutual"'), True)
    cost = page.wait('document.querySelector("#filter-suggestions [role=status]")?.innerText.includes("Not applied yet")')
    yield from differs('what it costs is said', cost, True)
    page.hit('Escape', 'Enter')
    yield from differs('it is applied', loads(page, 'location.search.includes("where=mutual")'), True)
    states = page.evaluate('[...new Set([...document.querySelectorAll("[data-row] .fb")].map(one => one.dataset.s))]')
    yield from differs('the rows', states, ['mutual'])
    page.click('#search')
    page.type('grace')
    page.hit('Enter')
    found = loads(page, 'location.search.includes("q=grace")')
    handles = page.evaluate('[...document.querySelectorAll("[data-row] .hd")].map(one => one.innerText)')
    expected = [handle for handle in visit.rows('mutuals').values() if handle == 'grace.test']
    yield from differs('what is found', (found, handles), (True, expected))
    if everyone < 10:
        yield f'only {everyone} followers are shown'
    visit.open('followers?where=mutual%20and%20folowers%20%3E%203')
    said = text(page, 'main [role=alert]') or ''
    for part in ('cannot be read', 'folowers'):
        if part not in said:
            yield f'a wrong predicate: {part!r} is not in {said!r}'


def rows_of(page):
    """The accounts that the page lists."""
    return page.evaluate('[...document.querySelectorAll("[data-row]")].map(row => row.dataset.row)')


def changes_many_by_a_plan(visit):
    """Flow: selected accounts become a plan, exactly that is approved, it runs to its end, and is undone"""
    page = visit.open('following')
    before = visit.rows('following')
    accounts = rows_of(page)[:SELECTED]
    for account in accounts:
        page.click(f'[data-row="{account}"] input[name=actor]')
    yield from differs('what is selected', text(page, '#selected'), f'{SELECTED} selected')
    page.evaluate('window.scrollTo(0, 0)')
    bar = page.evaluate('document.querySelector(".pick").getBoundingClientRect().bottom <= innerHeight')
    yield from differs('the bar of what is selected is in sight', bar, True)
    page.click('.pick button[value=unfollow]')
    planned = page.wait('document.querySelector("#job-approve")')
    if not planned:
        yield f'there is no plan: {text(page, "main")}'
        return
    yield from differs('its button', text(page, '#job-approve'), f'Unfollow {SELECTED} accounts')
    job = int(page.evaluate('location.pathname.split("/").at(-1)'))
    shown = page.evaluate('[...document.querySelectorAll("#job td.acct a")].map(link => link.href.split("/").at(-1))')
    yield from differs('the accounts of the plan', sorted(shown), sorted(accounts))
    yield from differs('nothing is changed yet', visit.rows('following'), before)
    page.click('#job-approve')
    yield from differs('its end, without a reload', page.wait('document.querySelector("#job-undo")', APPEARS), True)
    kept = {account for account in before if account not in accounts}
    yield from differs('what is followed now', visit.becomes(kept, lambda: set(visit.rows('following'))), True)
    yield from differs('the steps', text(page, '.steps [aria-current]'), '3\nDone')
    # The run still holds its job for a moment.
    visit.becomes(None, lambda: visit.session.job(job).get('holder'))
    page.click('#job-undo')
    # An undo of this size may ask.
    loads(page, '(document.querySelector("#ask") || !document.querySelector("#job-undo"))')
    if page.evaluate('document.querySelector("#ask") !== null'):
        page.click('#ask button')
    yield from differs('what is followed after the undo', visit.becomes(set(before), lambda: set(visit.rows('following'))), True)
    yield from differs('its state', visit.session.waits_for_count(job, 'undone'), SELECTED)


def asks_before_a_block(visit):
    """Flow: a block asks in a dialog, which Escape and Cancel leave; then it blocks, and the next one unblocks"""
    page = visit.page
    account, handle = list(visit.rows('mutuals').items())[-1]
    visit.open(f'profile/{account}')
    summary, block = '.drop summary', f'.drop a[href$="ask/block/{account}"]'

    def open_question(selector):
        page.click(summary) if selector == block else None
        page.click(selector)
        return page.wait('document.querySelector("dialog").open')

    for leave in ('Escape', 'Cancel'):
        yield from differs('the dialog', open_question(block), True)
        words = text(page, 'dialog')
        for part in ('public records', 'not notified', 'does not come back'):
            if part not in words:
                yield f'{part!r} is not in {words!r}'
        inside = page.evaluate(
            'document.querySelector("dialog").contains(document.activeElement) && document.activeElement.innerText')
        yield from differs('the focus', inside, 'Cancel')
        page.hit('Escape') if leave == 'Escape' else page.click('dialog [data-close]')
        yield from differs(f'{leave} closes it', page.wait('!document.querySelector("dialog").open'), True)
        yield from differs(f'nothing is blocked after {leave}', visit.edge(account, 'blocking'), False)
    open_question(block)
    page.click('dialog button.d')
    yield from differs('blocked', page.wait(is_in(account, 'blocked')), True)
    yield from differs('on the network', visit.becomes(True, lambda: visit.edge(account, 'blocking')), True)
    yield from differs('the question', open_question(button(account)), True)
    yield from differs('its safe button', text(page, 'dialog [data-close]'), 'Keep blocked')
    page.click('dialog button.p')
    yield from differs('unblocked', page.wait(is_in(account, 'follow')), True)
    yield from differs('on the network', visit.becomes(False, lambda: visit.edge(account, 'blocking')), True)
    visit.network.kith('follow', handle, '--account', visit.person)


def scrolls_without_an_end(visit):
    """Flow: a long list comes while it is scrolled, down and up, with at most 200 rows in the page and no task above 50 ms"""
    with visit.another(accounts=1000, person='grace.test') as other:
        yield from scroll(other, 'followers', 380)


def scroll(visit, path, least):
    """Scrolls a list to its end and back."""
    page = visit.page
    for _ in range(TRIES):
        slow, last, faults = scroll_once(visit, page, path, least)
        # Where others use the processor, a task takes longer now and then; a part that is slow is slow each time.
        is_slow = len(slow) > last // ROWS_PER_SLOW_TASK
        if not is_slow or faults:
            break
    yield from faults
    if is_slow:
        yield f'tasks take {[round(task) for task in slow]} ms'


def scroll_once(visit, page, path, least):
    """Scrolls a list to its end and back. Returns the long tasks, the number of the last row, and what goes wrong."""
    visit.open(path)
    page.evaluate('''(() => {
        window.most = window.last = 0;
        new MutationObserver(() => window.most = Math.max(window.most, document.querySelectorAll("[data-row]").length))
            .observe(document.querySelector("table"), { childList: true, subtree: true });
    })()''')
    first, slow, faults = rows_of(page), [], []
    for script in (SCROLL_DOWN, SCROLL_UP):
        is_done = False
        while not is_done:
            tasks = page.chromium.tasks_of(lambda: page.evaluate(script))
            slow += [task for task in tasks if task > LONGEST_TASK]
            is_done = page.evaluate('window.isDone')
        shown = rows_of(page)
        faults += differs('rows that are there twice', len(shown) - len(set(shown)), 0)
    last, most = page.evaluate('[window.last, window.most]')
    if last < least:
        faults.append(f'the last row is number {last}, expected at least {least}')
    if not MOST_ROWS - 100 < most <= MOST_ROWS:
        faults.append(f'the most rows in the page: {most}')
    return slow, last, faults + differs('the first rows after scrolling up', shown[:len(first)], first)


# They scroll on for some steps, and say in `isDone` whether there is more. Each step gives the page time to load a part.
SCROLL_DOWN = '''(async () => {
    const rest = () => document.querySelector(".tfoot a[rel=next]");
    for (let step = 0; step < 100 && rest(); step++) {
        window.scrollTo(0, document.documentElement.scrollHeight);
        await new Promise(next => setTimeout(next, 30));
    }
    window.last = Number([...document.querySelectorAll("[data-row]")].at(-1).ariaRowIndex) - 1;
    window.isDone = !rest();
})()'''
SCROLL_UP = '''(async () => {
    const first = () => document.querySelector("[data-row]");
    const isDone = () => first().ariaRowIndex === "2" && document.querySelectorAll("[data-row]").length === 200;
    for (let step = 0; step < 100 && !isDone(); step++) {
        window.scrollBy(0, first().getBoundingClientRect().top - 200);
        await new Promise(next => setTimeout(next, 30));
    }
    window.isDone = isDone();
})()'''


def shows_changes_of_another_tab(visit):
    """Flow: what one tab changes the other shows, and both share one stream of events"""
    page = visit.page
    account = list(visit.rows('mutuals'))[0]
    visit.open(f'profile/{account}')
    page.forget()
    other = visit.open('followers', page.chromium.page())
    leaders = 'document.documentElement.dataset.events === "open"'
    led = visit.becomes(1, lambda: sum(bool(tab.evaluate(leaders)) for tab in (page, other)))
    yield from differs('a tab that reads the events', led, True)
    opened = [url for tab in (page, other) for url in tab.requests if url.endswith('/api/events')]
    if len(opened) > 1:
        yield f'{len(opened)} streams were opened'
    for clicked, expected in (('mutual', 'follow'), ('follow', 'mutual')):
        page.send('Page.bringToFront')
        yield from differs('before', state(page, account), clicked)
        page.click(button(account))
        page.wait(is_in(account, expected))
        other.send('Page.bringToFront')
        yield from differs(f'{expected} in the other tab', other.wait(is_in(account, expected), APPEARS), True)
    loads = other.evaluate('performance.getEntriesByType("navigation").length')
    yield from differs('navigations of the other tab', loads, 1)
    other.close()


def works_by_keyboard(visit):
    """Flow: by keyboard, rows are moved through, selected, followed, blocked and opened; dialogs keep and return the focus"""
    page = visit.open('followers')
    rows = rows_of(page)
    focused = 'document.activeElement?.closest("[data-row]")?.dataset.row'
    page.hit('?')
    yield from differs('the keys are shown', page.wait('document.querySelector("dialog").open'), True)
    for _ in range(6):
        page.hit('Tab')
        inside = page.evaluate(
            '[document.body, ...document.querySelectorAll("dialog *")].includes(document.activeElement)')
        yield from differs('the focus stays in the dialog', inside, True)
    page.hit('Escape')
    yield from differs('Escape closes it', page.wait('!document.querySelector("dialog").open'), True)
    page.hit('j', 'j', 'k')
    yield from differs('j, j, k', page.evaluate(focused), rows[0])
    page.hit('j')
    yield from differs('j', page.evaluate(focused), rows[1])
    page.hit('x')
    yield from differs('x', text(page, '#selected'), '1 selected')
    page.hit('x')
    account = rows[1]
    yield from differs('before f', state(page, account), 'mutual')
    page.hit('f')
    yield from differs('f', page.wait(is_in(account, 'follow')), True)
    yield from differs('the focus after f', page.evaluate(focused), account)
    page.hit('f')
    yield from differs('f again', page.wait(is_in(account, 'mutual')), True)
    page.hit('b')
    yield from differs('b asks', page.wait('document.querySelector("dialog").open'), True)
    page.hit('Escape')
    page.wait('!document.querySelector("dialog").open')
    yield from differs('the focus after the dialog', page.evaluate(focused), account)
    page.hit('/')
    yield from differs('/', page.evaluate('document.activeElement.id'), 'search')
    # Keys that are typed do nothing else.
    page.hit('j', 'x')
    yield from differs('what is typed', page.evaluate('document.activeElement.value'), 'jx')
    page.evaluate('document.activeElement.blur()')
    page.hit('j', 'Enter')
    yield from differs('Enter opens the row', arrives(page, f'/profile/{rows[0]}'), True)
    yield from differs('nothing is blocked', visit.edge(account, 'blocking'), False)


def works_without_scripts(visit):
    """Flow: without scripts, lists have pages of 100, and forms follow, filter, plan and leave a question"""
    with visit.another(accounts=1000, person='grace.test') as other:
        page = other.page
        account = list(other.rows('following'))[0]
        page.use_scripts(False)
        other.open('followers')
        first = rows_of(page)
        page.click('a[rel=next]')
        yield from differs('the next page', loads(page, 'location.search === "?from=101"'), True)
        second = rows_of(page)
        yield from differs('rows of both pages', (len(first), len(second), len({*first, *second})), (100, 100, 200))
        page.click('#filter')
        page.type('mutual')
        page.hit('Enter')
        yield from differs('the filter', loads(page, 'location.search.includes("where=mutual")'), True)
        for selected in rows_of(page)[:2]:
            page.click(f'[data-row="{selected}"] input[name=actor]')
        page.click('.pick button[value=mute]')
        yield from differs('the plan', page.wait('document.querySelector("#job-approve")?.innerText === "Mute 2 accounts"'), True)
        page.click('#job-reject')
        yield from differs('it is discarded', page.wait('!document.querySelector("#job-approve")'), True)
        other.open(f'profile/{account}')
        before = state(page, account)
        for is_followed in (False, True):
            page.click(button(account))
            changed = page.wait(is_in(account, before) if is_followed else f'!{is_in(account, before, "busy")}')
            seen = (changed, page.evaluate('location.href'))
            yield from differs('the page after the button', seen, (True, other.address(f'profile/{account}')))
            yield from differs('on the network', other.becomes(is_followed, lambda: other.edge(account)), True)
        other.open(f'ask/block/{account}')
        page.click('#ask [data-close]')
        yield from differs('Cancel', arrives(page, f'/profile/{account}'), True)
        yield from differs('nothing is blocked', other.edge(account, 'blocking'), False)


FLOWS = [
    follows_by_the_button, rolls_back_what_is_refused, holds_what_the_appview_does_not_know, searches_and_filters,
    changes_many_by_a_plan, asks_before_a_block, scrolls_without_an_end, shows_changes_of_another_tab, works_by_keyboard,
    works_without_scripts,
]
