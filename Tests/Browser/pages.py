# SPDX-License-Identifier: Apache-2.0
"""The pages of the dashboard, in each scheme, from the narrowest to the widest window: screenshots, requests, console, axe, `rules.js`."""

import re
from dataclasses import dataclass

from axe import try_axe
from flows import Visit, rows_of
from rules import SCHEMES, SCRIPT, WIDTHS, try_details, try_rules, try_tab

# It blocks, is blocked, mutes, and has a follower with a hostile name.
PERSON = 'alice.test'
ACCOUNTS = 200
# 320 px are a window of 1280 at 400 %; above are phones, tablets and wide screens.
ALL_WIDTHS = (320, 360, 390, 768, 1024, 1280, 1920)
SIDEWAYS = 'the page does not scroll sideways'
AXE_WIDTH = 1280


@dataclass
class Shown:
    """A page. Its path is below that of the account; `{name}` is filled in by `fill`."""

    name: str
    path: str
    # What is done there before it is looked at: expressions that are waited for, and selectors that are pressed.
    steps: tuple = ()
    # The status that it is answered with.
    status: int = 200


# The pages of the navigation are found there. These are the others, and what opens on a page.
PAGES = [
    Shown('mutuals', 'mutuals'),
    Shown('not-following-back', 'not-following-back'),
    Shown('not-followed-back', 'not-followed-back'),
    Shown('muted', 'muted'),
    Shown('person', 'profile/{stranger}'),
    Shown('blocked-person', 'profile/{blocked}'),
    Shown('followers-of', 'profile/{stranger}/followers'),
    Shown('block', 'ask/block/{stranger}'),
    Shown('unblock', 'ask/unblock/{blocked}'),
    Shown('mute', 'ask/mute/{stranger}'),
    Shown('report', 'report/{stranger}'),
    Shown('sent', 'requests/sent'),
    Shown('friends', 'friends'),
    Shown('nearby', 'discover?by=nearby'),
    Shown('search', 'discover?by=search&q=a'),
    Shown('edit', 'edit'),
    Shown('sign-in', '/accounts/sign-in'),
    Shown('plan', 'jobs/{planned}'),
    Shown('done', 'jobs/{done}'),
    Shown('empty', 'followers?q=there-is-no-such-account'),
    Shown('wrong-filter', 'followers?where=folowers'),
    Shown('failure', 'nothing', status=404),
    Shown('suggestions', 'followers', ('#filter', 'document.querySelector("#suggestions [role=option]")')),
    Shown('dialog', 'profile/{stranger}', ('.drop summary', '.drop a[href*="/ask/block/"]', 'document.querySelector("dialog").open')),
    Shown('message', 'profile/{follower}', ('.fbw button.fb', 'document.querySelector(".toast")')),
]


def fill(visit):
    """Makes something that each page can show, and returns what fills the paths."""
    network, session = visit.network, visit.session
    network.kith('block', 'dave.test', '--account', PERSON, '--yes')
    network.kith('mute', 'oscar.test', '--account', PERSON)
    network.kith('snapshot', '--account', PERSON)
    strangers = list(visit.rows('mutuals'))
    planned = session.propose('unfollow', 'carol.test', PERSON)
    done = min(session.jobs())
    blocked = visit.session.api(f'showProfile?actor=dave.test&account={PERSON}')['rows'][0]['did']
    page = visit.open('followers')
    follower = page.evaluate('document.querySelector(".fb[data-s=follow]").closest("[data-fb]").dataset.fb')
    return {'stranger': strangers[-1], 'blocked': blocked, 'planned': planned, 'done': done,
            'follower': follower}


def all_pages(visit):
    """The pages of the navigation, then the others."""
    page = visit.open()
    links = page.evaluate('[...new Set([...document.querySelectorAll("nav a")].map(link => link.href))]')
    home = visit.address()
    paths = [link.removeprefix(home).strip('/') if link.startswith(home) else link for link in links]
    named = [Shown(re.sub('^profile/did:.*', 'profile', path).removeprefix(visit.dashboard.base).strip('/') or 'overview', path)
             for path in paths]
    filled = fill(visit)
    return named + [Shown(shown.name, shown.path.format(**filled), shown.steps, shown.status) for shown in PAGES]


def look_at_all(programs, browser, findings, folder=None):
    """Opens each page as readers do."""
    visit = Visit(programs, browser, ACCOUNTS, person=PERSON)
    try:
        pages = all_pages(visit)
        findings.add('the navigation has its pages', [] if len(pages) - len(PAGES) >= 7 else [str(pages)])
        try_charts(visit, findings)
        for shown in pages:
            for scheme in SCHEMES:
                look_at(visit, shown, scheme, findings, folder)
    finally:
        visit.close()


def try_charts(visit, findings):
    """Reads charts by keys: what is shown is the row of the table."""
    page = visit.open('analytics')
    charts = page.evaluate('[...document.querySelectorAll("figure[tabindex]")].map(chart => chart.id)')
    faults = [] if charts else ['there is no chart to read']
    for chart in charts:
        page.evaluate(f'document.getElementById({chart!r}).focus()')
        page.press('End', 35)
        said = page.evaluate(f'document.querySelector("#{chart} [role=status]").textContent')
        cells = page.evaluate(f'[...document.querySelector("#{chart} ~ details tbody").rows].at(-1).cells[0].textContent')
        shown = page.evaluate(f'document.querySelector("#{chart} .reading text")?.textContent ?? ""')
        if not said.startswith(cells) or not shown.startswith(cells):
            faults.append(f'{chart}: "{said}" and "{shown}" in the place of "{cells}"')
        page.press('Escape', 27)
        if page.evaluate(f'document.querySelector("#{chart} .reading") !== null'):
            faults.append(f'{chart}: Escape leaves the value there')
    findings.add('charts are read by keyboard', faults)


def prepare(visit, shown, width, scheme):
    """Opens a page and does what is done there. Returns what went wrong."""
    page = visit.page
    base = visit.dashboard.base
    url = shown.path if shown.path.startswith('http') else base + shown.path if shown.path.startswith('/') else visit.address(shown.path)
    page.open(url, width, scheme)
    page.send('Page.bringToFront')
    for step in shown.steps:
        if not step.startswith('document'):
            page.click(step)
        elif not page.wait(step):
            return [f'{step} does not come']
    return []


def look_at(visit, shown, scheme, findings, folder):
    page, base = visit.page, visit.dashboard.base
    is_first = scheme == SCHEMES[0]
    page.forget()
    for width in (AXE_WIDTH, *(width for width in WIDTHS if width != AXE_WIDTH)):
        where = f' ({shown.name}, {width} px, {scheme})'
        # What opens only after presses is looked at in the wide window. A scheme changes colours alone.
        if width != AXE_WIDTH and (shown.steps or not is_first and not folder):
            continue
        findings.add('what opens on a page opens', prepare(visit, shown, width, scheme), where)
        if folder:
            page.screenshot(folder / f'dashboard-{shown.name}-{width}-{scheme}.png')
        page.evaluate(SCRIPT)
        if width == AXE_WIDTH:
            try_axe(page, findings, where)
        if not shown.steps:
            if is_first and width == AXE_WIDTH:
                try_tab(page, findings, where)
                try_details(page, findings, where)
            page.evaluate('kith.openAll()')
        try_rules(page, findings, where)
        if is_first and not shown.steps:
            page.evaluate('kith.closeAll()')
            try_rules(page, findings, where, 'ofPages')
    if is_first and not shown.steps:
        page.send('Emulation.setEmulatedMedia', features=[{'name': 'prefers-reduced-motion', 'value': 'reduce'}])
        findings.add('nothing moves where less motion is wanted', page.evaluate('kith.moving()'), f' ({shown.name})')
        page.evaluate('kith.openAll()')
        for width in ALL_WIDTHS:
            page.resize(width)
            findings.add(SIDEWAYS, page.evaluate(f'kith.rules[{SIDEWAYS!r}]()'), f' ({shown.name}, {width} px)')
    # That the page of a failure is one is said there.
    messages = [message for message in page.messages if f'status of {shown.status}' not in message]
    findings.add('the console is silent', messages, f' ({shown.name}, {scheme})')
    elsewhere = [asked for asked in page.requests if not asked.startswith((f'{base}/', 'data:'))]
    findings.add('nothing is requested elsewhere', elsewhere, f' ({shown.name}, {scheme})')
