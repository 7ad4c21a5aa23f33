/**
 * The faults that cannot happen to turnmill, or not on this machine, each with its reason: shown in README.md beside this
 * file. A fault that has a test is not named here.
 */
export const notApplicable: Readonly<Record<string, string>> = {
  F101: 'There is no option that makes a file name from a template; names of shards are F100.',
  F114: 'turnmill writes no HTML.',
  F120: 'turnmill writes no Markdown.',
  F188: 'turnmill does not redact.',
};
