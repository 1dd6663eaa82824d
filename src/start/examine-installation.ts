// The checks of `hayrake doctor`, with their adapters. They change nothing.
import { openFilesMax } from '../api/guard/connection-limits.ts';
import type { Config } from '../config/config.ts';
import type { BrowserProbe } from '../core/ports/renderer.ts';
import type { Examination, Diagnosis } from '../core/ports/diagnosis.ts';
import { openCanary } from '../fetch/http/open-canary.ts';
import { browserDiagnoses, examineRendering } from '../doctor/browser-examinations.ts';
import { examineDirectory, examineDisk, examineFileSystem } from '../doctor/directory-examinations.ts';
import { examine } from '../doctor/examine.ts';
import { examineNames, namesOfProxy } from '../doctor/name-examination.ts';
import { examineObjects } from '../doctor/objects-examination.ts';
import { examineClock, examineMemory, examineNode, examineOpenFiles } from '../doctor/process-examinations.ts';
import { hurryResolve, resolveBySystem } from '../fetch/guard/resolver.ts';
import { createLogger } from '../observe/logger.ts';
import { openObjects } from './open-objects.ts';
import { browserSettings } from './open-browser.ts';
import { createBrowserRenderer } from '../render/browser-renderer.ts';
import { probeBrowser } from '../render/probe-browser.ts';
import { whatOthersCanRead } from '../storage/sqlite/file/database-file.ts';
import { examineDatabase } from '../storage/sqlite/maintain/examine-database.ts';
import { hasWalBug } from '../storage/sqlite/file/open-database.ts';

const resolveMs = 5_000;

/** Checks everything that this configuration needs, with or without a running service. */
export async function examineInstallation(config: Config, onDiagnosis: (diagnosis: Diagnosis) => void): Promise<void> {
  const { sqlite = '' } = process.versions;
  const onSqlite = config.databaseUrl === undefined;
  await examine({ node: () => examineNode(process.versions.node, onSqlite && hasWalBug(sqlite)) }, onDiagnosis);
  await examine(
    {
      memory: () => examineMemory(config.memoryMb * 2 ** 20),
      'open files': () => examineOpenFiles(openFilesMax(), config.connections),
    },
    onDiagnosis,
  );
  const clock = onSqlite ? await examineData(config, onDiagnosis) : await examineServer(config, onDiagnosis);
  await examine({ clock: () => examineClock(Date.now(), clock.newestMs, clock.doubtedMs) }, onDiagnosis);
  if (config.blobs) await examine({ 'object storage': () => examineBlobs(config) }, onDiagnosis);
  if (config.proxies.length > 0 && config.proxyResolves) onDiagnosis(namesOfProxy);
  else await examine({ 'name resolution': () => examineNames(resolve) }, onDiagnosis);
  await examineBrowser(config, onDiagnosis);
}

async function examineBlobs(config: Config): Promise<Diagnosis> {
  const objects = await openObjects(config);
  if (!objects) throw new Error('HAYRAKE_BLOBS is not set');
  try {
    return await examineObjects(objects);
  } finally {
    await objects.close();
  }
}

async function examineBrowser(config: Config, onDiagnosis: (diagnosis: Diagnosis) => void): Promise<void> {
  const settings = browserSettings(config);
  let probe: BrowserProbe | undefined;
  await examineSeveral('browser', onDiagnosis, async () =>
    browserDiagnoses(settings, (probe = await probeBrowser(settings))),
  );
  if (probe?.path === undefined || probe.problem !== undefined) return;
  const { path: binary, bwrapPath } = probe;
  await examineSeveral('rendering', onDiagnosis, async () => {
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

/** An examination with several diagnoses; only the first has a name in advance. */
async function examineSeveral(
  name: string,
  onDiagnosis: (diagnosis: Diagnosis) => void,
  run: () => Promise<readonly Diagnosis[]>,
): Promise<void> {
  const further: Diagnosis[] = [];
  const one: Examination = async () => {
    const [first, ...others] = await run();
    if (first === undefined) throw new Error(`Nothing was found out about the ${name}.`);
    further.push(...others);
    return first;
  };
  await examine({ [name]: one }, onDiagnosis);
  for (const diagnosis of further) onDiagnosis(diagnosis);
}

interface StoreClock {
  newestMs?: number;
  doubtedMs?: number;
}

async function examineData(
  { data, diskFreeMb }: Config,
  onDiagnosis: (diagnosis: Diagnosis) => void,
): Promise<StoreClock> {
  let clock: StoreClock = {};
  const examinations: Record<string, Examination> = {
    'data directory': () => examineDirectory(data, whatOthersCanRead),
    disk: () => examineDisk(data, diskFreeMb),
    'file system': () => examineFileSystem(data),
    database: () => {
      const { diagnosis, ...times } = examineDatabase(data);
      clock = times;
      return diagnosis;
    },
  };
  await examine(examinations, onDiagnosis);
  return clock;
}

async function examineServer(config: Config, onDiagnosis: (diagnosis: Diagnosis) => void): Promise<StoreClock> {
  const { databaseUrl = '', databaseDirectUrl } = config;
  const clock: StoreClock = {};
  await examineSeveral('database', onDiagnosis, async () => {
    // Imported only here: the driver takes 20 ms of CPU time.
    const { examineServer: look } = await import('../storage/postgres/maintain/examine-server.ts');
    const { diagnoses, nowMs } = await look(databaseUrl, databaseDirectUrl);
    if (nowMs !== undefined) clock.newestMs = nowMs;
    return diagnoses;
  });
  return clock;
}

/** Returns the number of addresses of a name, resolved as in a crawl. */
function resolve(name: string): Promise<number> {
  return new Promise((response, reject) => {
    hurryResolve(resolveBySystem, resolveMs)(name, (error, addresses) => {
      if (error) reject(error);
      else response(addresses.length);
    });
  });
}
