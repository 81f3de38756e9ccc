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
    const opened = [...place.querySelectorAll('details')].map(element => element.open);
    place.replaceChildren(...fresh.childNodes);
    const details = [...place.querySelectorAll('details')];
    if (details.length === opened.length) details.forEach((element, at) => { element.open = opened[at]; });
    showTimes(place);
    document.dispatchEvent(new CustomEvent('kith-renewed', { detail: place }));
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
