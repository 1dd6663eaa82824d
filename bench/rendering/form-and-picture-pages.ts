// Forms, pictures, other documents, lists of files, and pages that visitors do not find.
import {
  analytics,
  article,
  documentOf,
  pageFooter,
  scriptTags,
  tagManager,
  tagManagerNoscript,
  type TestPage,
  topMenu,
} from './page.ts';
import { server, shortText, touch, page404, login, pictures, fileRows } from './server-page.ts';

export const formAndPicturePages: readonly TestPage[] = [
  server(
    'login',
    (a) => documentOf('', `${topMenu}<main><h1>Sign in</h1>${login}</main>${pageFooter}${scriptTags(a, '')}`),
    [touch],
  ),
  server(
    'login-asks-scripts',
    (a) =>
      documentOf(
        '',
        `<noscript>JavaScript is required to sign in.</noscript><div class="box">${login}</div>${scriptTags(a, '')}`,
      ),
    [touch],
  ),
  server(
    'asp-net-login',
    (a) =>
      documentOf(
        '',
        `<form method="post" action="./Login.aspx" id="form1"><input type="hidden" name="__VIEWSTATE" value="${'/wEPDwUK'.repeat(200)}"><script>var theForm=document.forms['form1'];function __doPostBack(t,a){theForm.__EVENTTARGET.value=t;theForm.submit()}</script><div id="content"><input name="user"><input type="password" name="pw"><input type="submit" value="Sign in"></div></form>${scriptTags(a, '')}`,
      ),
    [touch],
  ),
  server(
    'asp-net-short',
    (a) =>
      documentOf(
        '',
        `<form method="post" action="./Notice.aspx" id="aspnetForm"><input type="hidden" name="__VIEWSTATE" value="${'/wEPDwUK'.repeat(200)}"><script>var theForm=document.forms['aspnetForm'];function __doPostBack(t,a){theForm.submit()}</script>${topMenu}<div id="ctl00_main"><h1>Notice</h1><p>${shortText}</p></div></form>${scriptTags(a, '')}`,
      ),
    [touch],
  ),
  server(
    'wordpress-short',
    () =>
      documentOf(
        '<script src="jquery.min.js"></script>',
        `<body class="page-template-default">${topMenu}<div id="page"><div id="content" class="site-content"><article><h1>The granary</h1><p>${shortText}</p></article></div></div>${pageFooter}<div id="back-to-top"></div><script>jQuery(function($){$('#back-to-top').on('click',function(){window.scrollTo(0,0)})})</script></body>`,
      ),
    [],
    { packageFiles: { 'jquery.min.js': 'jquery/dist/jquery.min.js' } },
  ),
  server(
    'wordpress-preloader',
    (a) =>
      documentOf(
        tagManager,
        `<div id="preloader"><div class="spinner"></div></div>${topMenu}<div class="entry-content"><h1>The granary</h1><p>${shortText}</p></div>${pageFooter}${scriptTags(a, '')}`,
      ),
    ["document.getElementById('preloader').remove();"],
  ),
  server('not-found', (a) => documentOf(analytics, `${topMenu}${page404}${pageFooter}${scriptTags(a, 'defer')}`), [
    touch,
  ]),
  server(
    'not-found-react',
    (a) => documentOf('', `<div id="root">${page404}</div><div id="modal-root"></div>${scriptTags(a)}`),
    [touch],
  ),
  server(
    'gallery',
    (a) =>
      documentOf(
        '',
        `${topMenu}<main><h1>Photos</h1><div class="gallery">${pictures}</div></main><div id="lightbox"></div>${scriptTags(a, '')}`,
      ),
    [touch],
  ),
  server(
    'gallery-no-words',
    (a) => documentOf('', `<div class="grid">${pictures}</div><div class="pswp"></div>${scriptTags(a)}`),
    [touch],
  ),
  server(
    'one-picture',
    (a) =>
      documentOf(
        '',
        `<body style="margin:0"><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="Mill" width="900" height="700">${scriptTags(a)}</body>`,
      ),
    [touch],
  ),
  server(
    'frameset',
    () =>
      documentOf(
        '<script>window.name = "top"; function go() { fetch("x") }</script>',
        `<frameset cols="20%,80%"><frame src="menu.html"><frame src="text.html"></frameset>`,
      ),
    [],
    { files: { 'menu.html': '<p>Menu', 'text.html': '<p>Text' } },
  ),
  server(
    'framed',
    (a) => documentOf('', `<iframe src="inner.html" width="100%" height="900"></iframe>${scriptTags(a)}`),
    [touch],
    { files: { 'inner.html': article } },
  ),
  server(
    'pdf-embed',
    (a) => documentOf('', `<embed src="/paper.pdf" type="application/pdf" width="100%" height="100%">${scriptTags(a)}`),
    [touch],
  ),
  server(
    'video',
    (a) => documentOf('', `<h1>The mill at work</h1><video controls poster="data:,"></video>${scriptTags(a)}`),
    [touch],
  ),
  server(
    'directory-index',
    () =>
      `<html><head><title>Index of /files/</title></head><body><h1>Index of /files/</h1><hr><pre><a href="../">../</a>\n${fileRows}</pre><hr></body></html>`,
  ),
  server(
    'directory-index-scripts',
    (a) => documentOf('', `<h1>Index of /files/</h1><input id="filter"><pre>${fileRows}</pre>${scriptTags(a)}`),
    [touch],
  ),
  server('tag-manager-short', () =>
    documentOf(tagManager + analytics, `${tagManagerNoscript}<h1>The granary</h1><p>${shortText}</p>`),
  ),
  server('tag-manager-nothing', () => documentOf(tagManager, `${tagManagerNoscript}<div id="root"></div>`)),
  server(
    'meta-refresh',
    (a) =>
      documentOf(
        '<meta http-equiv="refresh" content="5; url=other.html">',
        `<p>This page has moved <a href="other.html">here</a>.</p>${scriptTags(a)}`,
      ),
    [touch],
    { files: { 'other.html': article } },
  ),
];
