// What every object store promises, on real servers with the API of S3, and how a client of S3 says what is wrong.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ListedObjects, type ObjectStore, ObjectStoreError } from '../../src/core/ports/object-store.ts';
import { parsePrivateNetworks } from '../../src/fetch/guard/address-policy.ts';
import { createS3Client, type S3Options } from '../../src/fetch/s3/s3-client.ts';
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts';
import { MemoryObjects } from './memory-objects.ts';
import { s3Missing, s3Programs, type S3Server, startS3 } from './s3-servers.ts';

const usual = {
  bucket: 'bucket',
  prefix: 'some/pre fix',
  region: 'us-east-1',
  credentials: { accessKeyId: 'key', secretAccessKey: 'the secret of the tests' },
  allowPrivate: [],
  authorities: [],
};

describe('objects in memory', () => {
  describeObjects(async () => new MemoryObjects());
});

for (const program of s3Programs)
  describe.skipIf(s3Missing(program) !== undefined)(`objects on ${program} (needs ${program})`, () => {
    let server: S3Server;
    let options: S3Options;
    const clients: ObjectStore[] = [];
    const client = (changed: Partial<S3Options> = {}): ObjectStore => {
      const made = createS3Client({ ...options, ...changed });
      clients.push(made);
      return made;
    };

    beforeAll(async () => {
      server = await startS3(program);
      const { accessKeyId, secretAccessKey, endpoint } = server;
      options = { ...usual, endpoint: new URL(endpoint), credentials: { accessKeyId, secretAccessKey } };
      options = { ...options, bucket: await server.createBucket() };
    }, 60_000);
    afterAll(async () => {
      for (const made of clients) await made.close();
      await server.stop();
    });

    let prefixes = 0;
    describeObjects(async () => client({ prefix: `of a test/${++prefixes}` }));

    test('says which bucket is missing, and which credentials are refused', async () => {
      await expect(client({ bucket: 'no-such-bucket' }).put('a', Buffer.from('a'))).rejects.toMatchObject({
        kind: 'refused',
        message: expect.stringContaining('There is no bucket `no-such-bucket`'),
      });
      await expect(client({ bucket: 'no-such-bucket' }).get('a')).rejects.toMatchObject({ kind: 'refused' });
      const credentials = { ...options.credentials, secretAccessKey: 'not the secret' };
      const wrong = client({ credentials }).examine();
      await expect(wrong).rejects.toMatchObject({
        kind: 'refused',
        message: expect.stringContaining('AWS_ACCESS_KEY_ID'),
      });
      await expect(wrong).rejects.not.toMatchObject({ message: expect.stringContaining('not the secret') });
      expect(await client().examine()).toMatchObject({ isVersioned: false, isLocked: false });
    });

    test('tries reads again when the store is busy or a connection is lost, and reports a lost PUT', async () => {
      const proxy: FaultyProxy = await startFaultyProxy(server.endpoint);
      const through = client({ endpoint: new URL(proxy.origin), prefix: 'faults' });
      await through.put('a', Buffer.from('some bytes'));
      for (const fault of ['slow_down', 'cut_before', 'cut_within', 'cut_after'] as const) {
        let left = 2;
        proxy.fault = () => (left-- > 0 ? fault : 'none');
        expect((await through.get('a'))?.toString(), fault).toBe('some bytes');
        proxy.fault = () => fault;
        await expect(through.put('b', Buffer.from('b')), fault).rejects.toMatchObject({ kind: 'away' });
      }
      await proxy.close();
    });
  });

function describeObjects(open: () => Promise<ObjectStore>): void {
  test('get: returns what was put, a range of it, and nothing of what is not there', async () => {
    const objects = await open();
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 251));
    await objects.put('segments/one', bytes);
    expect((await objects.get('segments/one'))?.equals(bytes)).toBe(true);
    const range = await objects.get('segments/one', { at: 70_000, size: 1_234 });
    expect(range?.equals(bytes.subarray(70_000, 71_234))).toBe(true);
    expect(await objects.get('segments/one', { at: 99_999, size: 2 })).toBeUndefined();
    expect(await objects.get('segments/one', { at: 100_000, size: 2 })).toBeUndefined();
    expect(await objects.get('segments/two')).toBeUndefined();
  });

  test('list: returns the objects below a name only, with sizes and times; delete removes them', async () => {
    const [objects, others] = [await open(), await open()];
    const names = ['segments/a', 'segments/b', 'segments/c'];
    for (const name of names) await objects.put(name, Buffer.from(name));
    await objects.put('owner.json', Buffer.from('{}'));
    await others.put('segments/of-others', Buffer.from('x'));
    const found = await listed(objects);
    expect(found.objects.map(({ name, bytes }) => [name, bytes])).toEqual(names.map((name) => [name, 10]));
    for (const { modifiedAt } of found.objects) expect(Math.abs(found.now - modifiedAt)).toBeLessThan(60_000);
    await objects.delete([...names.slice(1), 'segments/no-such']);
    expect((await listed(objects)).objects.map(({ name }) => name)).toEqual(['segments/a']);
    expect((await listed(others)).objects).toHaveLength(1);
  });
}

async function listed(objects: ObjectStore): Promise<ListedObjects> {
  const parts: ListedObjects[] = [];
  for await (const part of objects.list('segments/')) parts.push(part);
  return { objects: parts.flatMap((part) => part.objects), now: parts[0]?.now ?? 0 };
}

describe('the client of S3', () => {
  test.each([
    ['http://10.1.2.3:9000', '', 'refused'],
    ['http://[2001:db8::1]/', '127.0.0.1', 'refused'],
    ['http://10.1.2.3:9000', '10.0.0.0/8', 'open'],
    ['http://127.0.0.1:9000', '', 'open'],
    ['http://[::1]:9000', '', 'open'],
    ['https://10.1.2.3', '', 'open'],
  ])('without TLS: %s with %j as HAYRAKE_ALLOW_PRIVATE is %s', async (endpoint, networks, outcome) => {
    const open = async (): Promise<string> => {
      const allowPrivate = parsePrivateNetworks(networks);
      await createS3Client({ ...usual, endpoint: new URL(endpoint), allowPrivate }).close();
      return 'open';
    };
    const said = await open().catch((error: unknown) => (error instanceof ObjectStoreError ? error.kind : error));
    expect(said).toBe(outcome);
  });

  test.each([
    [307, '', 'refused', 'Redirects are not followed'],
    [301, 'PermanentRedirect', 'refused', 'Redirects are not followed'],
    [403, 'RequestTimeTooSkewed', 'refused', 'The clock of this machine'],
    [400, 'AuthorizationHeaderMalformed', 'refused', 'not in the region `us-east-1`'],
    [403, 'AccessDenied', 'refused', 'refuses the credentials'],
    [400, 'RequestTimeout', 'away', 'cannot do it now'],
    [500, 'InternalError', 'away', 'cannot do it now'],
    [429, '', 'away', 'cannot do it now'],
  ])('status %i %s is %s: %s', async (status, code, kind, message) => {
    const seen: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(status, { location: `http://127.0.0.1:1/${request.url ?? ''}` });
      response.end(code === '' ? '' : `<?xml version="1.0"?><Error><Code>${code}</Code><Message>key</Message></Error>`);
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const endpoint = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const objects = createS3Client({ ...usual, endpoint });
    const error: unknown = await objects.put('a', Buffer.from('a')).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ObjectStoreError);
    expect(error).toMatchObject({ kind, message: expect.stringContaining(message) });
    expect(String(error)).not.toContain('the secret');
    expect(seen).toHaveLength(1);
    await objects.close();
    server.closeAllConnections();
    server.close();
  });

  test('gives up an object that is larger than what was asked for', async () => {
    const server = createServer((_, response) => response.end('x'.repeat(1_000)));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const endpoint = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const objects = createS3Client({ ...usual, endpoint });
    await expect(objects.get('a', { at: 0, size: 10 })).rejects.toThrow('more than was asked for');
    await objects.close();
    server.closeAllConnections();
    server.close();
  });
});
