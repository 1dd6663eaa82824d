import { describe, expect, test } from 'vitest';
import { parseWebhookUrl, type WebhookRules } from './webhook-url.ts';

const rules = (webhookHttp = false): WebhookRules => ({
  destinations: {
    privateNetworks: [],
    proxyNames: [],
    proxyResolves: false,
    refusal: (url) => (url.hostname.endsWith('.inside.test') ? 'It may not be reached.' : undefined),
  },
  webhookHttp,
});
const long = (length: number): string =>
  `https://receiver.test/${'x'.repeat(length - 'https://receiver.test/'.length)}`;

describe('parseWebhookUrl', () => {
  test.each([
    ['https://receiver.test', 'https://receiver.test/'],
    ['https://Receiver.test:8443/hook?key=a b'.replace(' ', '%20'), 'https://receiver.test:8443/hook?key=a%20b'],
    ['https://receiver.test/#part', 'https://receiver.test/'],
    [' https://receiver.test/ ', 'https://receiver.test/'],
    [long(2_048), long(2_048)],
  ])('parseWebhookUrl: accepts %j', (text, expected) => {
    expect(parseWebhookUrl(text, rules())).toBe(expected);
  });

  test.each([
    ['', 'empty'],
    ['receiver.test/hook', 'not absolute'],
    ['/hook', 'not absolute'],
    ['http://receiver.test/', 'Give an https URL'],
    ['ftp://receiver.test/', 'only http and https'],
    ['javascript:alert(1)', 'only http and https'],
    ['https://user:secret@receiver.test/', 'user name or password'],
    ['https://user@receiver.test/', 'user name or password'],
    ['https://receiver.test\\@inside.test/', 'backslash'],
    ['https://receiver.test/a\r\nhost: inside.test', 'control character'],
    ['https://', 'no host'],
    [long(2_049), 'longer than 2,048'],
    // Percent-encoded it is longer than it was written.
    [`https://receiver.test/${'ü'.repeat(1_000)}`, 'longer than 2,048'],
  ])('parseWebhookUrl: rejects %j, and names the field', (text, problem) => {
    expect(() => parseWebhookUrl(text, rules())).toThrow(
      expect.objectContaining({
        code: 'invalid_body',
        message: expect.stringContaining(problem) as unknown,
        fields: [expect.objectContaining({ field: 'webhook_url' })],
      }),
    );
  });

  test('parseWebhookUrl: accepts http when the operator allows it', () => {
    expect(parseWebhookUrl('http://receiver.test/', rules(true))).toBe('http://receiver.test/');
  });

  test.each([false, true])(
    'parseWebhookUrl: rejects a destination that is not allowed (http allowed: %s)',
    (webhookHttp) => {
      expect(() => parseWebhookUrl('https://a.inside.test/', rules(webhookHttp))).toThrow(
        expect.objectContaining({
          code: 'destination_not_allowed',
          fields: [{ field: 'webhook_url', message: 'It may not be reached.' }],
        }),
      );
    },
  );
});
