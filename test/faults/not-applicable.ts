/**
 * The faults that cannot happen to turnmill, or not on this machine, each with its reason: docs/faults.md shows them.
 * A fault that has a test is not named here.
 */
export const notApplicable: Readonly<Record<string, string>> = {
  F101: 'There is no option that makes a file name from a template; names of shards are F100.',
  F114: 'turnmill writes no HTML.',
  F120: 'turnmill writes no Markdown.',
  F142: 'A limit of the address space is not one of memory: Node reserves about 1 GB of it before it starts. Memory is bounded by the heap and measured as resident (F140, F141).',
  F146: 'A day of running is no test of a checkout. A run keeps nothing when it ends; within one, F140 and F145 show that memory and descriptors do not grow.',
  F188: 'turnmill does not redact.',
  F038: 'The size of the output cannot be estimated within two orders of magnitude (docs/decisions/0015-what-ends-a-run.md); a full disk is F020.',
};
