// Where the service listens, and where commands find it.
import { notEmpty, number, serviceUrl, type SettingRows } from './parse.ts';

export const addressSettings = {
  host: {
    placeholder: 'ADDRESS',
    default: '127.0.0.1',
    description: 'Address that the API listens on. For any but a loopback address, a token must already exist.',
    parse: notEmpty,
  },
  port: {
    ...number(0, 65_535, 'PORT'),
    default: '8380',
    description: 'Port that the API listens on, 0 to 65535. 0 takes a free one.',
  },
  token: {
    placeholder: 'TOKEN',
    default: '',
    secret: true,
    description:
      'A token for automation, accepted from the start, with every permission: 32 or more printable characters.',
    parse: token,
  },
  url: {
    flag: undefined,
    placeholder: 'URL',
    default: '',
    description:
      'Address of a running service, for commands that can use one (`--server`), with a token of it in HAYRAKE_TOKEN.',
    parse: serviceUrl,
  },
} satisfies SettingRows;

function token(text: string): string | undefined {
  if (!/^[\x21-\x7e]{32,1000}$/.test(text))
    throw new Error(
      'a token is 32 to 1,000 printable characters without spaces. `openssl rand -hex 32` makes a good one.',
    );
  if (new Set(text).size < 8) throw new Error('a token with so few different characters can be guessed.');
  return text;
}
