/**
 * Imports a module by its URL. It is in a separate chunk (`scripts/bundle.mjs`), because Node 20 refuses dynamic imports in
 * code that comes from the cache of compiled code.
 */
export const importModule = (url: string): Promise<unknown> => import(url);
