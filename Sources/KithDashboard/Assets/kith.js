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
    for (const name of ['counts', 'progress', 'jobs', 'history', 'reset']) {
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
  const showTimes = root => {
    for (const place of root.querySelectorAll('time[datetime]')) {
      const at = new Date(place.dateTime);
      if (!isNaN(at)) place.textContent = time.format(at);
    }
  };
  showTimes(document);

  // Fragments that the server renders again: data-on="jobs" data-fragment="ADDRESS".
  const reload = async place => {
    const response = await fetch(place.dataset.fragment, { headers: { Accept: 'text/html' } });
    if (!response.ok) return;
    const focused = document.activeElement?.id;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const fresh = page.getElementById(place.id);
    if (!fresh) return;
    place.replaceChildren(...fresh.childNodes);
    showTimes(place);
    if (focused) document.getElementById(focused)?.focus();
  };
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
})();
