import { expect, test } from 'vitest';
import { timeGrowth } from '../../../test/time-growth.ts';
import { isChallengePage } from './challenge-marks.ts';

const wall = 'Please wait while we make sure that you are not a program. '.repeat(8);
const pageOf = (mark: string, text = wall): boolean =>
  isChallengePage(Buffer.from(`<html><head><title>x</title></head><body>${mark}<p>${text}</p></body></html>`), text);

const walls: readonly [of: string, mark: string][] = [
  ['Anubis', '<script id="anubis_version" type="application/json">"v1.19"</script>'],
  ['Anubis, by its script', '<script async src="/.within.website/x/cmd/anubis/static/js/main.mjs"></script>'],
  ['DDoS-Guard', '<script src="/.well-known/ddos-guard/js-challenge/index.js"></script>'],
  ['DDoS-Guard, older', '<script src="https://check.ddos-guard.net/check.js"></script>'],
  ['Cloudflare', '<script>(function(){window._cf_chl_opt={cvId:"3"};}())</script>'],
  ['Cloudflare, its script', '<script src="/cdn-cgi/challenge-platform/h/g/orchestrate/chl_page/v1?ray=1"></script>'],
  ['Cloudflare, older', '<div class="cf-browser-verification cf-im-under-attack"></div>'],
  ['Cloudflare, a form', '<form id="challenge-form" action="/x"><input name="jschl_vc"></form>'],
  ['Incapsula', '<iframe id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31" frameborder=0></iframe>'],
  ['AWS', '<script>window.gokuProps = {"key":"x"};</script>'],
  ['AWS, older', '<div id="challenge-container"></div>'],
  ['Akamai', '<div id="sec-if-cpt-container"></div>'],
  ['Akamai, a refresh', '<meta http-equiv="refresh" content="5; URL=\'/?bm-verify=AAQ\'">'],
  ['Sucuri', "<script>sucuri_cloudproxy_js='',S='x';</script>"],
  ['PerimeterX', '<div id="px-captcha"></div>'],
  ['DataDome', "<script>var dd={'rt':'c'}</script>"],
];

test.each(walls)('isChallengePage: finds the page of %s', (_, mark) => {
  expect(pageOf(mark)).toBe(true);
});

test.each(walls)(
  'isChallengePage: an article that shows the source of %s stays, and so does a long page',
  (_, mark) => {
    const quoted = mark.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    expect(pageOf(`<pre>${quoted}</pre>`)).toBe(false);
    expect(pageOf(mark, 'A page of many words. '.repeat(40))).toBe(false);
  },
);

test.each([
  ['Cloudflare', '<script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>'],
  ['Incapsula', '<script src="/_Incapsula_Resource?SWJIYLWA=1"></script>'],
  ['AWS', '<script src="https://abc.token.awswaf.com/abc/challenge.js"></script>'],
  ['PerimeterX', '<script>window._pxAppId = "PX1";</script>'],
])('isChallengePage: a short page that %s guards stays', (_, script) => {
  expect(pageOf(script)).toBe(false);
});

test('isChallengePage: takes linear time', () => {
  expect(timeGrowth((size) => isChallengePage(Buffer.from('<a _cf '.repeat(size)), ''), 5_000)).toBeLessThan(3);
});
