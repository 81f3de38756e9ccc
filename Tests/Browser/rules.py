# SPDX-License-Identifier: Apache-2.0
"""The rules on a page of `rules.js` and of the keyboard, and what was found to break them."""

import pathlib

WIDTHS, SCHEMES = (390, 1280), ('light', 'dark')
SCRIPT = (pathlib.Path(__file__).resolve().parent / 'rules.js').read_text()


class Findings:
    """What breaks each rule; a rule that was tried and has no entries passed."""

    def __init__(self):
        self.rules = {}

    def add(self, rule, faults, where=''):
        known = self.rules.setdefault(rule, [])
        known += [f'{fault}{where}' for fault in faults]

    def print(self):
        for rule, faults in self.rules.items():
            print(f"{'FAIL' if faults else 'ok  '} {rule}")
            for fault in faults[:5]:
                print(f'       {fault[:300]}')
            if len(faults) > 5:
                print(f'       and {len(faults) - 5} more')
        failed = sum(1 for faults in self.rules.values() if faults)
        print(f'{len(self.rules) - failed} passed, {failed} failed')


def try_rules(browser, findings, where, group='rules'):
    """Tries all rules of a group of `rules.js`."""
    for rule, faults in browser.evaluate(f'Object.entries(kith.{group}).map(([rule, look]) => [rule, look()])'):
        findings.add(rule, faults, where)


def try_tab(browser, findings, where=''):
    """Walks through the page with the Tab key."""
    texts = browser.evaluate('kith.numberFocusable()')
    reached, unseen = set(), []
    # From the beginning, also where a page has put the focus elsewhere.
    browser.evaluate('document.body.tabIndex = -1, document.body.focus(), document.body.removeAttribute("tabindex")')
    for _ in range(len(texts) + 5):
        browser.press('Tab', 9)
        focused = browser.evaluate('kith.focused()')
        if not focused or focused['number'] in reached:
            break
        reached.add(focused['number'])
        if not focused['isVisible']:
            unseen.append(focused['text'])
    missed = [text for at, text in enumerate(texts) if at not in reached and browser.evaluate(f'kith.isThere({at})')]
    findings.add('what is focusable is reached by Tab', missed, where)
    findings.add('the focus is visible', unseen, where)


def try_details(browser, findings, where=''):
    closed = []
    for number in range(browser.evaluate('kith.summaries()')):
        browser.evaluate(f'kith.focusSummary({number})')
        browser.press('Enter', 13, '\r')
        if not browser.evaluate(f'kith.isOpen({number})'):
            closed.append(f'details {number + 1}')
    findings.add('details open by keyboard', closed, where)
