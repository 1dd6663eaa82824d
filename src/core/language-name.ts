/**
 * One name for each code language. Highlighters have several for most, and a reader who filters by language needs one.
 */

/** The usual name, then its synonyms. Names of a dialect (`jsx`, `zsh`, `pycon`, `plpgsql`) stay. */
const aliases: readonly string[] = [
  'bash shell-bash',
  'bat batch dosbatch winbatch',
  'clojure clj',
  'console shell-session shellsession sh-session bash-session shellconsole',
  'cpp c++ cc cxx hpp h++',
  'csharp c# cs',
  'diff patch udiff',
  'dockerfile docker',
  'elisp emacs-lisp',
  'elixir ex exs',
  'erlang erl',
  'fsharp f# fs',
  'go golang',
  'graphql gql',
  'handlebars hbs',
  'haskell hs',
  'html htm html5',
  'ini dosini',
  'javascript js mjs cjs ecmascript',
  'julia jl',
  'kotlin kt kts',
  'latex tex',
  'makefile make mf',
  'markdown md mkd',
  'matlab octave',
  'nim nimrod',
  'objectivec objective-c objc obj-c',
  'ocaml caml',
  'perl pl',
  'postgresql pgsql postgres',
  'powershell ps1 posh pwsh',
  'protobuf proto',
  'pycon pycon3',
  'python py py2 py3 python2 python3 ipython ipython2 ipython3',
  'r rlang',
  'rst rest restructuredtext',
  'ruby rb',
  'rust rs',
  'scheme scm',
  'sh shell shell-script',
  'smalltalk st',
  'terraform tf',
  'text plaintext plain txt',
  'typescript ts',
  'vbnet vb.net',
  'vim viml vimscript',
  'xml xsd xsl',
  'yaml yml',
];

const names: ReadonlyMap<string, string> = new Map(
  aliases.flatMap((row) => {
    const [usual = '', ...others] = row.split(' ');
    return [usual, ...others].map((name) => [name, usual] as const);
  }),
);

/** Returns the usual name of a language, or an unknown name unchanged. */
export function languageName(name: string): string {
  return names.get(name.toLowerCase()) ?? name;
}
