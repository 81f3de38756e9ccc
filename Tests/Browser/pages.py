# SPDX-License-Identifier: Apache-2.0
"""The pages of the dashboard at each width in each scheme: screenshots, requests, console, and the rules of `rules.js`."""

import time

from rules import SCHEMES, SCRIPT, WIDTHS, try_details, try_rules, try_tab
from safety_browser import enter
from servers import ACCOUNT

# The narrowest phones that are still in use.
NARROWEST = 360
SIDEWAYS = 'the page does not scroll sideways'
# Where the keyboard is tried: a page of figures, a table, one of buttons, forms, and charts.
TYPED = {'overview', 'followers', 'jobs', 'accounts', 'edit', 'analytics'}


def fill(stage):
    """Makes something that each page can show."""
    stage.network.kith('block', 'dave.test', '--account', ACCOUNT, '--yes')
    stage.network.kith('mute', 'erin.test', '--account', ACCOUNT)
    stage.network.kith('snapshot', '--account', ACCOUNT)
    stage.session.propose('unmute', 'erin.test')


def addresses(page, base):
    """The pages of the navigation, those that they lead to, and those of failures, by name."""
    page.open(f'{base}/@{ACCOUNT}')
    links = page.evaluate('[...new Set([...document.querySelectorAll("nav a")].map(link => link.href))]')
    named = {link[len(base):].removeprefix(f'/@{ACCOUNT}').strip('/') or 'overview': link for link in links}
    more = {'sign-in': '/accounts/sign-in', 'edit': f'/@{ACCOUNT}/edit', 'failure': f'/@{ACCOUNT}/nothing'}
    return {**named, **{name: base + path for name, path in more.items()}}


def look_at_all(stage, findings, folder=None):
    """Opens each page as a reader does."""
    page, base = stage.page, stage.dashboard.base
    fill(stage)
    enter(page, stage.dashboard)
    # The first page is told what it shows. One that is told of it later would renew its buttons while they are tried.
    time.sleep(4)
    pages = addresses(page, base)
    findings.add('the navigation has its pages', [] if len(pages) == 13 else [f'{sorted(pages)}'])
    try_charts(page, pages['analytics'], findings)
    for name, url in pages.items():
        for scheme in SCHEMES:
            for width in WIDTHS:
                look_at(page, name, url, scheme, width, findings, folder, base)
        page.resize(NARROWEST)
        findings.add(SIDEWAYS, page.evaluate(f'kith.rules[{SIDEWAYS!r}]()'), f' ({name}, {NARROWEST} px)')


def try_charts(page, url, findings):
    """Reads charts by keys: what is shown is the row of the table."""
    page.open(url, WIDTHS[-1], SCHEMES[0])
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


def look_at(page, name, url, scheme, width, findings, folder, base):
    where = f' ({name}, {width} px, {scheme})'
    page.forget()
    page.open(url, width, scheme)
    if folder:
        page.screenshot(folder / f'dashboard-{name}-{width}-{scheme}.png')
    page.evaluate(SCRIPT)
    if name in TYPED and scheme == SCHEMES[0]:
        try_tab(page, findings, where)
        try_details(page, findings, where)
    page.evaluate('kith.openAll()')
    try_rules(page, findings, where)
    # That the page of a failure is one is said there.
    messages = [message for message in page.messages if name != 'failure' or 'status of 404' not in message]
    findings.add('the console is silent', messages, where)
    elsewhere = [asked for asked in page.requests if not asked.startswith(f'{base}/')]
    findings.add('nothing is requested elsewhere', elsewhere, where)
