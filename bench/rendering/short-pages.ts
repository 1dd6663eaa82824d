// Short pages that say all that they have to say, and pages with nothing.
import {
  analytics,
  cookieBanner,
  documentOf,
  items,
  pageFooter,
  scriptTags,
  tagManagerNoscript,
  type TestPage,
  topMenu,
} from './page.ts';
import { server, shortText, touch, pictures } from './server-page.ts';

export const shortPages: readonly TestPage[] = [
  server(
    'thanks',
    (a) =>
      documentOf(
        analytics,
        `${topMenu}<main><h1>Thank you</h1><p>We have received your message.</p></main>${pageFooter}${scriptTags(a)}`,
      ),
    [touch],
  ),
  server(
    'empty-list',
    (a) =>
      documentOf(
        '',
        `${topMenu}<main><h1>Events</h1><div class="filters"><a href="?m=1">January</a><a href="?m=2">February</a></div><p class="empty">There are no events in this month.</p><ul class="event-list"></ul></main>${pageFooter}${scriptTags(a)}`,
      ),
    [touch],
  ),
  server(
    'empty-search',
    (a) =>
      documentOf(
        '',
        `${topMenu}<main><form action="/search"><input name="q" value="barn"></form><p>No results for “barn”.</p><div id="results"></div></main>${pageFooter}${scriptTags(a)}`,
      ),
    [touch],
  ),
  server(
    'empty-cart',
    (a) =>
      documentOf(
        '',
        `${topMenu}<main><h1>Your basket</h1><p>Your basket is empty.</p><div id="cart-items"></div></main>${pageFooter}<script>window.cartData = {"items":[],"total":0,"currency":"EUR","shipping":null,"labels":{"a":"${'x'.repeat(300)}"}}</script>${scriptTags(a)}`,
      ),
    [touch],
  ),
  server(
    'contact-map',
    (a) =>
      documentOf(
        analytics,
        `${topMenu}<main><h1>Contact</h1><p>Valley Archive, Mill Lane 4. Open on Tuesdays.</p><div id="map" style="height:300px"></div><div class="g-recaptcha" data-sitekey="x"></div></main>${pageFooter}${scriptTags(a)}`,
      ),
    [touch],
  ),
  server(
    'construction',
    (a) =>
      documentOf(
        '',
        `<h1>Under construction</h1><p>We open in spring. <span id="countdown"></span></p>${scriptTags(a)}`,
      ),
    ["document.getElementById('countdown').textContent = '12 days';"],
  ),
  server(
    'search-page',
    (a) =>
      documentOf(
        '',
        `<h1>Search the archive</h1><form action="/search"><input name="q"><button>Search</button></form>${scriptTags(a)}`,
      ),
    [touch],
  ),
  server(
    'blog-index',
    (a) =>
      documentOf(
        '',
        `${topMenu}<main>${items
          .slice(0, 3)
          .map(({ id, title }) => `<article><h2><a href="/${id}">${title}</a></h2></article>`)
          .join('')}</main>${pageFooter}${scriptTags(a)}`,
      ),
    [touch],
  ),
  server(
    'vue-manual',
    (a) =>
      documentOf(
        '',
        `${topMenu}<main><h1>Text</h1><p>Text is written between braces.</p><pre><code>&lt;p&gt;{{ message }}&lt;/p&gt;\n&lt;li v-for="item in items"&gt;{{ item }}&lt;/li&gt;</code></pre></main>${scriptTags(a)}`,
      ),
    [touch],
  ),
  server(
    'alpine-menu-short',
    (a) =>
      documentOf(
        scriptTags(a, 'defer'),
        `<header x-data="{ open: false }"><button @click="open = !open">Menu</button><nav x-show="open"><a href="/a">Places</a></nav></header><main><h1>The granary</h1><p>${shortText}</p></main>`,
      ),
    [`import Alpine from 'alpinejs'; Alpine.start();`],
  ),
  server(
    'alpine-cart-short',
    (a) =>
      documentOf(
        scriptTags(a, 'defer'),
        `<header x-data="{ cart: [] }"><button>Basket (<span x-text="cart.length">0</span>)</button><template x-for="line in cart"><p x-text="line"></p></template></header><main><h1>The granary</h1><p>${shortText}</p></main>`,
      ),
    [`import Alpine from 'alpinejs'; Alpine.start();`],
  ),
  server(
    'htmx-click-short',
    (a) =>
      documentOf(
        scriptTags(a, 'defer'),
        `<main><h1>The granary</h1><p>${shortText}</p><button hx-get="/more" hx-target="#more">More</button><div id="more"></div></main>`,
      ),
    [`import 'htmx.org';`],
  ),
  server(
    'turbo-short',
    (a) =>
      documentOf(
        scriptTags(a),
        `<main><turbo-frame id="one"><h1>The granary</h1><p>${shortText}</p></turbo-frame></main>`,
      ),
    [`import '@hotwired/turbo';`],
  ),
  server(
    'widgets-short',
    (a) =>
      documentOf(
        '',
        `<main><h1>The mill at work</h1><p>${shortText}</p><lite-youtube videoid="abc"></lite-youtube><relative-time datetime="2026-01-01"></relative-time></main><df-messenger></df-messenger>${scriptTags(a)}`,
      ),
    [touch],
  ),
  server(
    'comments-below',
    (a) =>
      documentOf(
        '',
        `<main><h1>The granary</h1><p>${shortText}</p></main><section id="comments"><div id="disqus_thread"></div></section>${scriptTags(a)}`,
      ),
    [touch],
  ),
  server(
    'chat-root',
    (a) =>
      documentOf(
        '',
        `${topMenu}<main><h1>The granary</h1><p>${shortText}</p></main><div id="chat-widget-root"></div>${scriptTags(a)}`,
      ),
    [touch],
  ),
  server(
    'cookie-banner-short',
    (a) => documentOf('', `<main><h1>The granary</h1><p>${shortText}</p></main>${cookieBanner}${scriptTags(a)}`),
    [touch],
  ),
  server(
    'noscript-note-short',
    (a) =>
      documentOf(
        '',
        `<noscript><p>This site works best with JavaScript.</p></noscript>${topMenu}<main><h1>The granary</h1><p>${shortText} ${shortText.replace('granary', 'mill')}</p></main>${scriptTags(a)}`,
      ),
    [touch],
  ),
  server('nineties', () =>
    documentOf(
      '',
      `<center><h1>Welcome to my homepage</h1><p>${shortText}</p><hr><script>document.write('Last changed: ' + document.lastModified)</script></center>`,
    ),
  ),
  server(
    'press-release',
    (a) =>
      documentOf(
        analytics,
        `${topMenu}<main><h1>The granary opens</h1><p>${items[0]?.text}</p></main>${pageFooter}${scriptTags(a)}`,
      ),
    [touch],
  ),
  server(
    'canvas-game',
    (a) =>
      documentOf(
        '',
        `<h1>Snake</h1><p>Use the arrow keys.</p><canvas width="300" height="300"></canvas>${scriptTags(a)}`,
      ),
    [touch],
  ),
  server(
    'status',
    (a) =>
      documentOf(
        '',
        `<main><h1>Status</h1><p>All systems are operational.</p><ul><li>Archive: up</li><li>Search: up</li></ul></main>${scriptTags(a)}`,
      ),
    [touch],
  ),
  server('poem', () =>
    documentOf(
      analytics,
      `<h1>Mill</h1><p>Round the wheel goes,<br>round the year,<br>flour in the morning,<br>dust in the ear.</p>`,
    ),
  ),
  server('nothing', () => documentOf('', '')),
  server('nothing-analytics', () => documentOf(analytics, tagManagerNoscript)),
  server(
    'parked',
    (a) =>
      documentOf(
        '',
        `<h1>valley-archive.example</h1><p>This domain is parked.</p><a href="/buy">Buy this domain</a>${scriptTags(a)}`,
      ),
    [touch],
  ),
  server(
    'lazy-pictures',
    (a) => documentOf('', `<main><h1>Photos</h1>${pictures.replaceAll('src=', 'data-src=')}</main>${scriptTags(a)}`),
    [touch],
  ),
  server(
    'definition',
    (a) =>
      documentOf(
        '',
        `${topMenu}<main><h1>furrow</h1><p><i>noun</i> A long narrow cut that a plough makes in the ground.</p></main>${pageFooter}${scriptTags(a)}`,
      ),
    [touch],
  ),
];
