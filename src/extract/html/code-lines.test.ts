import { expect, test } from 'vitest';
import { type ExtractedPage, extractPage } from '../extract-page.ts';

const pageOf = (html: string): ExtractedPage =>
  extractPage(`<main><p>${'A sentence of the page. '.repeat(20)}</p>${html}</main>`, {
    url: 'https://example.com/',
    outputFormat: 'markdown',
    content: 'auto',
    headers: { link: '', refresh: '', contentLanguage: '' },
    robotsTag: new Set(),
    excludeElements: null,
    includeElements: null,
  });
const markdownOf = (html: string): string => pageOf(html).text.replace(/^A sentence.*\n+/, '');

const line = (text: string, number = ''): string =>
  `<div class="line"><a name="l1"></a>${number && `<span class="lineno">    ${number}</span>&#160;`}${text}</div>`;

test('extractPage: writes an example of Doxygen as code with its comments', () => {
  const html = `<div class="fragment">${line('<a class="code" href="a.html">Clock</a> clock;')}
${line('<span class="comment">// wait</span>')}
${line('<span class="keywordflow">if</span> (a) {')}
${line('&#160; &#160;b();')}
${line('&#160;')}
${line('}')}
<div class="ttc" id="a"><div class="ttname"><a href="a.html">Clock</a></div></div>
</div><!-- fragment -->`;
  expect(markdownOf(html)).toBe('```\nClock clock;\n// wait\nif (a) {\n   b();\n\n}\n```');
});

test('extractPage: returns the links in an example of Doxygen', () => {
  const html = `<div class="fragment">${line('<a class="code" href="clock.html">Clock</a> clock;')}</div>`;
  expect(pageOf(html).links.map(({ url }) => url)).toEqual(['https://example.com/clock.html']);
});

test('extractPage: drops the line numbers of a Doxygen source file', () => {
  const html = `<div class="fragment">${line('<span class="preprocessor">#ifndef A</span>', '1')}
<div class="foldopen" id="foldopen2" data-start="{">${line('<span class="keyword">class </span>A {', '2')}
${line('  int b;', '3')}</div>${line('#endif', '4')}</div>`;
  expect(markdownOf(html)).toBe('```\n#ifndef A\nclass A {\n  int b;\n#endif\n```');
});

test('extractPage: writes a listing of SyntaxHighlighter as code without its line numbers', () => {
  const html = `<div class="syntaxhighlighter js"><table><tr>
<td class="gutter"><div class="line number1">1</div><div class="line number2">2</div></td>
<td class="code"><div class="container"><div class="line number1 index0"><code class="js comments">// one</code></div>
<div class="line number2 index1"><code class="js spaces">&nbsp;&nbsp;</code><code class="js plain">two();</code></div>
</div></td></tr></table></div>`;
  expect(markdownOf(html)).toMatch(/^```\w*\n\/\/ one\n {2}two\(\);\n```$/);
});

test('extractPage: writes a listing of Crayon as code', () => {
  const html = `<div class="crayon-pre"><div class="crayon-line" id="c-1"><span class="crayon-c"># one</span></div>
<div class="crayon-line"><span class="crayon-e">two</span></div></div>`;
  expect(markdownOf(html)).toBe('```\n# one\ntwo\n```');
});

test.each([
  ['lines of a poem', '<div class="poem"><div class="line">One</div><div class="line">Two</div></div>'],
  ['a fragment with other elements', '<div class="fragment"><div class="line">One</div><p>Two</p></div>'],
  ['lines with text next to them', '<div class="fragment"><div class="line">One</div>Two</div>'],
])('extractPage: writes %s as text, not as code', (_, html) => {
  expect(markdownOf(html)).toMatch(/^One\n\nTwo\n*$/);
});

test('extractPage: writes the lines of a file on GitHub as code', () => {
  const row = (number: number, text: string): string =>
    `<tr><td class="blob-num" data-line-number="${number}"></td><td class="blob-code blob-code-inner js-file-line">${text}</td></tr>`;
  const html = `<table class="highlight tab-size js-file-line-container"><tbody>${row(1, '<span class=pl-k>if</span> x:')}
${row(2, '    run()')}${row(3, '')}${row(4, '# end')}</tbody></table>`;
  expect(markdownOf(html)).toBe('```\nif x:\n    run()\n\n# end\n```');
});

test('extractPage: keeps a highlighted table of data', () => {
  const html = '<table class=highlight><tr><th>Hay</th><th>Straw</th></tr><tr><td>1</td><td>2</td></tr></table>';
  expect(markdownOf(html)).toBe('| Hay | Straw |\n| --- | --- |\n| 1 | 2 |');
});

test.each(['Documentation-exampleCode code', 'source', 'wp-code-snippet'])(
  'extractPage: writes code in a text field of class %j',
  (names) => {
    const html = `<textarea class="${names}" spellcheck="false">func main() {\n\trun("&lt;a>")\n}</textarea>`;
    expect(markdownOf(html)).toBe('```\nfunc main() {\n\trun("<a>")\n}\n```');
  },
);

test.each([
  '<textarea name=comment>Your comment</textarea>',
  '<textarea class="embed-code">&lt;iframe src="/x">&lt;/iframe></textarea>',
  '<textarea class="postcode">12345</textarea>',
])('extractPage: leaves out the field %s', (html) => {
  expect(markdownOf(html)).toMatch(/^(?:A sentence.*)?$/);
});

test('extractPage: writes a signature of Doxygen on one line', () => {
  const parameter = (type: string, name: string, end: string): string =>
    `<td class="paramtype">${type}&#160;</td><td class="paramname"><em>${name}</em>${end}</td>`;
  const html = `<table class="memname"><tr><td class="memname">void Foo::run</td><td>(</td>${parameter('int', 'n', ',')}</tr>
<tr><td></td><td></td>${parameter('const char *', 'name', '')}<td>)</td><td> const</td></tr></table>`;
  expect(markdownOf(html)).toBe('```\nvoid Foo::run(int n, const char * name) const\n```');
});
