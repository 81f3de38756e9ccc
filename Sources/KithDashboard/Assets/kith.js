// SPDX-License-Identifier: Apache-2.0
// Moves what the server has rendered. Every page works without it.
"use strict";
(() => {
  const token = document.querySelector('meta[name="kith-token"]')?.content;

  // One stream of events for all tabs: a browser has six connections for a host, and a page hangs that gets none. The tab with the lock
  // reads it; if that one closes, another takes the lock.
  const channel = new BroadcastChannel('kith-events');
  const listeners = new Map();
  const tell = event => (listeners.get(event.name) ?? []).forEach(take => take(event.data));
  const on = (name, take) => listeners.set(name, [...(listeners.get(name) ?? []), take]);
  channel.onmessage = message => tell(message.data);
  const listen = () => navigator.locks.request('kith-events', () => new Promise(end => {
    const source = new EventSource('/api/events');
    for (const name of ['counts', 'progress', 'jobs', 'relationship', 'history', 'reset']) {
      source.addEventListener(name, message => {
        const event = { name, data: JSON.parse(message.data) };
        channel.postMessage(event);
        tell(event);
      });
    }
    source.onopen = () => document.documentElement.dataset.events = 'open';
    source.onerror = () => {
      document.documentElement.dataset.events = 'lost';
      // It connects again by itself, unless this browser has to enter again: another tab may have.
      if (source.readyState === EventSource.CLOSED) end();
    };
  })).then(() => setTimeout(listen, 10_000));
  listen();

  // Numbers that an event changes. A place names what it shows: data-count="DID followers".
  const number = new Intl.NumberFormat('en');
  on('counts', counts => {
    for (const side of ['followers', 'follows']) {
      if (counts[side] === null) continue;
      for (const place of document.querySelectorAll(`[data-count="${CSS.escape(counts.actor)} ${side}"]`)) {
        const text = number.format(counts[side]);
        if (place.textContent !== text) place.textContent = text;
      }
    }
  });

  // Times in the reader's place and language.
  const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
  const span = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  const relative = at => {
    const seconds = (at - Date.now()) / 1000;
    const day = 86_400;
    const units = [[730 * day, 365 * day, 'year'], [60 * day, 30 * day, 'month'], [day, day, 'day'], [3_600, 3_600, 'hour'], [60, 60, 'minute']];
    const [, size, unit] = units.find(([from]) => Math.abs(seconds) >= from) ?? [0, 1, 'second'];
    return span.format(Math.trunc(seconds / size), unit);
  };
  const showTimes = root => {
    for (const place of root.querySelectorAll('time[datetime]')) {
      const at = new Date(place.dateTime);
      if (isNaN(at)) continue;
      const { day: isDay, relative: isRelative } = place.dataset;
      place.textContent = isDay !== undefined ? day.format(at) : isRelative !== undefined ? relative(at) : time.format(at);
      if (isRelative !== undefined) place.title = time.format(at);
    }
  };
  showTimes(document);

  // Fragments that the server renders again: data-on="jobs" data-fragment="ADDRESS".
  const load = async (address, options = {}) => {
    const response = await fetch(address, { headers: { Accept: 'text/html' }, ...options });
    return { isOK: response.ok, page: new DOMParser().parseFromString(await response.text(), 'text/html') };
  };
  const reload = async place => {
    const { isOK, page } = await load(place.dataset.fragment);
    if (!isOK) return;
    const focused = document.activeElement?.id;
    const fresh = page.getElementById(place.id);
    if (!fresh) return;
    const opened = [...place.querySelectorAll('details')].map(element => element.open);
    place.replaceChildren(...fresh.childNodes);
    const details = [...place.querySelectorAll('details')];
    if (details.length === opened.length) details.forEach((element, at) => { element.open = opened[at]; });
    showTimes(place);
    document.dispatchEvent(new CustomEvent('kith-renewed', { detail: place }));
    if (focused) document.getElementById(focused)?.focus();
  };
  // What takes a while comes after the page.
  for (const place of document.querySelectorAll('[data-lazy]')) {
    place.textContent = 'Loading…';
    load(place.dataset.lazy).then(({ isOK, page }) => {
      const fresh = isOK && page.getElementById(place.id);
      if (!fresh) throw new Error();
      place.replaceChildren(...fresh.childNodes);
      showTimes(place);
    }).catch(() => { place.textContent = 'This could not be loaded.'; });
  }
  const stale = new Set();
  const reloadAll = name => {
    for (const place of document.querySelectorAll('[data-fragment]')) {
      if (name && !place.dataset.on.split(' ').includes(name)) continue;
      // A hidden tab waits: its requests would keep the server up.
      if (document.visibilityState === 'visible') reload(place); else stale.add(place);
    }
  };
  for (const name of ['jobs', 'history']) on(name, () => reloadAll(name));
  on('reset', () => reloadAll());

  on('progress', progress => {
    for (const bar of document.querySelectorAll(`progress[data-job="${Number(progress.job)}"]`)) {
      bar.max = progress.total;
      bar.value = progress.total - progress.pending;
      const words = document.getElementById(`${bar.id}-words`);
      if (words) words.textContent = `${number.format(bar.value)} of ${number.format(bar.max)}`;
    }
  });

  // The server ends when no one looks.
  const tellVisible = () => fetch('/api/visible', {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ token }), keepalive: true,
  }).catch(() => {});
  setInterval(() => {
    if (document.visibilityState === 'visible') tellVisible();
  }, 300_000);
  document.addEventListener('visibilitychange', () => {
    // Also when it is hidden: until then it was seen.
    tellVisible();
    if (document.visibilityState !== 'visible') return;
    stale.forEach(reload);
    stale.clear();
  });

  // Messages, which stay until they are closed: an undo may be wanted later.
  const toasts = document.createElement('div');
  toasts.className = 'toasts';
  document.body.append(toasts);
  const say = toast => {
    while (toasts.children.length > 2) toasts.firstElementChild.remove();
    toasts.append(toast);
  };
  const complain = words => {
    const toast = document.createElement('div');
    toast.className = 'toast bad';
    toast.setAttribute('role', 'alert');
    toast.innerHTML = '<svg class="i" aria-hidden="true"><use href="#i-warn"/></svg><span class="grow"></span><button type="button" class="b ic sm" data-dismiss aria-label="Close message"><svg class="i" aria-hidden="true"><use href="#i-x"/></svg></button>';
    toast.querySelector('.grow').textContent = words;
    say(toast);
  };

  // Follow buttons: the new state at once, the server's answer in its place, and the old state again if it says no.
  const places = account => document.querySelectorAll(`[data-fb="${CSS.escape(account)}"]`);
  const adjust = (key, by) => {
    for (const place of document.querySelectorAll(`[data-count="${CSS.escape(key)}"]`)) {
      const shown = Number(place.textContent.replaceAll(',', ''));
      if (place.textContent !== '' && Number.isFinite(shown)) place.textContent = number.format(Math.max(0, shown + by));
    }
  };
  const replace = (place, fresh) => {
    const hadFocus = place.contains(document.activeElement);
    place.replaceWith(fresh);
    if (hadFocus) fresh.querySelector('button, a')?.focus();
  };
  const refresh = async (account, me = document.getElementById('change')?.action.replace(/change$/, 'button/')) => {
    if (!me) return;
    for (const place of places(account)) {
      if (place.dataset.busy !== undefined) continue;
      const { isOK, page } = await load(`${me}${account}?styles=${encodeURIComponent(place.dataset.styles)}`);
      const fresh = page.querySelector('.fbw');
      if (isOK && fresh && place.isConnected && place.dataset.busy === undefined) replace(place, fresh);
    }
  };
  on('relationship', change => refresh(change.target));
  const submit = async button => {
    const place = button.closest('.fbw');
    const account = place.dataset.fb;
    const form = button.form;
    const old = place.cloneNode(true);
    const by = { follow: 1, unfollow: -1 }[button.value.split(' ')[0]] ?? 0;
    const me = document.querySelector('[data-me]')?.dataset.me;
    const body = new URLSearchParams(new FormData(form, button));
    body.delete('actor');
    body.append('styles', place.dataset.styles);
    place.dataset.busy = '';
    button.dataset.s = 'busy';
    button.setAttribute('aria-busy', 'true');
    button.classList.remove('un', 'is-hover');
    button.innerHTML = '<svg class="i spin" aria-hidden="true"><use href="#i-spin"/></svg><span></span>';
    button.lastElementChild.textContent = button.dataset.next;
    button.setAttribute('aria-label', `${button.dataset.next}, saving`);
    const count = sign => { if (by) { adjust(`${account} followers`, sign * by); if (me) adjust(`${me} follows`, sign * by); } };
    count(1);
    const back = words => {
      count(-1);
      delete old.dataset.busy;
      replace(place, old);
      complain(words);
    };
    try {
      const { isOK, page } = await load(form.action, { method: 'POST', body });
      const fresh = page.querySelector('.fbw');
      if (!isOK || !fresh) {
        const question = page.getElementById('ask');
        if (!question) return back(page.querySelector('[role=alert]')?.textContent ?? 'The server did not answer.');
        // It has to be confirmed.
        count(-1);
        replace(place, old);
        return open(question);
      }
      const toast = page.querySelector('.toast');
      if (fresh.querySelector('[role=alert]')) count(-1);
      for (const other of places(account)) {
        const copy = fresh.cloneNode(true);
        if (other !== place && other.dataset.styles !== place.dataset.styles) continue;
        showTimes(copy);
        replace(other, copy);
      }
      if (toast) say(toast);
    } catch {
      back('Kith is not reachable. If it has ended, start it again; nothing is lost.');
    }
  };
  document.addEventListener('submit', event => {
    const button = event.submitter;
    if (!button?.closest('.fbw')) return;
    event.preventDefault();
    if (button.closest('.fbw').dataset.busy === undefined) submit(button);
  });
  // Where nothing hovers, the first tap shows what the next one does.
  document.addEventListener('click', event => {
    const button = event.target.closest('.fb.un');
    if (!button || button.classList.contains('is-hover') || matchMedia('(hover: hover)').matches || event.detail === 0) return;
    event.preventDefault();
    button.classList.add('is-hover');
    button.addEventListener('blur', () => button.classList.remove('is-hover'), { once: true });
    setTimeout(() => button.classList.remove('is-hover'), 4_000);
  }, true);

  // Questions as dialogs: the page that asks, without what is around it.
  const dialog = document.createElement('dialog');
  dialog.className = 'modal';
  document.body.append(dialog);
  let opener;
  const open = question => {
    const { activeElement } = document;
    if (!dialog.open) opener = activeElement;
    dialog.replaceChildren(document.importNode(question, true));
    dialog.setAttribute('aria-labelledby', 'ask-title');
    showTimes(dialog);
    if (!dialog.open) dialog.showModal();
    (dialog.querySelector('[data-close]') ?? dialog.querySelector('button, a'))?.focus();
  };
  dialog.addEventListener('close', () => opener?.focus());
  const ask = async address => {
    const { page } = await load(address).catch(() => ({}));
    const question = page?.getElementById('ask');
    if (question) open(question); else location.href = address;
  };
  document.addEventListener('click', async event => {
    if (event.target === dialog || event.target.closest('dialog [data-close]')) {
      event.preventDefault();
      return dialog.close();
    }
    event.target.closest('[data-dismiss]')?.closest('.toast').remove();
    const link = event.target.closest('a[data-ask]');
    if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      link.closest('details')?.removeAttribute('open');
      ask(link.href);
    }
    const copied = event.target.closest('[data-copy]');
    if (copied && navigator.clipboard) {
      event.preventDefault();
      await navigator.clipboard.writeText(copied.dataset.copy);
      copied.querySelector('small').textContent = 'The address is copied';
    }
  });
  // A menu closes when something else is used.
  document.addEventListener('pointerdown', event => {
    for (const menu of document.querySelectorAll('details.drop[open]')) if (!menu.contains(event.target)) menu.open = false;
  });

  // Lists: what is selected, and rows that come while scrolling; at most 200 stay in the page.
  const list = document.querySelector('[data-endless]');
  const selection = document.querySelector('form[data-select]');
  const boxes = () => [...document.querySelectorAll('input[name=actor]')];
  const chosen = new Set();
  const showSelection = () => {
    if (!selection) return;
    for (const box of boxes()) {
      box.checked = chosen.has(box.value);
      const row = box.closest('tr');
      if (row.ariaSelected !== String(box.checked)) row.ariaSelected = box.checked;
    }
    const isAll = selection.elements.all?.checked;
    const words = document.getElementById('selected');
    words.textContent = isAll ? 'All in this list' : chosen.size ? `${number.format(chosen.size)} selected` : 'Select accounts in the list';
    selection.querySelector('.pick').hidden = !isAll && chosen.size === 0;
    for (const button of selection.querySelectorAll('.acts button')) {
      button.disabled = !isAll && chosen.size === 0;
      button.textContent = `${button.dataset.verb}${!isAll && chosen.size ? ` ${number.format(chosen.size)}` : ''}…`;
    }
    const all = document.getElementById('select-all');
    if (all) {
      all.hidden = false;
      all.checked = boxes().length > 0 && boxes().every(box => box.checked);
      all.indeterminate = !all.checked && chosen.size > 0;
    }
  };
  document.addEventListener('change', event => {
    const box = event.target;
    if (box.id === 'select-all') boxes().forEach(other => box.checked ? chosen.add(other.value) : chosen.delete(other.value));
    else if (box.name === 'actor') box.checked ? chosen.add(box.value) : chosen.delete(box.value);
    else if (box.name !== 'all') return;
    showSelection();
  });
  // Rows that have left the page stay selected.
  selection?.addEventListener('formdata', event => {
    const { formData } = event;
    if (!formData.has('do') && !formData.getAll('actor').length && !chosen.size) return;
    formData.delete('actor');
    for (const account of chosen) formData.append('actor', account);
  });
  if (selection) {
    boxes().forEach(box => box.checked && chosen.add(box.value));
    showSelection();
  }
  if (list) {
    const table = list.querySelector('table');
    const foot = list.querySelector('.tfoot');
    const mostParts = 2;
    // Of a hundred rows at once, a key would feel the layout.
    const rowsAtOnce = 25;
    const frame = () => new Promise(next => requestAnimationFrame(() => setTimeout(next)));
    const feet = new Map();
    const above = [];
    const gap = document.createElement('tbody');
    gap.setAttribute('aria-hidden', 'true');
    gap.hidden = true;
    gap.innerHTML = '<tr><td></td></tr>';
    const space = gap.querySelector('td');
    let gapHeight = 0;
    let isLoading = false;
    const parts = () => [...table.querySelectorAll('tbody[data-from]')];
    const showGap = () => {
      gap.hidden = gapHeight === 0;
      space.colSpan = table.tHead.rows[0].cells.length;
      space.style.height = `${gapHeight}px`;
      space.style.padding = '0';
    };
    parts()[0].before(gap);
    feet.set(parts()[0].dataset.from, foot.innerHTML);
    const fetchPart = async address => {
      const { isOK, page } = await load(address);
      const part = page.querySelector('tbody[data-from]');
      if (!isOK || !part) return null;
      feet.set(part.dataset.from, page.querySelector('.tfoot').innerHTML);
      showTimes(part);
      return document.importNode(part, true);
    };
    const step = async isForward => {
      if (isLoading) return;
      const address = isForward ? foot.querySelector('a[rel=next]')?.href : above.at(-1)?.address;
      if (!address) return;
      isLoading = true;
      try {
        const part = await fetchPart(address);
        if (!part) return;
        const rows = [...part.rows];
        part.replaceChildren();
        await frame();
        if (isForward) {
          if (parts().length >= mostParts) {
            const first = parts()[0];
            const { height } = first.getBoundingClientRect();
            const url = new URL(location.href);
            url.searchParams.set('from', first.dataset.from);
            above.push({ address: url.href, height });
            gapHeight += height;
            first.remove();
            showGap();
          }
          table.append(part);
          while (rows.length) {
            part.append(...rows.splice(0, rowsAtOnce));
            await frame();
          }
        } else {
          const height = above.pop().height / rows.length;
          if (parts().length >= mostParts) parts().at(-1).remove();
          gap.after(part);
          while (rows.length) {
            const some = rows.splice(-rowsAtOnce);
            part.prepend(...some);
            gapHeight = Math.max(0, gapHeight - height * some.length);
            showGap();
            await frame();
          }
          if (!above.length) gapHeight = 0;
        }
        showGap();
        foot.innerHTML = feet.get(parts().at(-1).dataset.from);
        showSelection();
      } catch { /* The links stay. */ } finally { isLoading = false; }
    };
    const sight = new IntersectionObserver(entries => {
      for (const entry of entries) if (entry.isIntersecting) step(entry.target === foot);
    }, { rootMargin: '900px' });
    sight.observe(foot);
    sight.observe(gap);
    // A part that is short may leave the foot in sight.
    setInterval(() => { sight.unobserve(foot); sight.observe(foot); sight.unobserve(gap); sight.observe(gap); }, 500);
  }

  // What was waited for is there when a script runs. Browsers that know `:has` have hidden the sentence already.
  document.querySelector('.wait')?.remove();

  // Requests: the answer stands where the buttons were, which come back if it was not taken.
  const answer = async button => {
    const place = button.closest('[data-answers]');
    const buttons = [...place.childNodes];
    const row = button.closest('[data-row]');
    const box = row.querySelector('input[name=actor]');
    // A button that is not in the page has no form.
    const { action } = button.form;
    const body = new URLSearchParams(new FormData(button.form, button));
    body.delete('actor');
    body.append('styles', 'compact outlined');
    const words = document.createElement('span');
    words.className = 'rel';
    words.tabIndex = -1;
    words.innerHTML = '<svg class="i" aria-hidden="true"><use href="#i-check"/></svg><span></span>';
    words.lastElementChild.textContent = button.dataset.answer;
    words.setAttribute('aria-busy', 'true');
    place.replaceChildren(words);
    words.focus();
    const back = reason => {
      place.replaceChildren(...buttons);
      button.focus();
      complain(reason);
    };
    try {
      const { isOK, page } = await load(action, { method: 'POST', body });
      const fresh = page.querySelector('.fbw');
      const fault = page.querySelector('[role=alert]');
      if (!isOK || !fresh || fault) {
        const question = page.getElementById('ask');
        if (!question) return back(fault?.textContent ?? 'The server did not answer.');
        place.replaceChildren(...buttons);
        return open(question);
      }
      words.removeAttribute('aria-busy');
      const toast = page.querySelector('.toast');
      if (toast) say(toast);
      if (!box) return;
      chosen.delete(box.value);
      box.checked = false;
      box.disabled = true;
      showSelection();
    } catch {
      back('Kith is not reachable. If it has ended, start it again; nothing is lost.');
    }
  };
  document.addEventListener('submit', event => {
    if (event.submitter?.dataset.answer === undefined) return;
    event.preventDefault();
    answer(event.submitter);
  });

  // People: found while a text is typed, more of them, and those who are not to be suggested again.
  const finder = document.querySelector('form[data-people]');
  if (finder) {
    const people = () => document.getElementById('people');
    const status = document.getElementById('people-count');
    let typing;
    let asking;
    const part = address => {
      const url = new URL(address, location.href);
      url.searchParams.set('part', 'people');
      return url;
    };
    const told = page => page.querySelector('[data-sentence], .empty h2')?.textContent ?? '';
    // The words of the server if it has some, else that it did not answer.
    const fault = page => page?.querySelector('[role=alert]')?.textContent ?? 'Kith is not reachable. If it has ended, start it again.';
    // Forms lead back to what is shown.
    const moved = url => {
      history.replaceState(null, '', url);
      for (const name of ['change', 'dismiss']) {
        const back = document.getElementById(name)?.elements.back;
        if (back) back.value = url.pathname + url.search;
      }
    };
    const find = async () => {
      asking?.abort();
      const mine = asking = new AbortController();
      const url = new URL(finder.action);
      url.search = new URLSearchParams(new FormData(finder)).toString();
      people().setAttribute('aria-busy', 'true');
      status.textContent = 'Searching';
      try {
        const { isOK, page } = await load(part(url), { signal: mine.signal });
        if (mine !== asking) return;
        const fresh = page.getElementById('people');
        if (!isOK || !fresh) throw new Error(fault(page));
        showTimes(fresh);
        people().replaceWith(document.importNode(fresh, true));
        status.textContent = told(page);
        moved(url);
        // The kinds belong to what is shown.
        for (const link of document.querySelectorAll('.seg a')) {
          const isKind = !url.searchParams.get('q') && (new URL(link.href).searchParams.get('by') ?? 'recommended') === url.searchParams.get('by');
          if (isKind) link.setAttribute('aria-current', 'page'); else link.removeAttribute('aria-current');
        }
      } catch (error) {
        if (error.name === 'AbortError') return;
        people().removeAttribute('aria-busy');
        status.textContent = '';
        complain(error.name === 'TypeError' ? fault() : error.message);
      }
    };
    finder.addEventListener('input', () => { clearTimeout(typing); typing = setTimeout(find, 200); });
    finder.addEventListener('submit', event => {
      event.preventDefault();
      clearTimeout(typing);
      find();
    });
    document.addEventListener('click', async event => {
      const link = event.target.closest('a[data-more]');
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      if (people().getAttribute('aria-busy')) return;
      people().setAttribute('aria-busy', 'true');
      try {
        const { isOK, page } = await load(part(link.href));
        const fresh = page.getElementById('people');
        if (!isOK || !fresh?.querySelector('.tiles')) throw new Error(fault(page));
        const shown = new Set([...people().querySelectorAll('[data-person]')].map(card => card.dataset.person));
        const added = [...fresh.querySelectorAll('[data-person]')].filter(card => !shown.has(card.dataset.person));
        showTimes(fresh);
        people().querySelector('.tiles').append(...added);
        document.getElementById('people-end').replaceWith(fresh.querySelector('#people-end'));
        status.textContent = `${number.format(added.length)} more`;
        moved(new URL(link.href));
        added[0]?.querySelector('a.dn')?.focus();
      } catch (error) {
        complain(error.name === 'TypeError' ? fault() : error.message);
      } finally { people().removeAttribute('aria-busy'); }
    });
    document.addEventListener('submit', async event => {
      const button = event.submitter;
      if (button?.form?.id !== 'dismiss') return;
      const card = button.closest('[data-person]');
      // Someone who may be suggested again comes with the next list.
      if (!card) return;
      event.preventDefault();
      const next = card.nextElementSibling ?? card.previousElementSibling;
      const list = card.parentElement;
      const { action } = button.form;
      const body = new URLSearchParams(new FormData(button.form, button));
      body.append('part', 'toast');
      card.remove();
      (next?.querySelector('button[name=dismiss]') ?? finder.elements.q).focus();
      const back = words => {
        list.insertBefore(card, next?.isConnected && next.parentElement === list ? next : null);
        complain(words);
      };
      try {
        const { isOK, page } = await load(action, { method: 'POST', body });
        const toast = page.querySelector('.toast');
        if (!isOK || !toast) return back(fault(page));
        const dismissed = page.getElementById('dismissed');
        showTimes(dismissed);
        document.getElementById('dismissed').replaceWith(dismissed);
        say(toast);
      } catch { back(fault()); }
    });
  }

  // The filter: what can come next, while it is typed.
  const filter = document.getElementById('filter');
  if (filter) {
    const menu = () => document.querySelectorAll('#suggestions [role=option]');
    let current = -1;
    let timer;
    filter.setAttribute('role', 'combobox');
    filter.setAttribute('aria-autocomplete', 'list');
    filter.setAttribute('aria-controls', 'suggestions');
    filter.setAttribute('aria-expanded', 'false');
    const mark = to => {
      const options = [...menu()];
      current = options.length ? (to + options.length) % options.length : -1;
      options.forEach((option, place) => {
        option.setAttribute('aria-selected', place === current);
        option.firstElementChild.classList.toggle('is-on', place === current);
      });
      if (current < 0) filter.removeAttribute('aria-activedescendant');
      else filter.setAttribute('aria-activedescendant', options[current].id);
    };
    const close = () => {
      document.getElementById('suggestions')?.remove();
      filter.setAttribute('aria-expanded', 'false');
      filter.removeAttribute('aria-activedescendant');
      current = -1;
    };
    const help = async () => {
      const text = filter.value;
      const url = new URL(filter.dataset.help, location.href);
      url.searchParams.set('where', text);
      for (const name of ['list', 'owner', 'q']) {
        const value = selection?.elements[name]?.value;
        if (value) url.searchParams.set(name, value);
      }
      const { isOK, page } = await load(url).catch(() => ({}));
      if (!isOK || filter.value !== text || document.activeElement !== filter) return;
      document.getElementById('filter-suggestions').replaceChildren(...page.getElementById('filter-suggestions').childNodes);
      filter.setAttribute('aria-expanded', String(menu().length > 0));
      current = -1;
    };
    const take = option => {
      filter.value = option.dataset.value;
      filter.focus();
      help();
    };
    filter.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(help, 120); });
    filter.addEventListener('focus', help);
    filter.addEventListener('blur', () => setTimeout(() => { if (document.activeElement !== filter) close(); }, 150));
    filter.addEventListener('keydown', event => {
      const options = [...menu()];
      if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
        if (!options.length) return;
        event.preventDefault();
        mark(current < 0 ? (event.key === 'ArrowDown' ? 0 : -1) : current + (event.key === 'ArrowDown' ? 1 : -1));
      } else if (event.key === 'Tab' && options.length && !event.shiftKey && current >= 0) {
        event.preventDefault();
        take(options[current]);
      } else if (event.key === 'Enter' && current >= 0) {
        event.preventDefault();
        take(options[current]);
      } else if (event.key === 'Escape') {
        close();
      }
    });
    document.getElementById('filter-suggestions').addEventListener('pointerdown', event => {
      const option = event.target.closest('[role=option]');
      if (!option) return;
      event.preventDefault();
      take(option);
    });
  }
  document.getElementById('sort')?.addEventListener('change', event => event.target.form.requestSubmit());

  // Keys.
  const keys = [
    ['/', 'Search'], ['j, k', 'Next or previous row'], ['x', 'Select the row'], ['Enter', 'Open the row'],
    ['a', 'Accept the request'], ['f', 'Follow or unfollow the row'], ['b', 'Block the row, after a question'], ['r', 'Load again'], ['g', 'Go to the overview'], ['?', 'Show these keys'], ['Esc', 'Close'],
  ];
  const move = by => {
    const rows = [...document.querySelectorAll('[data-row]')];
    const at = rows.indexOf(document.activeElement?.closest?.('[data-row]'));
    const row = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by))];
    row?.querySelector('a.dn')?.focus();
    row?.scrollIntoView({ block: 'nearest' });
  };
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    if (event.target.closest('input:not([type=checkbox]), textarea, select')) return;
    const act = {
      '/': () => (document.getElementById('search') ?? document.querySelector('.jump'))?.focus(),
      j: () => move(1), k: () => move(-1), r: () => location.reload(),
      g: () => { location.href = document.querySelector('.brand').href; },
      a: () => event.target.closest('[data-row]')?.querySelector('[data-answers] button')?.click(),
      f: () => event.target.closest('[data-row]')?.querySelector('.fbw button, .fbw a')?.click(),
      b: () => {
        const row = event.target.closest('[data-row]');
        const form = document.getElementById('change');
        if (row && form) ask(form.action.replace(/change$/, `ask/block/${row.dataset.row}`));
      },
      x: () => event.target.closest('tr[data-row]')?.querySelector('input[name=actor]')?.click(),
      '?': () => {
        const help = document.createElement('section');
        help.innerHTML = '<h2 id="ask-title">Keys</h2><dl class="kv"></dl><div class="acts"><button type="button" class="b" data-close>Close</button></div>';
        for (const [key, words] of keys) {
          const [term, text, code] = ['dt', 'dd', 'kbd'].map(name => document.createElement(name));
          code.textContent = key;
          text.textContent = words;
          term.append(code);
          help.querySelector('dl').append(term, text);
        }
        open(help);
      },
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
})();

// Forms: how long a text is, and pictures that are made smaller before they are sent.
(() => {
  const segments = globalThis.Intl?.Segmenter ? new Intl.Segmenter() : null;
  const length = text => segments ? [...segments.segment(text)].length : [...text].length;
  for (const field of document.querySelectorAll('[data-most]')) {
    const most = Number(field.dataset.most);
    const count = document.createElement('span');
    count.className = 'count num xs m';
    // It is read out only when there is too much: at each key it would be noise.
    count.setAttribute('aria-live', 'off');
    const show = () => {
      const now = length(field.value.replaceAll('\r\n', '\n'));
      count.textContent = `${now}/${most}`;
      count.classList.toggle('bad', now > most);
      count.setAttribute('aria-live', now > most ? 'polite' : 'off');
      field.setCustomValidity(now > most ? `${now} characters, at most ${most} are possible.` : '');
    };
    field.after(count);
    field.addEventListener('input', show);
    show();
  }

  // The server takes JPEG and PNG up to a size, and no picture that only a note in the file says how to turn.
  const shrink = async (file, most, side) => {
    const picture = await createImageBitmap(file);
    const isPNG = file.type === 'image/png';
    if (isPNG && file.size <= most && Math.max(picture.width, picture.height) <= side) return { file, picture };
    const type = isPNG ? file.type : 'image/jpeg';
    for (const [scale, quality, kind] of [[1, .92, type], [1, .85, 'image/jpeg'], [.7, .8, 'image/jpeg'], [.5, .75, 'image/jpeg']]) {
      const factor = Math.min(1, side / Math.max(picture.width, picture.height)) * scale;
      const canvas = document.createElement('canvas');
      canvas.width = Math.max(1, Math.round(picture.width * factor));
      canvas.height = Math.max(1, Math.round(picture.height * factor));
      const drawing = canvas.getContext('2d');
      // A JPEG has no holes.
      if (kind === 'image/jpeg') { drawing.fillStyle = '#fff'; drawing.fillRect(0, 0, canvas.width, canvas.height); }
      drawing.drawImage(picture, 0, 0, canvas.width, canvas.height);
      const small = await new Promise(take => canvas.toBlob(take, kind, quality));
      if (small && small.size <= most) return { file: new File([small], 'picture', { type: kind }), picture };
    }
    return { file, picture };
  };
  const preview = (picture, isRound) => {
    const canvas = document.createElement('canvas');
    canvas.className = isRound ? 'av lg' : 'bnr';
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', 'The picture that you chose');
    [canvas.width, canvas.height] = isRound ? [160, 160] : [900, 300];
    const factor = Math.max(canvas.width / picture.width, canvas.height / picture.height);
    const [width, height] = [picture.width * factor, picture.height * factor];
    canvas.getContext('2d').drawImage(picture, (canvas.width - width) / 2, (canvas.height - height) / 2, width, height);
    return canvas;
  };
  for (const input of document.querySelectorAll('input[type=file][data-most-bytes]')) {
    const place = document.getElementById(`${input.id}-now`);
    const former = [...place.childNodes];
    // What the browser can show can be made a JPEG.
    input.accept = 'image/*';
    input.addEventListener('change', async () => {
      input.setCustomValidity('');
      place.replaceChildren(...former);
      const chosen = input.files[0];
      if (!chosen) return;
      // Sending waits for it.
      input.setCustomValidity('The picture is being made smaller.');
      try {
        const { file, picture } = await shrink(chosen, Number(input.dataset.mostBytes), Number(input.dataset.side));
        if (input.files[0] !== chosen) return;
        if (file !== chosen) {
          const list = new DataTransfer();
          list.items.add(file);
          input.files = list.files;
        }
        place.replaceChildren(preview(picture, input.name === 'avatar'));
        input.setCustomValidity('');
      } catch {
        if (input.files[0] !== chosen) return;
        input.setCustomValidity('This file is not a picture that this browser can show.');
        input.reportValidity();
      }
    });
  }
})();

// Values of charts, by pointer and by arrow keys: those of the table below the chart. A drawing says where the rows of the table are:
// data-rows="x,y x -" with data-across if they lie beside each other, and data-columns="x x" if each cell has a place of its own.
(() => {
  const make = (name, attributes, text) => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text) element.textContent = text;
    return element;
  };
  const drawing = figure => [...figure.querySelectorAll('svg[data-rows]')].find(svg => svg.getClientRects().length);
  // Whether rows lie beside each other.
  const isAcross = svg => svg.dataset.across !== undefined;
  // What is shown of each chart: a row and a column.
  const shown = new WeakMap();

  const places = svg => {
    const columns = (svg.dataset.columns ?? '').split(' ').filter(Boolean).map(Number);
    return svg.dataset.rows.split(' ').flatMap((text, row) => {
      if (text === '-') return [];
      const [x, y] = text.split(',').map(Number);
      return columns.length ? columns.map((x, column) => ({ row, column, x, y })) : [{ row, column: -1, x, y }];
    });
  };
  const words = (figure, place) => {
    const table = figure.parentElement.querySelector('details table');
    const cells = [...table?.tBodies[0]?.rows[place.row]?.cells ?? []].map(cell => cell.textContent.trim());
    const heads = [...table?.tHead?.rows[0]?.cells ?? []].map(cell => cell.textContent.trim());
    if (place.column >= 0) return [`${cells[0]}, ${heads[place.column + 1]}`, cells[place.column + 1] ?? ''];
    const values = heads.flatMap((head, at) => at && cells[at] ? [`${head}: ${cells[at]}`] : []);
    return [cells[0] ?? '', ...values.slice(0, 6)];
  };
  const hide = figure => {
    figure.querySelectorAll('.reading').forEach(element => element.remove());
    shown.delete(figure);
  };
  const show = (figure, svg, place, isTyped) => {
    const before = shown.get(figure);
    if (before && before.svg === svg && before.row === place.row && before.column === place.column) return;
    hide(figure);
    shown.set(figure, { svg, row: place.row, column: place.column });
    const lines = words(figure, place);
    const { width, height } = svg.viewBox.baseVal;
    const group = make('g', { class: 'reading', 'aria-hidden': 'true' });
    if (isAcross(svg)) group.append(make('path', { class: 'cur', d: `M${place.x + 0.5} 0V${height}` }));
    if (!isNaN(place.y)) group.append(make('circle', { class: 'at', cx: place.x, cy: place.y, r: 4.5 }));
    const tip = make('rect', { class: 'tip', rx: 6 });
    const texts = lines.map((line, at) => make('text', { class: at ? '' : 'b' }, line));
    group.append(tip, ...texts);
    svg.append(group);
    const size = [Math.max(...texts.map(text => text.getComputedTextLength())) + 20, lines.length * 17 + 12];
    const top = isNaN(place.y) ? height / 3 : place.y;
    const x = Math.max(1, Math.min(place.x + 12 + size[0] < width ? place.x + 12 : place.x - 12 - size[0], width - size[0] - 1));
    const y = Math.max(1, Math.min(top - size[1] / 2, height - size[1] - 1));
    for (const [key, value] of Object.entries({ x, y, width: size[0], height: size[1] })) tip.setAttribute(key, value);
    texts.forEach((text, at) => {
      text.setAttribute('x', x + 10);
      text.setAttribute('y', y + 20 + at * 17);
    });
    const status = figure.querySelector('[role=status]');
    if (isTyped && status) status.textContent = lines.join(', ');
  };

  const point = event => {
    const figure = event.target.closest?.('.insights figure');
    const svg = figure && drawing(figure);
    if (!svg) return;
    const box = svg.getBoundingClientRect();
    const scale = svg.viewBox.baseVal.width / box.width;
    const [x, y] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    const far = place => isAcross(svg) ? Math.abs(place.x - x) : place.column >= 0 ? Math.hypot(place.x - x, place.y - y) : Math.abs(place.y - y);
    const nearest = places(svg).reduce((best, place) => !best || far(place) < far(best) ? place : best, undefined);
    if (nearest) show(figure, svg, nearest);
  };
  document.addEventListener('pointermove', point);
  document.addEventListener('pointerdown', point);
  document.addEventListener('pointerout', event => {
    const figure = event.target.closest?.('.insights figure');
    if (figure && !figure.contains(event.relatedTarget) && document.activeElement !== figure) hide(figure);
  });
  document.addEventListener('focusout', event => { if (event.target.matches?.('.insights figure')) hide(event.target); });

  document.addEventListener('keydown', event => {
    const figure = event.target;
    if (!figure.matches?.('.insights figure') || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === 'Escape') return hide(figure);
    const svg = drawing(figure);
    const all = svg ? places(svg) : [];
    if (!all.length) return;
    const columns = (svg.dataset.columns ?? '').split(' ').filter(Boolean).length || 1;
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns, Home: -all.length, End: all.length };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    const known = shown.get(figure);
    const at = known ? all.findIndex(place => place.row === known.row && place.column === known.column) : -1;
    // A line is read from its last value on.
    const first = isAcross(svg) && step < 2 && event.key !== 'Home' ? all.length - 1 : 0;
    const next = at < 0 ? (event.key === 'End' ? all.length - 1 : first) : at + step;
    const isInside = next >= 0 && next < all.length;
    if (!isInside && columns > 1 && Math.abs(step) === columns) return;
    show(figure, svg, all[Math.max(0, Math.min(next, all.length - 1))], true);
  });

  const prepare = root => {
    for (const figure of root.querySelectorAll('.insights figure:has(svg[data-rows])')) {
      const name = figure.querySelector('svg > title')?.textContent ?? 'Chart';
      // In the place of the browser's own texts, which would cover the values.
      for (const svg of figure.querySelectorAll('svg')) {
        svg.setAttribute('aria-label', `${name}. ${svg.querySelector('desc')?.textContent ?? ''}`);
        svg.removeAttribute('aria-labelledby');
        svg.querySelectorAll('title, desc').forEach(element => element.remove());
      }
      figure.id = `${figure.closest('section').id}-values`;
      figure.tabIndex = 0;
      figure.setAttribute('role', 'group');
      figure.setAttribute('aria-label', `${name}: values by arrow keys`);
      const status = document.createElement('p');
      status.className = 'vh';
      status.setAttribute('role', 'status');
      figure.append(status);
      const keys = document.createElement('span');
      keys.className = 'keys';
      keys.setAttribute('aria-hidden', 'true');
      keys.textContent = '← → read values';
      figure.closest('section').append(keys);
    }
  };
  prepare(document);
  document.addEventListener('kith-renewed', event => prepare(event.detail));
})();
