import { describe, expect, it } from 'vitest';
import { authorNames } from './author-names.ts';

const site = { host: 'www.hay-news.example', names: ['The Hay News', undefined] };

describe('authorNames', () => {
  it.each([
    ['By Ada Field', 'Ada Field'],
    ['Ada Field, Bob Barn', 'Ada Field, Bob Barn'],
    ['Ada Field, PhD', 'Ada Field, PhD'],
    ['Ada Field, Bob Barn, Ada Field', 'Ada Field, Bob Barn'],
    ['Ada Field, Moderator', 'Ada Field'],
    [', Ada Field', 'Ada Field'],
    ['Ada Field, The Hay News', 'Ada Field'],
  ])('authorNames: reads %j', (text, names) => {
    expect(authorNames(text, site)).toBe(names);
  });

  it.each([
    '',
    '@hay',
    'https://hay.example/ada',
    'ada@hay.example',
    'name, email@…',
    'Your name, your@email',
    'Author name',
    '262588',
    'undefined',
    'admin',
    'ada.field',
    'page.head.extra.author',
    'Member Login',
    'Member',
    'Community Editor',
    'Iron Contributor',
    'Senior Member',
    'Recurring Donations',
    'Moderator',
    'Aktives Mitglied',
    'Modérateur',
    'Участник',
    '版主',
    'عضو جديد',
    'The Hay News',
    'HayNews',
  ])('authorNames: returns undefined for %j', (text) => {
    expect(authorNames(text, site)).toBeUndefined();
  });
});
