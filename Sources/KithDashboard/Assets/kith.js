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
