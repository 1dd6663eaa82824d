/**
 * Finds the language of a code block. Highlighters state it on the code, on the block or on a wrapper, each in its own
 * way.
 */
import type { Element } from 'domhandler';
import { isTag } from 'domhandler';
import { languageName } from '../../../core/language-name.ts';

/** Returns its common name if known, otherwise the name in the page; '' if there is none. */
export function codeLanguage(pre: Element): string {
  return languageName(statedLanguage(pre));
}

function statedLanguage(pre: Element): string {
  const child = pre.children.find((node) => isTag(node) && node.name === 'code');
  const inner = child !== undefined && isTag(child) ? languageOf(child, true) : '';
  if (inner !== '') return inner;
  let element: Element | null = pre;
  for (let levels = 0; levels <= wrapperLevelsMax && element !== null; levels++) {
    const language = languageOf(element, levels === 0);
    if (language !== '') return language;
    const { parent }: Element = element;
    // A wrapper holds the block and little else, so the search stops at other elements.
    element = parent !== null && isTag(parent) && wrappers.has(parent.name) ? parent : null;
  }
  return '';
}

const wrapperLevelsMax = 6;
const names = (list: string): ReadonlySet<string> => new Set(list.split(' '));
const wrappers = names('div figure span td tr tbody table code-block pre');
const prefixed =
  /(?:^|\s)(?:(?:language|lang|highlight-source|highlight-text|highlight|src|code)-|brush:\s*|(?:language|lang)\s)([^\s"'`{}<>]+)/g;
const notLanguages = names(
  'none auto default notranslate source code block wrapper html-basic nohighlight toolbar snippet area',
);
/** A plain class of a wrapper counts as a language only if the wrapper is marked as code. */
const highlighter =
  /(?:^|\s)(?:hljs|highlight|sourceCode|code|src|codehilite|syntaxhighlighter|prettyprint|shiki|chroma|prism)(?:\s|$)/;
/** A class that is just a name counts as a language only if it is listed here. */
const languages = names(
  'ada apache apex applescript arduino asm awk bash basic bat batch bib bibtex c clojure cmake cobol coffeescript console cpp ' +
    'c++ cs csharp c# css csv cuda cython d dart delphi diff django docker dockerfile dot elisp elixir elm emacs-lisp erb ' +
    'erlang f# fish fortran fsharp gherkin glsl go golang gradle graphql groovy haml handlebars haskell hcl hlsl html http ' +
    'ini java javascript jinja jinja2 js json json5 jsonc jsonnet jsx julia kotlin latex less lisp llvm lua make makefile ' +
    'markdown matlab md mermaid mysql nasm nginx nim nix node objc objective-c objectivec ocaml octave pascal patch perl pgsql ' +
    'php plaintext plsql plpgsql postgresql powershell prolog properties proto protobuf ps1 pug puppet py pycon pytb python ' +
    'python3 r rb rego rs rst ruby rust sass scala scheme scss sh shell shell-session smalltalk solidity sparql sql svelte ' +
    'swift tcl terraform tex toml ts tsx twig typescript typoscript v vb vba vbnet verilog vhdl vim vue wasm wat xml xquery ' +
    'xslt yaml yml zig zsh',
);

function languageOf({ attribs }: Element, isCode: boolean): string {
  const stated =
    attribs['data-lang'] ??
    attribs['data-language'] ??
    attribs['data-enlighter-language'] ??
    attribs['data-code-language'] ??
    attribs['lang-code'];
  if (stated !== undefined && /^[\w+#.-]{1,30}$/.test(stated)) return stated;
  // Confluence says it beside the class.
  const classes = `${attribs['class'] ?? ''} ${attribs['data-syntaxhighlighter-params'] ?? ''}`;
  for (const [, name = ''] of classes.matchAll(prefixed)) {
    const found = name.replace(/(.);.*$/, '$1').replace(/-notranslate$/, '');
    if (found.length <= 30 && !notLanguages.has(found)) return found;
  }
  if (isCode || highlighter.test(classes)) {
    for (const name of classes.split(/\s+/)) if (languages.has(name.toLowerCase())) return name;
  }
  const { lang } = attribs;
  return isCode && lang !== undefined && languages.has(lang.toLowerCase()) && !humanLanguages.has(lang) ? lang : '';
}

/** Language names that are also codes of human languages in `lang`. */
const humanLanguages = names('cs ts rs ps md js vb go tcl py d c r');
