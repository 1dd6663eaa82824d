import { permissions } from './permissions.ts';
import type { Columns, Stored } from './resource.ts';

/** In the order of the API. */
export const tokenColumns = {
  // Short and public, for listing and revoking.
  id: { sql: 'TEXT PRIMARY KEY', type: (z) => z.string(), shown: { example: 't_1f2e3d4c5b6a' } },
  org: { sql: 'TEXT NOT NULL', type: (z) => z.string(), shown: { example: 'default' } },
  name: {
    sql: 'TEXT NOT NULL',
    type: (z) => z.string(),
    shown: { about: 'Empty if it has none.', example: 'search pipeline' },
  },
  permissions: {
    sql: 'JSON NOT NULL',
    type: (z) => z.array(z.enum(permissions)).readonly(),
    shown: { example: ['read'] },
  },
  createdAt: { sql: 'INTEGER NOT NULL', type: (z) => z.int(), shown: { example: 1_769_860_799_000 } },
  expiresAt: {
    sql: 'INTEGER',
    type: (z) => z.int().nullable(),
    shown: { about: 'When it becomes invalid; `null` if it does not expire.', example: 1_772_452_799_000 },
  },
  revokedAt: { sql: 'INTEGER', type: (z) => z.int().nullable(), shown: { example: null } },
  hash: { sql: 'TEXT NOT NULL UNIQUE', isSecret: true },
} as const satisfies Columns;

export type Token = Readonly<Stored<typeof tokenColumns>>;
