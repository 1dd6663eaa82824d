// The scripts that run in a page, as text: `hooks` before the page's scripts, the others when the page is done. Those
// read the page from an isolated world, so that the page cannot replace the browser's functions.

/** Runs before any script of the page: what the last page of the tab has left to the next one is removed. */
export const beginning = `try { if (window === top) { window.name = ''; sessionStorage.clear(); } } catch {}\n`;

/**
 * Runs before any script of the page. Virtual time moves timers, but not animation frames and animations, so these
 * become timers. Shadow roots are opened to be read. A page does nothing when it is left, since the tab is then another
 * page's. APIs with a network of their own are removed; the network
 * isolation does not depend on that.
 */
export const hooks = `(() => {
  const define = (target, name, value) => {
    try { Object.defineProperty(target, name, { value, configurable: true, writable: true }); } catch {}
  };
  const { apply } = Reflect;
  const stop = Event.prototype.stopImmediatePropagation;
  const leave = (event) => { if (event.isTrusted) apply(stop, event, []); };
  for (const name of ['beforeunload', 'pagehide', 'unload', 'visibilitychange']) addEventListener(name, leave, true);
  const later = setTimeout;
  const never = clearTimeout;
  define(window, 'requestAnimationFrame', (step) => later(() => step(performance.now()), 16));
  define(window, 'cancelAnimationFrame', (id) => never(id));
  define(window, 'requestIdleCallback', (work) =>
    later(() => work({ didTimeout: false, timeRemaining: () => 50 }), 1));
  define(window, 'cancelIdleCallback', (id) => never(id));
  if (document.startViewTransition) {
    define(Document.prototype, 'startViewTransition', (given) => {
      const update = typeof given === 'function' ? given : given && given.update;
      const done = Promise.resolve().then(() => update && update());
      return { updateCallbackDone: done, ready: done, finished: done, skipTransition() {} };
    });
  }
  const animate = Element.prototype.animate;
  define(Element.prototype, 'animate', function (...given) {
    const animation = animate.apply(this, given);
    try { animation.finish(); } catch {}
    return animation;
  });
  const attachShadow = Element.prototype.attachShadow;
  define(Element.prototype, 'attachShadow', function (init) {
    return attachShadow.call(this, { ...init, mode: 'open' });
  });
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport', 'SharedWorker']) {
    try { delete window[name]; } catch {}
  }
  if ('serviceWorker' in navigator) {
    // There is none, but pages register one without asking whether they can, and wait for that.
    const registration = Object.assign(new EventTarget(), {
      scope: location.origin + '/', installing: null, waiting: null, active: null,
      update: async () => registration, unregister: async () => true,
    });
    const container = Object.assign(new EventTarget(), {
      controller: null, ready: new Promise(() => {}), register: async () => registration,
      getRegistration: async () => undefined, getRegistrations: async () => [], startMessages() {},
    });
    try { Object.defineProperty(Navigator.prototype, 'serviceWorker', { get: () => container, configurable: true }); } catch {}
  }
  define(Navigator.prototype, 'sendBeacon', () => true);
  // The storage of the browser takes ordinary time, in which virtual time passes: what has begun is counted.
  let begun = 0;
  let pending = 0;
  const count = (target, names, whenDone) => {
    for (const name of names) {
      const method = target && target.prototype && target.prototype[name];
      if (typeof method !== 'function') continue;
      define(target.prototype, name, function (...given) {
        const work = apply(method, this, given);
        begun++;
        pending++;
        let isDone = false;
        whenDone(work, () => {
          if (isDone) return;
          isDone = true;
          pending--;
        });
        return work;
      });
    }
  };
  const on = (...events) => (work, done) => { for (const name of events) work.addEventListener(name, done); };
  const settled = (work, done) => { work.then(done, done); };
  count(window.IDBFactory, ['open', 'deleteDatabase'], on('success', 'error', 'blocked'));
  count(window.IDBDatabase, ['transaction'], on('complete', 'abort'));
  count(window.CacheStorage, ['open', 'match', 'has', 'keys', 'delete'], settled);
  count(window.Cache, ['match', 'matchAll', 'keys', 'put', 'delete'], settled);
  Object.defineProperty(window, Symbol.for('hayrake.storage'), { value: () => [begun, pending] });
  define(window, 'print', () => {});
  define(window, 'open', () => null);
})()`;

/** The number of elements, not counting shadow roots. When it stays the same, the page has its content. */
export const countElements = `document.getElementsByTagName('*').length`;

/**
 * Waits until the page was shown. Virtual time can pass before the first frame, which alone tells a page what is in view
 * and how large it is. The second frame begins after the observers of the first one were called. In the isolated world,
 * where this runs, `requestAnimationFrame` is the browser's own.
 */
export const twoFrames = `new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(() => shown())))`;

/**
 * How much work of the browser's storage has begun, and how much of it is under way. It runs in the world of the page,
 * where the hooks count.
 */
export const storageWork = `globalThis[Symbol.for('hayrake.storage')]?.()`;

/** Returns true if a selector matches, in shadow roots too. An invalid selector matches nothing. */
export function matches(selector: string): string {
  return `((selector) => {
    const look = (root, depth) => {
      if (root.querySelector(selector)) return true;
      if (depth > 20) return false;
      for (const element of root.querySelectorAll('*')) {
        if (element.shadowRoot && look(element.shadowRoot, depth + 1)) return true;
      }
      return false;
    };
    try { return look(document, 0); } catch { return false; }
  })(${JSON.stringify(selector)})`;
}

/**
 * The document as HTML of at most `charsMax` characters. The content of shadow roots replaces the children of their
 * hosts, and these children replace the slots. Scripts and styles are left out, except JSON-LD, which describes the
 * page.
 */
export function serialise(charsMax: number): string {
  return `((charsMax) => {
    const voids = new Set(['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source', 'track', 'wbr']);
    const parts = [];
    let length = 0;
    let isCut = false;
    const write = (text) => {
      length += text.length;
      if (length > charsMax) isCut = true;
      else parts.push(text);
    };
    const text = (value) => value.replace(/[&<>\\u00a0]/g, (c) =>
      ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '\\u00a0': '&nbsp;' })[c]);
    const attribute = (value) => value.replace(/[&"<>\\u00a0]/g, (c) =>
      ({ '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;', '\\u00a0': '&nbsp;' })[c]);
    const childrenOf = (element) => {
      if (element.shadowRoot) return element.shadowRoot.childNodes;
      if (element.localName === 'slot') {
        const assigned = element.assignedNodes();
        return assigned.length > 0 ? assigned : element.childNodes;
      }
      if (element.localName === 'template') return element.content ? element.content.childNodes : [];
      return element.childNodes;
    };
    const isLeftOut = (element) => {
      const name = element.localName;
      if (name === 'style' || name === 'noscript') return true;
      return name === 'script' && !/json/i.test(element.type);
    };
    const raw = new Set(['script', 'style', 'xmp', 'iframe', 'noembed', 'noframes', 'plaintext']);
    const roots = [document.documentElement];
    const stack = roots[0] ? [{ node: roots[0] }] : [];
    const doctype = document.doctype;
    if (doctype) write('<!doctype html>');
    while (stack.length > 0 && !isCut) {
      const entry = stack.pop();
      if (entry.end) { write(entry.end); continue; }
      const node = entry.node;
      if (node.nodeType === 3) {
        const parent = node.parentNode && node.parentNode.localName;
        write(raw.has(parent) ? node.data : text(node.data));
      } else if (node.nodeType === 1) {
        if (isLeftOut(node)) continue;
        const name = node.localName;
        // A slot is nothing but the place of what stands in it.
        const isSeen = name !== 'slot';
        if (isSeen) {
          let tag = '<' + name;
          for (const { name: key, value } of node.attributes) {
            if (key.startsWith('on')) continue;
            tag += ' ' + key + '="' + attribute(value) + '"';
          }
          write(tag + '>');
          if (voids.has(name)) continue;
          stack.push({ end: '</' + name + '>' });
        }
        if (name === 'iframe') continue;
        const children = childrenOf(node);
        for (let i = children.length - 1; i >= 0; i--) stack.push({ node: children[i] });
      }
    }
    return { html: parts.join(''), isCut, url: location.href };
  })(${charsMax})`;
}
