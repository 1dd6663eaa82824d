// Finds the browser and `bwrap`.
import { accessSync, constants, openSync, readSync, closeSync, realpathSync } from 'node:fs';
import path from 'node:path';

/** Smaller ones first: the headless shell starts in a quarter of the time, and takes half of the memory. */
const binaries = [
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/lib/chromium/headless_shell',
  '/usr/lib64/chromium-browser/headless_shell',
  '/usr/lib/chromium/chromium',
  '/usr/lib/chromium-browser/chromium-browser',
  '/usr/lib64/chromium-browser/chromium-browser',
  '/opt/google/chrome/chrome',
];
const names = ['chromium-headless-shell', 'chrome-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** The binary for a setting other than `off`: `auto`, or a path. Undefined if none can be started. */
export function findBrowser(setting: string): string | undefined {
  const candidates = setting === 'auto' ? [...binaries, ...names.flatMap(onPath)] : [setting];
  for (const candidate of candidates) {
    const binary = binaryBehind(candidate);
    if (binary !== undefined) return binary;
  }
  return undefined;
}

export function findBwrap(): string | undefined {
  return onPath('bwrap').find(isExecutable);
}

/**
 * Distributions install scripts that start the browser with flags of their own. The binary is in a directory of its
 * name.
 */
function binaryBehind(file: string): string | undefined {
  if (!isExecutable(file)) return undefined;
  const real = realpathSync(file);
  if (!isScript(real)) return real;
  const name = path.basename(file);
  return binaries.find((binary) => path.basename(binary) === name && isExecutable(binary));
}

/** Where programs are installed. hayrake's `PATH` is ignored: it can name directories that other users write to. */
const directories = ['/usr/local/bin', '/usr/bin', '/bin', '/snap/bin'];

function onPath(name: string): string[] {
  return directories.map((directory) => path.join(directory, name));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function isScript(file: string): boolean {
  const head = Buffer.alloc(2);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, head, 0, 2, 0);
  } finally {
    closeSync(descriptor);
  }
  return head.toString('latin1') === '#!';
}
