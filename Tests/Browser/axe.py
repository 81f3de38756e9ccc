# SPDX-License-Identifier: Apache-2.0
"""axe-core, which finds what breaks WCAG 2.2 AA. It is installed in the cache folder of the user when it is first needed."""

import functools
import json
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
LEVELS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']


@functools.cache
def script():
    """The text of axe-core."""
    # The package wants a driver of browsers, which is not used here.
    make = [HERE.parent / 'Network/harness/python-environment', HERE / 'axe.txt', 'axe', '--no-deps']
    environment = subprocess.run(make, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    return next(pathlib.Path(environment).glob('lib/*/site-packages/axe_playwright_python/axe.min.js')).read_text()


def try_axe(page, findings, where):
    """Adds what axe finds in a page as it is now."""
    # The driver is not bound by the policy of the page.
    page.evaluate(f'{script()}; 0')
    options = json.dumps({'runOnly': LEVELS, 'resultTypes': ['violations'], 'elementRef': False})
    found = page.evaluate(f'''axe.run({options}).then(results => results.violations.map(rule =>
        `${{rule.id}}: ${{rule.help}}: ${{rule.nodes.length}} times, first ${{rule.nodes[0].html}} ${{rule.nodes[0].any.map(one => one.message)}}`))''')
    findings.add('axe finds nothing', found, where)
