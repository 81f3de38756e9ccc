// SPDX-License-Identifier: Apache-2.0
// Rules on a page, by name: each returns what breaks it, in words. An expression; its value is an object of functions.
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const isShown = element => element.checkVisibility({ visibilityProperty: true });
  const isHidden = element => element.closest('[aria-hidden=true]') !== null;
  const words = element => (element.textContent || '').trim().replace(/\s+/g, ' ').slice(0, 40);
  const named = element => {
    const ids = (element.getAttribute('aria-labelledby') || '').split(/\s+/).filter(Boolean);
    const labels = ids.map(id => document.getElementById(id)).filter(Boolean).map(words);
    return (labels.join(' ') || element.getAttribute('aria-label') || '').trim();
  };
  const tell = element => `<${element.localName}${element.id ? ` id=${element.id}` : ''}> "${words(element)}"`;

  // Colours, as red, green, blue from 0 to 255 and opacity from 0 to 1.
  const parse = text => {
    const parts = (text.match(/^rgba?\(([^)]+)\)$/) || [])[1];
    if (!parts) return null;
    const [red, green, blue, alpha = 1] = parts.split(/[,\s/]+/).map(Number);
    return [red, green, blue, alpha];
  };
  const over = (top, under) => [0, 1, 2].map(at => top[at] * top[3] + under[at] * (1 - top[3])).concat(1);
  const luminance = colour => {
    const [red, green, blue] = colour.slice(0, 3).map(value => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one, other) => {
    const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const canvas = () => matchMedia('(prefers-color-scheme:dark)').matches
    && getComputedStyle(document.documentElement).colorScheme.includes('dark') ? [18, 18, 18, 1] : [255, 255, 255, 1];
  const ground = element => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour && colour[3] > 0) layers.push(colour);
      if (colour && colour[3] === 1) break;
    }
    return layers.reduceRight((under, top) => over(top, under), canvas());
  };
  // What is painted below a text of a picture: the shapes before it that its middle is in.
  const groundOfDrawnText = text => {
    const svg = text.ownerSVGElement;
    const box = text.getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    let colour = ground(svg.parentElement);
    for (const shape of all('rect', svg)) {
      if (!(shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING)) continue;
      const area = shape.getBoundingClientRect();
      if (x < area.left || x > area.right || y < area.top || y > area.bottom) continue;
      const style = getComputedStyle(shape);
      const fill = parse(style.fill);
      if (fill) colour = over([...fill.slice(0, 3), fill[3] * style.fillOpacity * style.opacity], colour);
    }
    return colour;
  };
  const textElements = () => all('body *').filter(element =>
    isShown(element) && !element.closest('.vh') && !['script', 'style', 'title', 'desc'].includes(element.localName)
    && [...element.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim()));

  // Also those in closed details, but not those that this width leaves out.
  const isLeftOut = element => element !== null
    && (getComputedStyle(element).display === 'none' || isLeftOut(element.parentElement));
  const summaries = () => all('summary').filter(summary => !isLeftOut(summary));

  const rules = {
    'the document has a language': () => document.documentElement.lang ? [] : ['no lang'],
    'the document has a title': () => document.title.trim() ? [] : ['no title'],
    'there is one main landmark': () => all('main').length === 1 ? [] : [`${all('main').length} main elements`],
    'there is a named nav landmark': () => all('nav').some(named) ? [] : ['no nav with a name'],
    'headings are in order': () => {
      // Those of a navigation have an order of their own.
      const levels = all('h1,h2,h3,h4,h5,h6').filter(heading => !heading.closest('nav')).map(heading => [Number(heading.localName[1]), tell(heading)]);
      const steps = levels.filter(([level], at) => level > (at ? levels[at - 1][0] : 0) + 1).map(([, text]) => text);
      return levels.filter(([level]) => level === 1).length === 1 ? steps : steps.concat('not exactly one h1');
    },
    'pictures have names': () => all('img,svg').filter(isShown).filter(picture => !isHidden(picture)).filter(picture =>
      !(named(picture) || picture.getAttribute('alt')) || (picture.localName === 'svg' && picture.getAttribute('role') !== 'img'))
      .map(tell),
    'links have names': () => all('a[href]').filter(link => !words(link) && !named(link)).map(link => link.outerHTML.slice(0, 60)),
    'links within the page have targets': () => all('a[href^="#"]')
      .filter(link => !document.getElementById(link.hash.slice(1))).map(tell),
    'ids are unique': () => {
      const ids = all('[id]').map(element => element.id);
      return [...new Set(ids.filter((id, at) => ids.indexOf(id) !== at))];
    },
    'references of aria lead to elements': () => all('[aria-labelledby],[aria-describedby]').flatMap(element =>
      ['aria-labelledby', 'aria-describedby'].flatMap(name => (element.getAttribute(name) || '').split(/\s+/).filter(Boolean)))
      .filter(id => !document.getElementById(id)),
    'headings of tables have a scope': () => all('th').filter(cell => !['col', 'row'].includes(cell.scope)).map(tell),
    'tables have names': () => all('table').filter(table => !(table.caption && words(table.caption)) && !named(table)).map(tell),
    'text has a contrast of 4.5': () => textElements().flatMap(element => {
      const style = getComputedStyle(element);
      const isDrawn = element instanceof SVGElement;
      const colour = parse(isDrawn ? style.fill : style.color);
      const below = isDrawn ? groundOfDrawnText(element) : ground(element);
      const ratio = colour ? contrast(over(colour, below), below) : 0;
      return ratio < 4.5 ? [`${ratio.toFixed(2)} ${tell(element)}`] : [];
    }),
    'scrollable regions are focusable and named': () => all('body *').filter(element => {
      const style = getComputedStyle(element);
      const scrolls = (overflow, size, room) => /auto|scroll/.test(overflow) && size > room + 1;
      return isShown(element) && (scrolls(style.overflowX, element.scrollWidth, element.clientWidth)
        || scrolls(style.overflowY, element.scrollHeight, element.clientHeight));
    }).filter(element => !named(element)
      // One with links and buttons scrolls as they get the focus.
      || element.getAttribute('tabindex') !== '0' && !element.querySelector('a[href],button')).map(tell),
    'the page does not scroll sideways': () => {
      const [width, room] = [document.documentElement.scrollWidth, document.documentElement.clientWidth];
      return width <= room ? [] : [`${width} px wide in ${room}`];
    },
  };

  // What can be pressed or typed into.
  const controls = () => all('a[href],button,input:not([type=hidden]),select,textarea,summary').filter(isShown)
    .filter(control => !control.closest('.skip, .vh'));
  const nameOf = control => named(control) || words(control) || control.getAttribute('alt') || control.title
    || [...(control.labels ?? [])].map(words).join(' ').trim();
  const middle = element => {
    // The first line of one that goes on below.
    const { x, y, width, height } = element.getClientRects()[0] ?? element.getBoundingClientRect();
    return [x + width / 2, y + height / 2];
  };
  // Where a press goes that misses: the nearest part of what surrounds a control.
  const surround = control => control.closest('label, .hit, .acc') ?? control;
  const isInText = control => control.localName === 'a' && getComputedStyle(control).display === 'inline'
    && [...control.parentElement.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim());

  // Those of pages that do something.
  const ofPages = {
    'controls have names': () => controls().filter(control => !nameOf(control)).map(tell),
    'controls are not covered': () => controls().filter(control => !control.disabled && !control.closest('dialog:not([open])')).flatMap(control => {
      control.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
      const top = document.elementFromPoint(...middle(control));
      return !top || control.contains(top) || top.contains(control) && top.closest('a, button, label, summary') === top
        || surround(control).contains(top) ? [] : [`${tell(control)} by ${tell(top)}`];
    }),
    // One that is smaller needs room around it: a circle of 24 px that meets no other.
    'targets are 24 px or have as much room': () => {
      const targets = controls().map(control => [control, surround(control).getBoundingClientRect()]);
      return targets.filter(([control, box]) => Math.min(box.width, box.height) < 23.9 && !isInText(control)
        && targets.some(([other, area]) => {
          if (other === control || other.contains(control) || control.contains(other)) return false;
          const [x, y] = middle(surround(control));
          const away = Math.hypot(Math.max(area.left - x, 0, x - area.right), Math.max(area.top - y, 0, y - area.bottom));
          return away < 12;
        })).map(([control, box]) => `${Math.round(box.width)} x ${Math.round(box.height)} ${tell(control)}`);
    },
    'numbers that change are announced': () => all('main [data-count]').filter(place =>
      !place.closest('[aria-live], [role=status], button[aria-label], a[aria-label]')).map(tell),
    'text has room for words': () => textElements().filter(element => {
      const { width, height } = element.getBoundingClientRect();
      const lines = height / parseFloat(getComputedStyle(element).lineHeight);
      return element.textContent.length > 12 && width < 90 && lines > 3.5;
    }).map(tell),
    'states have words': () => all('.fb,.tag,.rel,.note,.steps li,.toast,progress').filter(isShown)
      .filter(element => !words(element) && !named(element)).map(element => element.outerHTML.slice(0, 80)),
  };
  const still = () => all('body *').filter(isShown).filter(element => [null, '::before', '::after'].some(part => {
    const style = getComputedStyle(element, part);
    const moves = style.transitionDuration.split(',').some(span => parseFloat(span) > 0) && style.transitionProperty !== 'none';
    return moves || style.animationName !== 'none' && parseFloat(style.animationDuration) > 0;
  })).map(tell);

  window.kith = {
    rules,
    ofPages,
    // What moves although the reader wants less motion.
    moving: still,
    openAll: () => all('details').forEach(element => { element.open = true; }),
    closeAll: () => all('details').forEach(element => { element.open = false; }),
    // What the keyboard must reach, each with a number of its own. Of a group of radio buttons that is one.
    numberFocusable: () => all('a[href],button,input,select,textarea,summary,[tabindex="0"]').filter(isShown)
      .filter(element => element.type !== 'radio' || element === all(`[type=radio][name="${element.name}"]`)
        .sort((one, other) => other.checked - one.checked)[0])
      .map((element, at) => { element.dataset.number = at; return tell(element); }),
    // The number of what has the focus, and whether that can be seen; null outside of the page.
    focused: () => {
      const element = document.activeElement;
      if (!element || element === document.body) return null;
      const isVisible = [element, ...(element.matches('input') ? [element.parentElement] : [])].map(part => getComputedStyle(part))
        .some(style => style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1);
      return { number: Number(element.dataset.number ?? -1), isVisible, text: tell(element) };
    },
    // What a page has replaced since it was numbered is not there.
    isThere: at => document.querySelector(`[data-number="${at}"]`) !== null,
    summaries: () => summaries().length,
    focusSummary: at => { summaries()[at].closest('details').open = false; summaries()[at].focus(); },
    isOpen: at => summaries()[at].closest('details').open,
  };
})()
