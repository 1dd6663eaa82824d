// Where everything is stored.
import path from 'node:path';
import type { BlobsPlace, Settings } from '../config.ts';
import { isDecodable, notEmpty, serviceUrl, wholeNumber } from './parse.ts';

export const storageSettings = {
  data: {
    env: 'HAYRAKE_DATA',
    flag: 'data',
    placeholder: 'DIR',
    default: './.hayrake',
    description:
      'Directory for everything: jobs, pages, tokens. Created if missing. Not used with a PostgreSQL database.',
    parse: (text) => path.resolve(notEmpty(text)),
  },
  databaseUrl: {
    env: 'HAYRAKE_DATABASE_URL',
    placeholder: 'URL',
    default: '',
    secret: true,
    description:
      'PostgreSQL database for everything, instead of the directory: `postgres://user:password@host:5432/database`. Needed for more than one process (docs/postgresql.md).',
    parse: databaseUrl,
  },
  databaseDirectUrl: {
    env: 'HAYRAKE_DATABASE_DIRECT_URL',
    placeholder: 'URL',
    default: '',
    secret: true,
    description:
      'The same PostgreSQL database without a pooler in between. Needed if HAYRAKE_DATABASE_URL leads to a pooler in transaction mode (docs/postgresql.md).',
    parse: databaseUrl,
  },
  databaseConnections: {
    env: 'HAYRAKE_DATABASE_CONNECTIONS',
    flag: 'database-connections',
    placeholder: 'N',
    default: '10',
    description: 'Maximum number of connections of one process to a PostgreSQL database, besides two more, 2 to 500.',
    parse: (text) => wholeNumber(text, 2, 500),
  },
  blobs: {
    env: 'HAYRAKE_BLOBS',
    flag: 'blobs',
    placeholder: 'PLACE',
    default: '',
    description:
      'Where raw bodies (`store_raw`) and screenshots are kept instead of the database: `s3://bucket/prefix`, in S3 or a store with its API (docs/object-storage.md). One database for each prefix.',
    parse: blobsPlace,
  },
  blobsKeepDays: {
    env: 'HAYRAKE_BLOBS_KEEP_DAYS',
    flag: 'blobs-keep-days',
    placeholder: 'DAYS',
    default: '7',
    description:
      'How long an object is kept that no job names any more, 0 to 3650: a backup of the database is whole for as long.',
    parse: (text) => wholeNumber(text, 0, 3_650),
  },
  s3Endpoint: {
    env: 'HAYRAKE_S3_ENDPOINT',
    flag: 's3-endpoint',
    placeholder: 'URL',
    default: '',
    description:
      'Address of the object store, such as `https://minio.example:9000`, in any network. http:// only on this machine or in a network of HAYRAKE_ALLOW_PRIVATE. Default: S3 of Amazon in AWS_REGION.',
    parse: serviceUrl,
  },
  s3Region: {
    env: 'AWS_REGION',
    flag: 's3-region',
    placeholder: 'REGION',
    default: 'us-east-1',
    description: 'Region of the bucket.',
    parse: region,
  },
  s3AccessKeyId: {
    env: 'AWS_ACCESS_KEY_ID',
    placeholder: 'KEY',
    default: '',
    secret: true,
    description: 'Key of the object store, with the rights to read, write, delete and list objects below the prefix.',
    parse: notEmpty,
  },
  s3SecretAccessKey: {
    env: 'AWS_SECRET_ACCESS_KEY',
    placeholder: 'SECRET',
    default: '',
    secret: true,
    description: 'The secret of that key.',
    parse: notEmpty,
  },
  s3SessionToken: {
    env: 'AWS_SESSION_TOKEN',
    placeholder: 'TOKEN',
    default: '',
    secret: true,
    description: 'The session of that key, if it is a temporary one.',
    parse: notEmpty,
  },
} satisfies Partial<Settings>;

/** Never repeats the given text: it can contain a password. */
function databaseUrl(text: string): string {
  const url = URL.parse(text.trim());
  const isPostgres = url?.protocol === 'postgres:' || url?.protocol === 'postgresql:';
  if (!url || !isPostgres || !isDecodable(url.username) || !isDecodable(url.password))
    throw new Error(
      'write the URL of a PostgreSQL database, like postgres://user:password@db.example:5432/hayrake, with @ in a password written %40 and % written %25.',
    );
  return text.trim();
}

function blobsPlace(text: string): BlobsPlace {
  const [, bucket, prefix = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9._-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9._/-]{0,300}))?$/.exec(text.trim()) ?? [];
  const parts = prefix.split('/').filter((part) => part !== '');
  if (bucket === undefined || parts.some((part) => part === '.' || part === '..'))
    throw new Error('write s3://bucket/prefix, with letters, digits, dots, dashes and underscores.');
  return { bucket, prefix: parts.join('/') };
}

function region(text: string): string {
  if (!/^[A-Za-z0-9-]{1,64}$/.test(text)) throw new Error('write the name of a region, such as eu-central-1.');
  return text;
}
