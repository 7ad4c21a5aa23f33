/**
 * Preloaded in every thread: makes a stage of the chain throw, without any trace in the program. The modules are changed while they are
 * loaded: `createChain` returns its stages with one of them wrapped.
 *
 *     THROWING_STAGE=NAME:N    the stage throws at its N-th element in the thread, once
 */
import { register } from 'node:module';

/** Runs in the program in place of `createChain`. */
function faulty(links) {
  const [name, at] = process.env.THROWING_STAGE.split(':');
  const wrapped = (handler) => (element) => {
    globalThis.seenByStage = (globalThis.seenByStage ?? 0) + 1; // chains are created again after the fault
    if (globalThis.seenByStage === Number(at)) throw new Error(`a bug from outside in ${name}`);
    return handler(element);
  };
  return links.map((link) => {
    if (link.name !== name) return link;
    const handlers = Object.entries(link.handlers).map(([kind, handler]) => [kind, wrapped(handler)]);
    return { name, handlers: Object.fromEntries(handlers) };
  });
}

const HOOK = `
const FAULTY = ${JSON.stringify(faulty.toString())};
export async function load(url, context, next) {
  const loaded = await next(url, context);
  const text = String(loaded.source ?? '');
  if (!url.startsWith('file:') || !/\\bfunction createChain\\(/.test(text) || text.includes('realChain')) return loaded;
  const source = text.replace(/\\bfunction createChain\\(/, () =>
    \`function createChain(...args) { \${FAULTY} return faulty(realChain(...args)); }\\nfunction realChain(\`);
  return { ...loaded, source };
}`;

register(`data:text/javascript,${encodeURIComponent(HOOK)}`);
