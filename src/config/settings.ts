// Every setting, once: its sources, its meaning, its default. docs/configuration.md is generated from these tables.
import type { Settings } from './config.ts';
import { addressSettings } from './settings/address-settings.ts';
import { crawlSettings } from './settings/crawl-settings.ts';
import { featureSettings } from './settings/feature-settings.ts';
import { limitSettings } from './settings/limit-settings.ts';
import { networkSettings, type NetworkRules } from './settings/network-settings.ts';
import type { SettingRows } from './settings/parse.ts';
import { storageSettings } from './settings/storage-settings.ts';

export function settings(rules: NetworkRules): Settings {
  const rows: SettingRows = {
    ...storageSettings,
    ...addressSettings,
    ...networkSettings(rules),
    ...crawlSettings,
    ...featureSettings,
    ...limitSettings,
  };
  const named = Object.entries(rows).map(([name, row]) => {
    const words = name.replaceAll(/[A-Z]/g, '_$&').toLowerCase();
    const { env = `HAYRAKE_${words.toUpperCase()}`, secret = false } = row;
    const flag = 'flag' in row ? row.flag : words.replaceAll('_', '-');
    return [name, { ...row, env, flag: secret ? undefined : flag }];
  });
  return Object.fromEntries(named) as Settings;
}
