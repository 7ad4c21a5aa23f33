/**
 * Preloaded in every thread: makes a stage of the chain throw, without any trace in the program. The modules are changed while they are
 * loaded: `createChain` returns its stages with one of them wrapped. It does not change code that comes from the cache of compiled
 * code, so set NODE_DISABLE_COMPILE_CACHE.
 *
 *     THROWING_STAGE=NAME:N    the stage throws at its N-th element in the thread, once
 */
import Module from 'node:module';

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

const compile = Module.prototype._compile;
Module.prototype._compile = function (text, ...more) {
  const changed = text.replace(
    /\bfunction createChain\(/,
    () =>
      `function createChain(...args) { ${faulty} return faulty(realChain(...args)); }\nfunction realChain(`,
  );
  return compile.call(this, changed, ...more);
};
