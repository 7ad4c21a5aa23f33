/**
 * Faults that cannot happen to turnmill, or not on this machine, each with its reason; docs/contributing/faults.md shows them. A fault with a test is
 * not listed here.
 */
export const notApplicable: Readonly<Record<string, string>> = {
  F101: 'No option builds a file name from a template; for names of shards see F100.',
  F114: 'turnmill writes no HTML.',
  F120: 'turnmill writes no Markdown.',
  F142: 'A limit on the address space does not limit memory: Node reserves about 1 GB of it at start. The heap limit bounds memory, which is measured as resident (F140, F141).',
  F146: 'A day-long run is impractical as a test. A run keeps nothing after it ends; F140 and F145 show that memory and descriptors do not grow within one.',
  F038: 'The size of the output cannot be estimated within two orders of magnitude (docs/contributing/decisions/0015-what-ends-a-run.md); for a full disk see F020.',
};
