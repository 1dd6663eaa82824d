// The arrows of docs/architecture.md. scripts/check.ts also makes sure that modules were seen at all.
const tests = '\\.test\\.ts$';
const pure = '^src/(core|options|url|extract|documents|robots)/';

/** What may be built into the program: docs/decisions/0004-libraries.md. The package lists them among what development needs. */
const libraries = [
  '@fastify/swagger',
  'commander',
  'css-select',
  'domhandler',
  'domutils',
  'entities',
  'fastify',
  'fastify-type-provider-zod',
  'fflate',
  'htmlparser2',
  'ipaddr\\.js',
  'pg',
  'pino',
  'undici',
  'unpdf',
  'zod',
];

/** Only these folders of src may be imported from `module` (tests may import more). */
const only = (module, allowed) => ({
  name: `${module}-imports-only-${allowed.join('-') || 'itself'}`,
  severity: 'error',
  from: { path: `^src/${module}/`, pathNot: tests },
  to: { path: '^src/', pathNot: `^src/(${[module, ...allowed].join('|')})(/|\\.ts$)` },
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    // Neither hashing nor telling whoever listens in this process is I/O.
    {
      name: 'pure-modules-do-no-io',
      severity: 'error',
      from: { path: pure, pathNot: tests },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|diagnostics_channel)$' },
    },
    // Of the options core has the type of what is stored of them, and nothing that runs.
    only('core', ['options/job-spec']),
    {
      name: 'core-imports-only-types-of-options',
      severity: 'error',
      from: { path: '^src/core/', pathNot: tests },
      to: { path: '^src/options/', dependencyTypesNot: ['type-only'] },
    },
    only('options', ['core', 'url/glob']),
    only('url', ['core']),
    only('extract', ['core', 'url']),
    only('documents', ['core']),
    only('robots', ['core']),
    only('crawl', ['core', 'url', 'extract', 'documents', 'robots']),
    only('jobs', ['core', 'url', 'options']),
    only('fetch', ['core']),
    only('storage', ['core', 'options']),
    only('notify', ['core']),
    only('observe', ['core']),
    only('api', ['jobs', 'core', 'options']),
    // Commands are given the parts of the program; of the settings they know the names.
    only('cli', ['jobs', 'core', 'options', 'config', 'read-config']),
    {
      name: 'one-reader-of-main',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/main\\.ts$' },
      to: { path: '^src/main\\.ts$' },
    },
    {
      name: 'drivers-only-in-storage',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/storage/' },
      to: { path: '^(node:)?sqlite$|node_modules/pg/' },
    },
    {
      name: 'web-framework-only-in-api',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/api/' },
      to: { path: 'node_modules/(fastify|@fastify)' },
    },
    {
      name: 'http-client-only-in-fetch',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/fetch/' },
      to: { path: 'node_modules/undici' },
    },
    {
      name: 'only-libraries-that-were-chosen',
      severity: 'error',
      from: { path: '^src/', pathNot: tests },
      to: { path: 'node_modules/', pathNot: `node_modules/(@types|${libraries.join('|')})/` },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
