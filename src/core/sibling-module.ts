/**
 * The URL of a module beside the calling one, in the form in which it runs: TypeScript unbuilt, JavaScript built. Built, all
 * files are in one folder, and a module has its name there when `scripts/build.ts` names it.
 */
export function siblingModule(name: string, caller: string): URL {
  return new URL(caller.endsWith('.ts') ? `${name}.ts` : `${name}.js`, caller);
}
