import { describe, expect, it } from 'vitest';
import { toText } from '../write/markdown/to-markdown.ts';
import { parseHtml } from './parse-html.ts';
import { nameTabs } from './tab-names.ts';

const read = (html: string): string => {
  const document = parseHtml(html);
  nameTabs(document);
  return toText({ nodes: document.children, skipped: new Set() }).replace(/\s+/g, ' ').trim();
};

const list = (...tabs: string[]): string => `<ul role=tablist>${tabs.join('')}</ul>`;
const tab = (name: string, controls = ''): string =>
  `<li role=tab ${controls && `aria-controls=${controls}`}>${name}</li>`;

describe('nameTabs', () => {
  it.each([
    [
      'in their order',
      `<div>${list(tab('Linux'), tab('Windows'))}<div><div role=tabpanel>apt</div><div role=tabpanel hidden>winget</div></div></div>`,
      'Linux apt Windows winget',
    ],
    [
      'by the ids that the tabs name, in any order',
      `<nav>${list(tab('Linux', 'b'), tab('Windows', 'a'))}</nav><div id=a role=tabpanel>winget</div><div id=b role=tabpanel>apt</div>`,
      'Windows winget Linux apt',
    ],
    [
      'of MkDocs',
      `<div class=tabbed-labels><label for=x>Linux</label><label for=y>Windows</label></div><div class=tabbed-content><div class=tabbed-block>apt</div><div class=tabbed-block>winget</div></div>`,
      'Linux apt Windows winget',
    ],
    [
      'of jQuery UI, whose links name no panel',
      `<ul class="ui-tabs-nav clearfix"><li><a role=button href="#tab-17"><span>Linux</span></a><li><a role=button href="#tab-18">Windows</a></ul><div id=tab-l class="a ui-tabs-panel">apt</div><div id=tab-w class="a ui-tabs-panel">winget</div>`,
      'Linux apt Windows winget',
    ],
    [
      'of Bootstrap 3, in any order, around three panels',
      `<div><ul class="nav nav-tabs"><li class=active><a href="#l">Linux</a><li><a href="#w">Windows</a><li><a href="#m">macOS</a></ul></div><div class=tab-content><div id=w class=tab-pane>winget</div><div id=m class=tab-pane>brew</div><div id=l class="tab-pane active">apt</div></div>`,
      'Windows winget macOS brew Linux apt',
    ],
  ])('nameTabs: writes the name of each tab above its panel: %s', (_, html, expected) => {
    expect(read(html)).toContain(expected);
  });

  it.each([
    [
      'a panel begins with its name',
      `${list(tab('Size'), tab('Colour'))}<div role=tabpanel><h2>Size</h2>L</div><div role=tabpanel>Red</div>`,
      'Size L Colour Red',
    ],
    [
      'tabs and panels are of different number',
      `${list(tab('One'), tab('Two'))}<div role=tabpanel>A</div>`,
      'One - Two A',
    ],
    [
      'the links of the list lead to other pages',
      `<ul class="nav nav-tabs"><li><a href="/l">Linux</a><li><a href="/w">Windows</a></ul><div class=tab-pane>apt</div><div class=tab-pane>winget</div>`,
      'Windows apt winget',
    ],
  ])('nameTabs: adds no name when %s', (_, html, expected) => {
    expect(read(html)).toContain(expected);
  });
});
