// What the settings are, once they are read: each as its row parses it.
import type { addressSettings } from './settings/address-settings.ts';
import type { crawlSettings } from './settings/crawl-settings.ts';
import type { featureSettings } from './settings/feature-settings.ts';
import type { limitSettings } from './settings/limit-settings.ts';
import type { networkSettings } from './settings/network-settings.ts';
import type { SettingRow } from './settings/parse.ts';
import type { storageSettings } from './settings/storage-settings.ts';

type Rows = typeof storageSettings &
  typeof addressSettings &
  ReturnType<typeof networkSettings> &
  typeof crawlSettings &
  typeof featureSettings &
  typeof limitSettings;

export type SettingName = keyof Rows;

export type Config = { readonly [Name in SettingName]: ReturnType<Rows[Name]['parse']> };

export interface Setting extends SettingRow {
  readonly env: string;
}

export type Settings = { readonly [Name in SettingName]: Omit<Setting, 'parse'> & Pick<Rows[Name], 'parse'> };
