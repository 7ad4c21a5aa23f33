/**
 * Imports a module by its URL. It is in a chunk of its own (`scripts/bundle.mjs`): Node 20 refuses `import()` in code that
 * comes from the cache of compiled code.
 */
export const importModule = (url: string): Promise<unknown> => import(url);
