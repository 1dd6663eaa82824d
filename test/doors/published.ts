// Published files of programs that are not installed as a whole. What they import and nobody calls is a placeholder.
import { existsSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import path from 'node:path';

export const publishedPackages = [
  {
    name: 'flowise-components',
    version: '3.1.4',
    integrity: 'sha512-6dF7FKxZNMODqRf/pjlkWz9R2zsHvFkxIJJEsjopAU7hplY3dFVKOimD8TFMRx244hMjj3lfLgQaU1O5ZF5Fxg==',
  },
  {
    name: '@librechat/agents',
    version: '3.2.21',
    integrity: 'sha512-1gQq1c8mdFEu/sKVUp9qIN9MAx36hZ9Rfhffs2wH1yQxTCSeW8ili3nJU7f8Qu2oe5CnpuJjI0YTdCXq5SwS0g==',
  },
] as const;

export const arePublishedHere = publishedPackages.every(({ name }) =>
  existsSync(path.join(publishedFolder(name), 'package.json')),
);

/** Below the installed packages, which it resolves its imports to. */
export function publishedFolder(name: string): string {
  return path.join(import.meta.dirname, 'node_modules/.published', name);
}

const placeholder = `const any = new Proxy(function () {}, {
  get: (target, name) => (name === '__esModule' ? true : name in target ? target[name] : any),
  apply: () => any,
  construct: () => ({}),
});
module.exports = any;`;

/** Loads a CommonJS file of one of them. A package that is not installed is a placeholder there; own files never are. */
export function loadPublished(name: string, file: string): unknown {
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      try {
        return next(specifier, context);
      } catch (error) {
        if (/^[./]/.test(specifier)) throw error;
        return { url: `placeholder:${specifier}`, format: 'commonjs', shortCircuit: true };
      }
    },
    load: (url, context, next) =>
      url.startsWith('placeholder:')
        ? { format: 'commonjs', source: placeholder, shortCircuit: true }
        : next(url, context),
  });
  try {
    return createRequire(import.meta.url)(path.join(publishedFolder(name), file));
  } finally {
    hooks.deregister();
  }
}
