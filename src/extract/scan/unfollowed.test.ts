import { describe, expect, test } from 'vitest';
import { parseHtml } from '../html/parse-html.ts';
import { scanPage } from './scan-page.ts';
import { hasUnfollowedWays } from './unfollowed.ts';

const isFound = (html: string): boolean => hasUnfollowedWays(scanPage(parseHtml(html)));
const options = '<option value="">Choose</option><option value=1>One</option><option>Two</option>';

describe('hasUnfollowedWays', () => {
  test.each([
    ['a route', '<a href="#/products/12">Rakes</a>'],
    ['a route with a mark', '<a href="#!/news">News</a>'],
    ['a page of a list by a script', `<a href="javascript:__doPostBack('list','Page$2')">2</a>`],
    ['a call with a number', '<a href="javascript:showPage(3)">3</a>'],
    ['a script that leaves the page', `<a href="#" onclick="location.href='/next'">Next</a>`],
    ['an anchor without an address', `<a onclick="window.open('/map')">Map</a>`],
    [
      'a form with nothing but a choice',
      `<form action=/list><select name=country>${options}</select><button>Go</button></form>`,
    ],
    [
      'a form with a choice and a hidden field',
      `<form method=post><input type=hidden name=t><select>${options}</select><input type=submit></form>`,
    ],
    ['a choice that leaves the page', `<select onchange="location = this.value">${options}</select>`],
  ])('hasUnfollowedWays: finds %s', (_, html) => {
    expect(isFound(`<p>Text</p>${html}`)).toBe(true);
  });

  test.each([
    ['links', '<a href="/a">A</a><a href="#top">Top</a><a href="#">Top</a>'],
    [
      'a menu by a script',
      `<a href="javascript:void(0)" onclick="toggle('menu')">Menu</a><a href="#" onclick="return false">x</a>`,
    ],
    ['a link with a script that counts', `<a href="/a" onclick="track(location)">A</a>`],
    ['a search with a choice', `<form><input name=q><select>${options}</select></form>`],
    ['a choice without a form', `<select>${options}</select>`],
    ['a form with one choice', '<form><select><option value=1>One</option></select></form>'],
    ['a form to write', `<form><textarea></textarea><select>${options}</select></form>`],
  ])('hasUnfollowedWays: takes no notice of %s', (_, html) => {
    expect(isFound(`<p>Text</p>${html}`)).toBe(false);
  });
});
