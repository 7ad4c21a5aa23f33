/** Compiles and starts WebAssembly modules, which TypeScript declares only for browsers. */

declare const WebAssembly: {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: object };
};

/** @param base64 code of the module @throws if WebAssembly or its SIMD is not available */
export const compiledModule = (base64: string): object =>
  new WebAssembly.Module(Buffer.from(base64, 'base64'));

/** Returns the exports of a new instance. @throws if there is no room for its memory */
export const exportsOf = <Exports>(module: object, imports: object = {}): Exports =>
  new WebAssembly.Instance(module, imports).exports as Exports;
