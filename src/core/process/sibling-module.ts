/**
 * The URL of a module next to the calling one, in the form in which it runs: TypeScript unbuilt, JavaScript built. A
 * build puts all files into one folder, and a module keeps its name there if `scripts/build.ts` names it.
 */
export function siblingModule(name: string, caller: string): URL {
  return new URL(caller.endsWith('.ts') ? `${name}.ts` : `${name}.js`, caller);
}
