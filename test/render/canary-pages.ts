// Pages that try to reach a listener, each by another way: the table of `canaries.all.test.ts`.

/** Where the listener is. */
export interface CanaryTarget {
  /** Of both TCP and UDP. */
  readonly port: number;
  /** Of UDP alone, where a service instead of the site is said to be. */
  readonly quicPort: number;
  /** Of the site that the pages are on. */
  readonly sitePort: number;
}

/** A public name that, when the page is there, leads to this machine: the control resolves it so. */
export const reboundName = 'rebound.example';

/** The page of a vector: `t` is `http://127.0.0.1:PORT`, with a path that names it. */
export interface Vector {
  readonly name: string;
  readonly html: string;
  /** Served by the site besides the page, by path. */
  readonly files?: Readonly<
    Record<string, { readonly type: string; readonly text: string; readonly location?: string }>
  >;
  readonly headers?: Readonly<Record<string, string>>;
  /** What arrives does not name the vector: in the control it is tried alone. */
  readonly isNameless?: boolean;
  /** The page is on the site's https origin: browsers believe some things only there. */
  readonly isTls?: boolean;
}

const nameless = { isNameless: true } as const;
const js = (text: string) => ({ type: 'text/javascript', text });

export function vectors({ port, quicPort, sitePort }: CanaryTarget): Vector[] {
  const at = (name: string, host = '127.0.0.1'): string => `http://${host}:${port}/${name}`;
  const ws = (name: string, host = '127.0.0.1'): string => `ws://${host}:${port}/${name}`;
  const script = (name: string, code: string, more: Partial<Vector> = {}): Vector => ({
    name,
    html: `<!doctype html><body>x<script>${code}</script>`,
    ...more,
  });
  const html = (name: string, body: string, more: Partial<Vector> = {}): Vector => ({
    name,
    html: `<!doctype html><body>x${body}`,
    ...more,
  });
  const head = (name: string, inside: string, more: Partial<Vector> = {}): Vector => ({
    name,
    html: `<!doctype html><head>${inside}</head><body>x`,
    ...more,
  });
  const spelled = (name: string, host: string): Vector =>
    script(name, `fetch('http://${host}:${port}/${name}', { mode: 'no-cors' })`);
  const svg = (inside: string): string =>
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="90" height="90">${inside}</svg>`;
  const stun = (
    url: string,
    more = '',
  ): string => `const c = new RTCPeerConnection({ iceServers: [{ urls: '${url}'${more} }] });
    c.createDataChannel('x'); c.createOffer().then((o) => c.setLocalDescription(o))`;
  return [
    script('fetch', `fetch('${at('fetch')}', { mode: 'no-cors' })`),
    script('fetch-cors', `fetch('${at('fetch-cors')}', { headers: { 'x-a': '1' } })`),
    script('xhr', `const x = new XMLHttpRequest(); x.open('GET', '${at('xhr')}'); x.send()`),
    script('keepalive', `fetch('${at('keepalive')}', { method: 'POST', body: 'x', mode: 'no-cors', keepalive: true })`),
    script('put', `fetch('${at('put')}', { method: 'PUT', body: 'x' })`),
    html('img', `<img src="${at('img')}">`),
    html('srcset', `<img srcset="${at('srcset')} 1x">`),
    html('picture', `<picture><source srcset="${at('picture')}"><img></picture>`),
    html('script', `<script src="${at('script')}"></script>`),
    script('import', `import('${at('import')}')`),
    html('module', `<script type="module" src="${at('module')}"></script>`),
    head('modulepreload', `<link rel="modulepreload" href="${at('modulepreload')}">`),
    head('stylesheet', `<link rel="stylesheet" href="${at('stylesheet')}">`),
    head('css-import', `<style>@import url("${at('css-import')}");</style>`),
    head('css-font', `<style>@font-face{font-family:f;src:url("${at('css-font')}")}body{font-family:f}</style>`),
    head('css-background', `<style>body{background:url("${at('css-background')}")}</style>`),
    html('iframe', `<iframe src="${at('iframe')}"></iframe>`),
    html('srcdoc', `<iframe srcdoc="<img src='${at('srcdoc')}'>"></iframe>`),
    html('data-frame', `<iframe src="data:text/html,<img src='${at('data-frame')}'>"></iframe>`),
    script(
      'blob-frame',
      `const f = document.createElement('iframe');
      f.src = URL.createObjectURL(new Blob(['<img src="${at('blob-frame')}">'], { type: 'text/html' })); document.body.append(f)`,
    ),
    html('object', `<object data="${at('object')}"></object>`),
    html('embed', `<embed src="${at('embed')}">`),
    html('pdf', `<embed type="application/pdf" src="${at('pdf.pdf')}">`),
    html('video', `<video src="${at('video')}" preload="auto" autoplay muted></video>`),
    html('audio', `<audio src="${at('audio')}" preload="auto"></audio>`),
    html('poster', `<video poster="${at('poster')}"></video>`),
    html('track', `<video src="/none.mp4"><track default src="${at('track')}"></video><img src="${at('track')}">`),
    html('svg-image', svg(`<image href="${at('svg-image')}" width="9" height="9"/>`)),
    html('svg-xlink', svg(`<image xlink:href="${at('svg-xlink')}" width="9" height="9"/>`)),
    html('form', `<form method="post" action="${at('form')}"></form><script>document.forms[0].submit()</script>`),
    html('form-get', `<form action="${at('form-get')}"></form><script>document.forms[0].submit()</script>`),
    html(
      'form-blank',
      `<form target="_blank" action="${at('form-blank')}"></form><script>document.forms[0].submit()</script>`,
    ),
    script('open', `window.open('${at('open')}')`),
    script('open-noopener', `window.open('${at('open-noopener')}', '_blank', 'noopener')`),
    script('websocket', `new WebSocket('${ws('websocket')}')`),
    script('websocket-v6', `new WebSocket('${ws('websocket-v6', '[::1]')}')`),
    script('websocket-tls', `new WebSocket('wss://127.0.0.1:${port}/')`, nameless),
    script(
      'worker-websocket',
      `new Worker(URL.createObjectURL(new Blob(["new WebSocket('${ws('worker-websocket')}')"])))`,
    ),
    script(
      'worker-fetch',
      `new Worker(URL.createObjectURL(new Blob(["fetch('${at('worker-fetch')}', { mode: 'no-cors' })"])))`,
    ),
    script('worker-import', `new Worker(URL.createObjectURL(new Blob(["importScripts('${at('worker-import')}')"])))`),
    script('site-worker', `new Worker('/site-worker.js')`, {
      files: { '/site-worker.js': js(`fetch('${at('site-worker')}', { mode: 'no-cors' })`) },
    }),
    script('shared-worker', `new SharedWorker('/shared-worker.js')`, {
      files: { '/shared-worker.js': js(`fetch('${at('shared-worker')}', { mode: 'no-cors' })`) },
    }),
    script('service-worker', `navigator.serviceWorker.register('/sw.js')`, {
      files: { '/sw.js': js(`fetch('${at('service-worker')}', { mode: 'no-cors' })`) },
    }),
    script('service-worker-install', `navigator.serviceWorker.register('/sw-install.js')`, {
      files: {
        '/sw-install.js': js(
          `oninstall = (e) => e.waitUntil(fetch('${at('service-worker-install')}', { mode: 'no-cors' }))`,
        ),
      },
    }),
    script('worklet', `CSS.paintWorklet.addModule('${at('worklet')}')`),
    script('eventsource', `new EventSource('${at('eventsource')}')`),
    script('beacon', `navigator.sendBeacon('${at('beacon')}', 'x')`),
    script(
      'beacon-late',
      `addEventListener('pagehide', () => navigator.sendBeacon('${at('beacon-late')}', 'x')); setTimeout(() => location = '/next', 100)`,
    ),
    html('ping', `<a href="#x" ping="${at('ping')}" id="a">a</a><script>document.getElementById('a').click()</script>`),
    head('preload', `<link rel="preload" as="fetch" href="${at('preload')}">`),
    head('prefetch', `<link rel="prefetch" href="${at('prefetch')}">`),
    head(
      'preconnect',
      `<link rel="preconnect" href="http://127.0.0.1:${port}"><link rel="dns-prefetch" href="//127.0.0.1:${port}">`,
      nameless,
    ),
    head('icon', `<link rel="icon" href="${at('icon')}"><link rel="manifest" href="${at('manifest')}">`),
    html('link-header', '', { headers: { link: `<${at('link-header')}>; rel=preload; as=fetch` } }),
    html(
      'speculation',
      `<script type="speculationrules">{"prefetch":[{"source":"list","urls":["${at('speculation')}"],"eagerness":"immediate"}]}</script>`,
    ),
    html(
      'prerender',
      `<script type="speculationrules">{"prerender":[{"source":"list","urls":["/prerendered"],"eagerness":"immediate"}]}</script>`,
      {
        files: { '/prerendered': { type: 'text/html', text: `<img src="${at('prerender')}">` } },
      },
    ),
    script('stun', stun(`stun:127.0.0.1:${port}`), nameless),
    script('turn-tcp', stun(`turn:127.0.0.1:${port}?transport=tcp`, `, username: 'u', credential: 'c'`), nameless),
    script(
      'candidate',
      `const c = new RTCPeerConnection(); c.createDataChannel('x');
       c.createOffer().then((o) => c.setLocalDescription(o)).then(() => c.setRemoteDescription({ type: 'answer', sdp:
         c.localDescription.sdp.replace(/a=setup:actpass/g, 'a=setup:active') +
         'a=candidate:1 1 udp 2113937151 127.0.0.1 ${port} typ host\\r\\n' }))`,
      nameless,
    ),
    script('webtransport', `new WebTransport('https://127.0.0.1:${port}/')`, nameless),
    script('redirect-fetch', `fetch('/to-canary', { mode: 'no-cors' })`, {
      files: { '/to-canary': { type: 'text/plain', text: '', location: at('redirect-fetch') } },
    }),
    html('redirect-image', `<img src="/to-canary.png">`, {
      files: { '/to-canary.png': { type: 'text/plain', text: '', location: at('redirect-image') } },
    }),
    html('redirect-frame', `<iframe src="/to-canary.html"></iframe>`, {
      files: { '/to-canary.html': { type: 'text/html', text: '', location: at('redirect-frame') } },
    }),
    script('location', `location.replace('${at('location')}')`),
    head('meta-refresh', `<meta http-equiv="refresh" content="0;url=${at('meta-refresh')}">`),
    html('refresh-header', '', { headers: { refresh: `0;url=${at('refresh-header')}` } }),
    spelled('localhost', 'localhost'),
    spelled('sub-localhost', 'a.b.localhost'),
    spelled('ipv6', '[::1]'),
    spelled('mapped', '[::ffff:127.0.0.1]'),
    spelled('hexadecimal', '0x7f000001'),
    spelled('decimal', '2130706433'),
    spelled('short', '127.1'),
    spelled('zero', '0'),
    spelled('octal', '0177.0.0.1'),
    spelled('loopback-2', '127.0.0.2'),
    spelled('rebinding', reboundName),
    script('https', `fetch('https://127.0.0.1:${port}/', { mode: 'no-cors' })`, nameless),
    html(
      'download',
      `<a download href="${at('download')}" id="d">d</a><script>document.getElementById('d').click()</script>`,
    ),
    html('csp-report', `<img src="http://127.0.0.3:${sitePort}/blocked.png">`, {
      headers: { 'content-security-policy': `img-src 'none'; report-uri ${at('csp-report')}` },
    }),
    script('late-image', `setTimeout(() => { new Image().src = '${at('late-image')}' }, 500)`),
    script('alt-svc', `(async () => { for (let i = 0; i < 5; i++) await fetch('/alt-' + i); })()`, {
      headers: { 'alt-svc': `h3=":${quicPort}"; ma=3600`, connection: 'close' },
      isTls: true,
    }),
  ];
}
