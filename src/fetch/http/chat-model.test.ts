import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Mode, refuse, say, ScriptedModel } from '../../../test/service/scripted-model.ts';
import { ChatModel } from './chat-model.ts';

const server = new ScriptedModel(new Map());
let model: ChatModel;

beforeEach(async () => {
  server.calls.length = 0;
  const url = new URL(await server.start());
  model = new ChatModel({ url, model: 'm', key: 'secret', deadlineMs: 5_000, retryMs: 1, pauseMs: 1_000 });
});
afterEach(() => server.close());

const ask = (): ReturnType<ChatModel['ask']> =>
  model.ask({ task: 't', page: 'p', schema: {}, mayCall: () => Promise.resolve(true) }, new AbortController().signal);
const right: Mode = (_, response) => say(response, '{"a":1}');
const answer = { kind: 'answer', value: { a: 1 } };

describe('ChatModel', () => {
  test.each(['{"error":"no"}', '{"error":{"message":"\'temperature\' does not support 0","param":"temperature"}}'])(
    'ChatModel: leaves out the temperature that a server refuses with %s, and remembers it',
    async (text) => {
      server.mode = (call, response, record) =>
        'temperature' in call.body ? Boolean(response.writeHead(400).end(text)) : right(call, response, record);
      expect([await ask(), await ask()]).toEqual([answer, answer]);
      expect(server.calls.at(-1)).toMatchObject({ form: 'json_schema' });
      expect(server.calls.filter(({ body }) => !('temperature' in body))).toHaveLength(2);
      expect(server.calls.length).toBeLessThanOrEqual(5);
    },
  );

  test('ChatModel: asks in the best form again after a page that the server refuses in every form', async () => {
    server.mode = (_, response) => refuse(response, 400);
    expect(await ask()).toMatchObject({ kind: 'unavailable' });
    server.mode = right;
    expect(await ask()).toEqual(answer);
    expect(server.calls.at(-1)).toMatchObject({ form: 'json_schema' });
  });

  test('ChatModel: remembers a form that the server does not know, and tries it again later', async () => {
    server.mode = (call, response, record) =>
      call.form === 'json_schema' ? refuse(response, 400) : right(call, response, record);
    for (let at = 0; at < 9; at++) await ask();
    expect(server.calls.filter(({ form }) => form === 'json_schema')).toHaveLength(1);
    server.mode = right;
    for (let at = 0; at < 3; at++) await ask();
    expect(server.calls.at(-1)).toMatchObject({ form: 'json_schema' });
  });

  test('ChatModel: waits as long as the server says', async () => {
    server.mode = (call, response, record) => {
      server.mode = right;
      return call.form === ''
        ? right(call, response, record)
        : Boolean(response.writeHead(429, { 'retry-after': '1' }).end());
    };
    const startedAt = performance.now();
    expect(await ask()).toEqual(answer);
    expect(performance.now() - startedAt).toBeGreaterThan(900);
  });

  test('ChatModel: reads an object before a text with braces', async () => {
    server.mode = (_, response) => say(response, 'Here: {"a":1}\nThe page has {curly} words {}.');
    expect(await ask()).toEqual(answer);
  });

  test('ChatModel: says how the server refused, without the key', async () => {
    server.mode = (_, response) => Boolean(response.writeHead(401).end(`bad key secret at ${server.url}`));
    const why = 'it responded with 401: bad key [removed] at [removed]';
    expect(await ask()).toEqual({ kind: 'unavailable', why });
  });
});
