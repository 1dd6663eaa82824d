// The arrows of docs/architecture.md. scripts/check.ts also makes sure that modules were seen at all.
const tests = '\\.test\\.ts$';
const pure = '^src/(core|cron|options|page|search|shape|url|extract|documents|robots)/';

/** What may be built into the program: docs/decisions/libraries.md. The package lists them among what development needs. */
const libraries = [
  '@fastify/swagger',
  '@modelcontextprotocol/server',
  'aws4fetch',
  'commander',
  'croner',
  'diff',
  'css-select',
  'domhandler',
  'domutils',
  'entities',
  'fastify',
  'fastify-type-provider-zod',
  'fflate',
  'htmlparser2',
  'hyparquet-writer',
  'ipaddr\\.js',
  'jschardet',
  'pg',
  'pg-protocol',
  'pino',
  'postal-mime',
  're2js',
  'tough-cookie',
  'undici',
  'unpdf',
  'ws',
  'zod',
];

/** Only these folders of src may be imported from `module` (tests may import more). */
const only = (module, allowed) => ({
  name: `${module}-imports-only-${allowed.join('-') || 'itself'}`,
  severity: 'error',
  from: { path: `^src/${module}/`, pathNot: tests },
  to: { path: '^src/', pathNot: `^src/(${[module, ...allowed].join('|')})(/|\\.ts$)` },
});

/** The rooms of a module, the lowest first: each imports only those before it, and the files beside them. */
const rooms = (module, names) =>
  names.slice(0, -1).map((name, index) => ({
    name: `${module}-${name}-imports-only-rooms-before-it`,
    severity: 'error',
    from: { path: `^src/${module}/${name}/`, pathNot: tests },
    to: { path: `^src/${module}/(${names.slice(index + 1).join('|')})/` },
  }));

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    // No I/O: hashing, unpacking bytes in memory, messages inside this process, promises of callbacks, and the hooks that bound pdf.js while it is
    // loaded. program-files.ts reads files of the program itself; make-directory.ts is for all that write files.
    {
      name: 'pure-modules-do-no-io',
      severity: 'error',
      from: {
        path: pure,
        pathNot: [tests, '^src/core/process/(make-directory|program-files)[.]ts$'],
      },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(buffer|crypto|diagnostics_channel|module|util|zlib)$' },
    },
    // Of the options core has the type of what is stored of them, and nothing that runs.
    only('core', ['options/job-spec']),
    {
      name: 'core-imports-only-types-of-options',
      severity: 'error',
      from: { path: '^src/core/', pathNot: tests },
      to: { path: '^src/options/', dependencyTypesNot: ['type-only'] },
    },
    only('cron', []),
    only('config', ['core']),
    only('options', ['core', 'url/glob', 'url/pattern']),
    only('page', ['core', 'shape']),
    only('search', ['core']),
    only('shape', []),
    only('url', ['core']),
    only('extract', ['core', 'url']),
    only('documents', ['core', 'shape']),
    only('robots', ['core']),
    only('crawl', ['core', 'page', 'shape', 'url', 'extract', 'documents', 'robots']),
    only('jobs', ['core', 'cron', 'diff', 'page', 'search', 'url', 'options']),
    only('fetch', ['core']),
    // It is given what requests its resources, so it cannot reach the web.
    only('render', ['core']),
    only('storage', ['core', 'cron', 'page', 'search', 'options']),
    only('doctor', ['core']),
    only('notify', ['core']),
    only('observe', ['core']),
    only('export', ['core', 'page']),
    only('diff', ['core', 'page', 'search']),
    only('mcp', ['jobs', 'core', 'page']),
    only('api', ['jobs', 'core', 'diff', 'page', 'shape', 'options', 'export', 'mcp']),
    // On top of our own verbs; what requests and answers need besides is the API's.
    only('firecrawl', ['api', 'jobs', 'core', 'page', 'url']),
    // Commands ask the client of the API; of the settings they know the names.
    only('cli', ['jobs', 'core', 'diff', 'page', 'options', 'config', 'export', 'mcp']),
    ...rooms('core', ['bytes', 'ports', 'process']),
    ...rooms('extract', [
      'phrases',
      'html',
      'scan',
      'media',
      'text',
      'measure',
      'rules',
      'forum',
      'content',
      'declared',
      'metadata',
      'write',
      'scripts',
      'fields',
      'learn',
    ]),
    ...rooms('documents', ['parts', 'pdf', 'text', 'office']),
    ...rooms('crawl', ['job', 'convert', 'pace', 'memory', 'path']),
    ...rooms('fetch', ['answer', 'http2', 'guard', 's3', 'http']),
    ...rooms('storage', ['rules', 'shared', 'sqlite|postgres|move|objects']),
    ...rooms('storage/rules', ['jobs', 'frontier', 'schedules', 'outbox', 'pages', 'search', 'service']),
    ...rooms('storage/sqlite', ['file', 'jobs', 'frontier', 'outbox', 'thread', 'search', 'maintain']),
    ...rooms('storage/postgres', ['connection', 'change', 'jobs', 'outbox', 'frontier', 'search', 'maintain']),
    ...rooms('api', ['answer', 'guard', 'routes']),
    // Packages speak HTTP only.
    {
      name: 'packages-import-nothing-of-the-service',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^(src|scripts|test|demo|prove)/' },
    },
    {
      name: 'packages-do-no-io-of-node',
      severity: 'error',
      from: { path: '^packages/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'packages-import-only-libraries-that-were-chosen',
      severity: 'error',
      from: { path: '^packages/' },
      to: {
        path: 'node_modules/',
        pathNot: 'node_modules/(preact|@preact/signals(-core)?|uplot|micromark(-extension-gfm)?)/',
      },
    },
    {
      name: 'the-service-imports-no-package',
      severity: 'error',
      // Commands can talk to a service that runs elsewhere.
      from: { path: '^src/', pathNot: '^src/cli/' },
      to: { path: '^packages/' },
    },
    {
      name: 'commands-import-only-the-client',
      severity: 'error',
      from: { path: '^src/cli/' },
      to: { path: '^packages/', pathNot: '^packages/client/' },
    },
    {
      name: 'one-reader-of-main',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/main\\.ts$' },
      to: { path: '^src/main\\.ts$' },
    },
    {
      name: 'drivers-only-in-storage',
      severity: 'error',
      // An export can be a database of its own.
      from: { path: '^src/', pathNot: '^src/storage/|^src/export/sqlite[.]ts$' },
      to: { path: '^(node:)?sqlite$|node_modules/pg/' },
    },
    {
      name: 'web-framework-only-in-api',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(api|firecrawl)/' },
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
