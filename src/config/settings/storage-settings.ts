// Where everything is stored.
import path from 'node:path';
import { isDecodable, notEmpty, number, serviceUrl, type SettingRows } from './parse.ts';

export const storageSettings = {
  data: {
    placeholder: 'DIR',
    default: './.hayrake',
    description:
      'Directory for everything: jobs, pages, tokens. Created if missing. Not used with a PostgreSQL database.',
    parse: (text) => path.resolve(notEmpty(text)),
  },
  databaseUrl: {
    placeholder: 'URL',
    default: '',
    secret: true,
    description:
      'PostgreSQL database for everything, instead of the directory: `postgres://user:password@host:5432/database`. Needed for more than one process (docs/postgresql.md).',
    parse: databaseUrl,
  },
  databaseDirectUrl: {
    placeholder: 'URL',
    default: '',
    secret: true,
    description:
      'The same PostgreSQL database without a pooler in between. Needed if HAYRAKE_DATABASE_URL leads to a pooler in transaction mode (docs/postgresql.md).',
    parse: databaseUrl,
  },
  databaseConnections: {
    ...number(2, 500),
    default: '10',
    description: 'Maximum number of connections of one process to a PostgreSQL database, besides two more, 2 to 500.',
  },
  blobs: {
    placeholder: 'PLACE',
    default: '',
    description:
      'Where raw bodies (`store_raw`) and screenshots are kept instead of the database: `s3://bucket/prefix`, in S3 or a store with its API (docs/object-storage.md). One database for each prefix.',
    parse: blobsPlace,
  },
  blobsKeepDays: {
    ...number(0, 3_650, 'DAYS'),
    default: '7',
    description:
      'How long an object is kept that no job names any more, 0 to 3650: a backup of the database is whole for as long.',
  },
  s3Endpoint: {
    placeholder: 'URL',
    default: '',
    description:
      'Address of the object store, such as `https://minio.example:9000`, in any network. http:// only on this machine or in a network of HAYRAKE_ALLOW_PRIVATE. Default: S3 of Amazon in AWS_REGION.',
    parse: serviceUrl,
  },
  s3Region: {
    env: 'AWS_REGION',
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
    parse: ownKey,
  },
  s3SecretAccessKey: {
    env: 'AWS_SECRET_ACCESS_KEY',
    placeholder: 'SECRET',
    default: '',
    secret: true,
    description: 'The secret of that key.',
    parse: ownKey,
  },
  s3SessionToken: {
    env: 'AWS_SESSION_TOKEN',
    placeholder: 'TOKEN',
    default: '',
    secret: true,
    description: 'The session of that key, if it is a temporary one.',
    parse: ownKey,
  },
} satisfies SettingRows;

/** Never repeats the given text: it can contain a password. */
function databaseUrl(text: string): string | undefined {
  const url = URL.parse(text.trim());
  const isPostgres = url?.protocol === 'postgres:' || url?.protocol === 'postgresql:';
  if (!url || !isPostgres || !isDecodable(url.username) || !isDecodable(url.password))
    throw new Error(
      'write the URL of a PostgreSQL database, like postgres://user:password@db.example:5432/hayrake, with @ in a password written %40 and % written %25.',
    );
  return text.trim();
}

/** Where raw bodies and screenshots are, outside the database. The prefix has no slashes at its ends, and can be empty. */
function blobsPlace(text: string): { readonly bucket: string; readonly prefix: string } | undefined {
  const [, bucket, prefix = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9._-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9._/-]{0,300}))?$/.exec(text.trim()) ?? [];
  const parts = prefix.split('/').filter((part) => part !== '');
  if (bucket === undefined || parts.some((part) => part === '.' || part === '..'))
    throw new Error('write s3://bucket/prefix, with letters, digits, dots, dashes and underscores.');
  return { bucket, prefix: parts.join('/') };
}

function ownKey(text: string): string | undefined {
  return notEmpty(text);
}

function region(text: string): string {
  if (!/^[A-Za-z0-9-]{1,64}$/.test(text)) throw new Error('write the name of a region, such as eu-central-1.');
  return text;
}
