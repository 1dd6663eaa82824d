// Real servers with the API of S3, on loopback: OpenStack Swift, and the RADOS gateway of Ceph.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import path from 'node:path';
import { AwsClient } from 'aws4fetch';

export interface S3Server {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Makes a bucket with a new name. */
  createBucket(): Promise<string>;
  stop(): Promise<void>;
}

const programs = {
  swift: { needs: ['/usr/bin/memcached', '/usr/lib/python3/dist-packages/swift'], script: 'swift-s3.sh' },
  rgw: { needs: ['/usr/bin/radosgw', '/usr/bin/ceph-mon', '/usr/bin/ceph-osd'], script: 'rgw-s3.sh' },
} as const;

export type S3Program = keyof typeof programs;
export const s3Programs = Object.keys(programs) as readonly S3Program[];

/** Why it cannot be started here, to skip tests with. */
export function s3Missing(program: S3Program): string | undefined {
  const missing = programs[program].needs.find((file) => !existsSync(file));
  return missing === undefined ? undefined : `${program} is not installed: there is no ${missing}`;
}

/** One that runs here. CI has one of them at least, so that it never skips all that needs one. */
export function anyS3(): S3Program | undefined {
  const found = s3Programs.find((program) => s3Missing(program) === undefined);
  if (found === undefined && (process.env['CI'] ?? '') !== '') throw new Error(s3Programs.map(s3Missing).join('; '));
  return found;
}

export async function startS3(program: S3Program): Promise<S3Server> {
  const script = path.join(import.meta.dirname, programs[program].script);
  const child = spawn('/bin/sh', [script], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
    env: { ...process.env, S3_PARENT: String(process.pid) },
  });
  const said = new Map<string, string>();
  for await (const line of createInterface({ input: child.stdout })) {
    const [name = '', value = ''] = line.split(/=(.*)/s);
    said.set(name, value);
    if (name === 'S3_READY') break;
  }
  const endpoint = said.get('S3_ENDPOINT');
  const [accessKeyId = '', secretAccessKey = ''] = [said.get('S3_ACCESS_KEY_ID'), said.get('S3_SECRET_ACCESS_KEY')];
  if (endpoint === undefined) throw new Error(`${program} did not start`);
  const client = new AwsClient({ accessKeyId, secretAccessKey, service: 's3', region: 'us-east-1', retries: 3 });
  let buckets = 0;
  return {
    endpoint,
    accessKeyId,
    secretAccessKey,
    createBucket: async () => {
      const name = `bucket-${process.pid}-${++buckets}`;
      const { status } = await client.fetch(`${endpoint}/${name}`, { method: 'PUT' });
      if (status !== 200) throw new Error(`no bucket: ${status}`);
      return name;
    },
    stop: () => ended(child),
  };
}

async function ended(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => void child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
}
