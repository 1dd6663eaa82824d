// Makes the pictures of the README from what the demo shows, so that they are never older than the program:
//
//   npm run pictures     writes docs/pictures/dashboard.png and terminal.png
//
// It needs Chromium, and `script` of util-linux, which runs a command in a terminal of its own.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import { findBrowser } from '../src/render/find-browser.ts';

const here = import.meta.dirname;
const folder = path.join(here, '../docs/pictures');
const bytesMax = 150_000;
/** What the commands of the terminal print is as wide as this. */
const columns = 100;

const binary = findBrowser('auto');
if (binary === undefined) throw new Error('No browser was found. Install chromium-headless-shell.');
await mkdir(folder, { recursive: true });
const demo = spawn(process.execPath, [path.join(here, 'demo.ts'), '--keep'], { stdio: ['ignore', 'pipe', 'inherit'] });
const ended = once(demo, 'exit');
const directory = await mkdtemp(path.join(tmpdir(), 'hayrake-pictures-'));
const browser = await chromium.launch({ executablePath: binary });
try {
  const { site, login } = await addresses();
  await pictureOfDashboard(browser, login);
  await pictureOfTerminal(browser, [`crawl ${site}`, 'why last /private/trial-fields.html']);
} finally {
  await browser.close();
  demo.kill('SIGTERM');
  await ended;
  await rm(directory, { recursive: true });
}

/** Of the site and of the dashboard, as the demo prints them. */
async function addresses(): Promise<{ readonly site: string; readonly login: string }> {
  let site: string | undefined;
  for await (const line of createInterface({ input: demo.stdout })) {
    site ??= /^ +(http:\S+)\/ +\(our own/.exec(line)?.[1];
    const login = /http:\S+\/login\?code=\S+/.exec(line)?.[0];
    if (site !== undefined && login !== undefined) return { site, login };
  }
  throw new Error('the demo ended before it printed its addresses');
}

async function pictureOfDashboard(of: Browser, login: string): Promise<void> {
  const page = await of.newPage({ viewport: { width: 1200, height: 640 }, colorScheme: 'light' });
  await page.goto(login);
  await page.locator('a[href^="/jobs/"]').first().click();
  await page.getByRole('link', { name: 'Pages', exact: true }).click();
  await page.getByText('Install the station').first().click();
  await page.frameLocator('iframe').getByText('spirit level').first().waitFor();
  await keep('dashboard.png', await page.screenshot());
}

async function pictureOfTerminal(of: Browser, commands: readonly string[]): Promise<void> {
  const screens: string[] = [];
  for (const command of commands)
    screens.push(`<b>$</b> hayrake ${command}\n${screenOf(await runInTerminal(command))}`);
  const page = await of.newPage({ viewport: { width: 900, height: 100 } });
  await page.setContent(
    `<style>body{margin:0;padding:20px;background:#14181d;color:#d5dbe1;font:14px/1.45 "DejaVu Sans Mono",monospace}` +
      `pre{margin:0;width:${columns}ch;font:inherit;white-space:pre-wrap;overflow-wrap:anywhere}.c32{color:#7fd18b}.c33{color:#e6c069}.c31{color:#f08d86}.c2{color:#8b96a1}.c1{font-weight:bold}</style>` +
      `<pre>${screens.join('\n\n')}</pre>`,
  );
  await keep('terminal.png', await page.screenshot({ fullPage: true }));
}

/** Everything that a command writes to a terminal, with the codes that move its cursor and set colours. */
async function runInTerminal(command: string): Promise<string> {
  const program = `${process.execPath} ${path.join(here, '../src/main.ts')} ${command}`;
  const { stdout } = await promisify(execFile)(
    'script',
    ['-qec', `stty cols ${columns} rows 40; ${program}`, '/dev/null'],
    { cwd: directory, env: { ...process.env, HAYRAKE_ALLOW_PRIVATE: '127.0.0.1/32', TERM: 'xterm' } },
  );
  return stdout;
}

/** What is on the screen at the end, as HTML: `ESC[4A` goes four lines up, `ESC[J` clears what is below. */
function screenOf(written: string): string {
  const lines = [''];
  for (const [code, up, colour] of written
    .replaceAll('\u001B', '␛')
    .matchAll(/␛\[(?:(\d+)A|([\d;]*)m|\??[\d;]*[A-Za-z])|\r|\n|[^␛\r\n]+/gu)) {
    if (up !== undefined) lines.splice(-1 - Number(up), Infinity, '');
    else if (colour !== undefined)
      lines[lines.length - 1] += /^(?:39|22|0)?$/u.test(colour) ? '</span>' : `<span class="c${colour}">`;
    else if (code === '\n') lines.push('');
    else if (!/^[␛\r]/u.test(code)) lines[lines.length - 1] += code.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  }
  return lines.join('\n').trimEnd();
}

async function keep(name: string, picture: Uint8Array): Promise<void> {
  const file = path.join(folder, name);
  const { length } = picture;
  if (length > bytesMax) throw new Error(`${name} has ${length} bytes; at most ${bytesMax} are kept in the repository`);
  await writeFile(file, picture);
  console.log(`${path.relative(process.cwd(), file)}   ${length} bytes`);
}
