// Every setting, once: its sources, its meaning, its default. docs/configuration.md is generated from these tables.
import type { Settings } from './config.ts';
import { addressSettings } from './settings/address-settings.ts';
import { crawlSettings } from './settings/crawl-settings.ts';
import { featureSettings } from './settings/feature-settings.ts';
import { limitSettings } from './settings/limit-settings.ts';
import { networkSettings, type NetworkRules } from './settings/network-settings.ts';
import { storageSettings } from './settings/storage-settings.ts';

export function settings(rules: NetworkRules): Settings {
  return {
    ...storageSettings,
    ...addressSettings,
    ...networkSettings(rules),
    ...crawlSettings,
    ...featureSettings,
    ...limitSettings,
  };
}
