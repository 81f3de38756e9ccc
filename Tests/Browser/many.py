# SPDX-License-Identifier: Apache-2.0
"""What goes on the dashboard of a large network, and where something fails, in Chromium. Each function is a flow, as in `flows.py`."""

import json
import signal

from flows import Visit, arrives, rows_of, scroll
from rules import SCRIPT
from safety_browser import APPEARS, enter
from safety_http import differs
from servers import Dashboard

# It has hundreds of followers, most of which it does not follow.
PERSON = 'grace.test'
# The most popular account of a sandbox, whatever its size.
POPULAR = 31
# Each commit of a job takes a moment, and there are many.
SLOW = ('--latency', '100', '--most-writes', '10')
FAULTS = ('--fault-rate', '0.25', '--faults', '500,502,503,reset,truncate,garbage,html,lost,slow')
# A job of that many commits, in seconds on a busy machine.
PATIENCE = 120
# The most rows of a list that are scrolled through, which is what a page is made for.
MOST_SCROLLED = 100_000


def visit(programs, browser, accounts):
    return Visit(programs, browser, accounts, person=PERSON)


def leafs_through_a_long_list(visit):
    """Many: the followers of the most popular account are scrolled through, down and up"""
    answers = (visit.session.get(f'/api/showProfile?actor=user{POPULAR:0{digits}}.test', sec_fetch_site='same-origin') for digits in (4, 5, 6))
    row = next(answer for answer in answers if answer.status == 200).text
    popular = json.loads(row)['rows'][0]
    # Accounts that are gone, and those that block, are counted but not listed.
    yield from scroll(visit, f"profile/{popular['did']}/followers", min(popular['followers'], MOST_SCROLLED) * 0.8)


def opens_the_way_back(visit):
    """Many: the back button leads to the list as it was narrowed, and forward to the profile"""
    page = visit.open('followers?q=a&sort=handle')
    rows = rows_of(page)
    page.click(f'[data-row="{rows[3]}"] a.dn')
    yield from differs('the profile', arrives(page, f'/profile/{rows[3]}'), True)
    for step, path in ((-1, '/followers'), (1, f'/profile/{rows[3]}')):
        page.evaluate(f'history.go({step})')
        yield from differs(path, arrives(page, path), True)
    page.evaluate('history.back()')
    arrives(page, '/followers')
    yield from differs('the rows', page.wait('document.querySelector("[data-row]")') and rows_of(page), rows)
    yield from differs('what was searched', page.evaluate('document.getElementById("search").value'), 'a')


def shows_strangers_in_their_place(visit):
    """Many: long, wide, empty and reversed names, and pictures that do not come, leave the page as it is"""
    names = ['W' * 64, '\u202eevil\u202c' * 8, '\u200b', 'a\u0300' * 60, '🏳️‍🌈' * 20, '<b>&quot;</b>']
    page = visit.page
    page.send('Network.setBlockedURLs', urls=['*/api/picture*'])
    for name in names:
        visit.network.sign_in('alice.test')
        visit.network.kith('profile', 'set', '--name', name, '--account', 'alice.test', '--yes')
        account = visit.session.api('showProfile?actor=alice.test')['rows'][0]['did']
        for path in ('followers?q=alice.test', f'profile/{account}'):
            for width in (320, 1280):
                visit.open(path, width=width)
                page.evaluate(SCRIPT)
                for rule in ('the page does not scroll sideways', 'links have names'):
                    yield from (f'{name!r}, {path}, {width} px: {fault}' for fault in page.evaluate(f'kith.rules[{rule!r}]()'))
    page.send('Network.setBlockedURLs', urls=[])
    page.resize(1280)


def says_what_fails(visit):
    """Many: where a quarter of all answers of the network fail, each page comes, and says what is missing"""
    with visit.another(*FAULTS, accounts=200, person='alice.test') as other:
        page = other.page
        account = next(iter(other.rows('following')))
        for path in ('', 'followers', 'following', 'mutuals', 'blocked', 'muted', f'profile/{account}', 'jobs', f'ask/block/{account}'):
            page.forget()
            other.open(path)
            seen = page.evaluate('''[document.querySelectorAll("h1").length, document.querySelector("nav") !== null,
                document.querySelector("main .card, main [role=alert], main .note, main .empty") !== null]''')
            yield from differs(f'{path or "overview"}: heading, navigation, content', seen, [1, True, True])


def bulk(visit):
    """Plans to follow all that are not followed back, approves that, and returns the number of the job and its accounts."""
    page = visit.open('not-followed-back')
    # What is done about all appears with the first that is selected.
    page.click('[data-row] input[name=actor]')
    page.click('[name=all]')
    page.click('.pick button[value=follow]')
    page.wait('document.querySelector("#job-approve")', PATIENCE)
    number = int(page.evaluate('location.pathname.split("/").at(-1)'))
    before = set(visit.rows('following'))
    page.click('#job-approve')
    page.wait('document.querySelector("progress")')
    return number, before


def value(page):
    return page.evaluate('document.querySelector("progress")?.value ?? 0')


def goes_on_when_a_page_is_loaded_again(visit):
    """Many: a running job survives a reload of its page, a pause and a closed tab, and its page follows it without a reload"""
    with visit.another(*SLOW, accounts=1_000, person=PERSON) as other:
        page = other.page
        number, before = bulk(other)
        at = value(page)
        yield from differs('it moves without a reload', page.wait(f'(document.querySelector("progress")?.value ?? 1e9) > {at}'), True)
        page.evaluate('location.reload()')
        yield from differs('after a reload', page.wait('document.readyState === "complete" && document.querySelector("#job-pause")'), True)
        page.click('#job-pause')
        paused = page.wait('document.querySelector("#job-resume")', APPEARS)
        yield from differs('it is paused', paused, True)
        page.click('#job-resume')
        yield from differs('it runs again', page.wait('document.querySelector("#job-pause")', APPEARS), True)
        page.open('about:blank')
        done = other.becomes('done', lambda: other.session.jobs()[number], PATIENCE)
        yield from differs('its state when no page shows it', (done, other.session.job(number)['failed']), (True, 0))
        followed = set(other.rows('following'))
        yield from differs('those that are followed now', len(followed - before), other.session.job(number)['done'])


def goes_on_after_a_kill(visit):
    """Many: the server is killed in a bulk job; the next one goes on with it, and nothing is done twice"""
    with visit.another(*SLOW, accounts=1_000, person=PERSON) as other:
        page = other.page
        number, before = bulk(other)
        at = value(page)
        page.wait(f'(document.querySelector("progress")?.value ?? 1e9) > {at}')
        other.dashboard.process.send_signal(signal.SIGKILL)
        other.dashboard.process.wait()
        other.dashboard = Dashboard(other.network)
        other.session = other.dashboard.enter()
        job = other.session.job(number)
        if not 0 < job['done'] < job['total']:
            yield f'it was not killed in the middle: {job["done"]} of {job["total"]}'
        yield from differs('the page of the next one', enter(page, other.dashboard, other.person), True)
        other.open(f'jobs/{number}')
        done = other.becomes('done', lambda: other.session.jobs()[number], PATIENCE)
        yield from differs('its state', (done, other.session.job(number)['failed'], other.session.job(number)['inDoubt']), (True, 0, 0))
        yield from differs('its page', page.wait('document.querySelector("#job-undo")', APPEARS), True)
        records = other.session.api(f'listAccounts?actor={other.person}&listing=following&limit=10000&account={other.person}')['rows']
        yield from differs('accounts that are followed twice', len(records), len({row['did'] for row in records}))
        yield from differs('those that are followed now', len({row['did'] for row in records} - before), job['total'])


FLOWS = [
    leafs_through_a_long_list, opens_the_way_back, shows_strangers_in_their_place, says_what_fails,
    goes_on_when_a_page_is_loaded_again, goes_on_after_a_kill,
]
