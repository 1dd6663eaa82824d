// The checks of `hayrake doctor`, with their adapters. They change nothing.
import { openFilesMax } from '../api/guard/connection-limits.ts';
import { memoryBytes } from '../api/guard/memory-guard.ts';
import type { Config } from '../config/config.ts';
import type { BrowserProbe } from '../core/ports/renderer.ts';
import type { Examination, Finding } from '../core/ports/finding.ts';
import { openCanary } from '../fetch/http/open-canary.ts';
import { browserFindings, examineRendering } from '../doctor/browser-examinations.ts';
import { examineDirectory, examineDisk, examineFileSystem } from '../doctor/directory-examinations.ts';
import { examine } from '../doctor/examine.ts';
import { examineNames } from '../doctor/name-examination.ts';
import { examineClock, examineMemory, examineNode, examineOpenFiles } from '../doctor/process-examinations.ts';
import { hurryResolve, resolveBySystem } from '../fetch/guard/resolver.ts';
import { createLogger } from '../observe/logger.ts';
import { browserSettings } from './open-browser.ts';
import { createBrowserRenderer } from '../render/browser-renderer.ts';
import { probeBrowser } from '../render/probe-browser.ts';
import { whatOthersCanRead } from '../storage/sqlite/file/database-file.ts';
import { examineDatabase } from '../storage/sqlite/maintain/examine-database.ts';
import { hasWalBug } from '../storage/sqlite/file/open-database.ts';

const resolveMs = 5_000;

/** Checks everything that this configuration needs, with or without a running service. */
export async function examineInstallation(config: Config, onFinding: (finding: Finding) => void): Promise<void> {
  const { sqlite = '' } = process.versions;
  const onSqlite = config.databaseUrl === undefined;
  await examine({ node: () => examineNode(process.versions.node, onSqlite && hasWalBug(sqlite)) }, onFinding);
  await examine(
    {
      memory: () => examineMemory(memoryBytes()),
      'open files': () => examineOpenFiles(openFilesMax(), config.connections),
    },
    onFinding,
  );
  const clock = onSqlite ? await examineData(config, onFinding) : await examineServer(config, onFinding);
  await examine({ clock: () => examineClock(Date.now(), clock.newestMs, clock.doubtedMs) }, onFinding);
  await examine({ 'name resolution': () => examineNames(resolve) }, onFinding);
  await examineBrowser(config, onFinding);
}

async function examineBrowser(config: Config, onFinding: (finding: Finding) => void): Promise<void> {
  const settings = browserSettings(config);
  let probe: BrowserProbe | undefined;
  await examineSeveral('browser', onFinding, async () =>
    browserFindings(settings, (probe = await probeBrowser(settings))),
  );
  if (probe?.path === undefined || probe.problem !== undefined) return;
  const { path: binary, bwrapPath } = probe;
  await examineSeveral('rendering', onFinding, async () => {
    const canary = await openCanary();
    const bwrap = settings.sandbox === 'require' ? bwrapPath : undefined;
    const renderer = createBrowserRenderer({ binary, bwrap, pages: 1, log: createLogger(config.logLevel) });
    try {
      return await examineRendering(renderer, canary);
    } finally {
      await renderer.close();
      await canary.close();
    }
  });
}

/** An examination with several findings; only the first has a name in advance. */
async function examineSeveral(
  name: string,
  onFinding: (finding: Finding) => void,
  run: () => Promise<readonly Finding[]>,
): Promise<void> {
  const further: Finding[] = [];
  const one: Examination = async () => {
    const [first, ...others] = await run();
    if (first === undefined) throw new Error(`Nothing was found out about the ${name}.`);
    further.push(...others);
    return first;
  };
  await examine({ [name]: one }, onFinding);
  for (const finding of further) onFinding(finding);
}

interface StoreClock {
  newestMs?: number;
  doubtedMs?: number;
}

async function examineData({ data, diskFreeMb }: Config, onFinding: (finding: Finding) => void): Promise<StoreClock> {
  let clock: StoreClock = {};
  const examinations: Record<string, Examination> = {
    'data directory': () => examineDirectory(data, whatOthersCanRead),
    disk: () => examineDisk(data, diskFreeMb),
    'file system': () => examineFileSystem(data),
    database: () => {
      const { finding, ...times } = examineDatabase(data);
      clock = times;
      return finding;
    },
  };
  await examine(examinations, onFinding);
  return clock;
}

async function examineServer(config: Config, onFinding: (finding: Finding) => void): Promise<StoreClock> {
  const { databaseUrl = '', databaseDirectUrl } = config;
  const clock: StoreClock = {};
  await examineSeveral('database', onFinding, async () => {
    // Imported only here: the driver takes 20 ms of CPU time.
    const { examineServer: look } = await import('../storage/postgres/maintain/examine-server.ts');
    const { findings, nowMs } = await look(databaseUrl, databaseDirectUrl);
    if (nowMs !== undefined) clock.newestMs = nowMs;
    return findings;
  });
  return clock;
}

/** Returns the number of addresses of a name, resolved as in a crawl. */
function resolve(name: string): Promise<number> {
  return new Promise((answer, reject) => {
    hurryResolve(resolveBySystem, resolveMs)(name, (error, addresses) => {
      if (error) reject(error);
      else answer(addresses.length);
    });
  });
}
