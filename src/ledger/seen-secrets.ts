/** Counts values in finished records that look like secrets, as `check` and `verify` report them. */
import { redactBytes } from '../../transforms/redaction/redact-bytes.ts';
import { RULES } from '../../transforms/redaction/rules.ts';
import { SecretScan } from '../../transforms/redaction/scan.ts';
import { plural, showCount } from '../sizes.ts';

export class SeenSecrets {
  readonly #scan = new SecretScan(RULES);
  readonly #counts = new Map<string, number>();

  /** Counts the values in the text of a record. */
  see(text: string): void {
    const { counts } = redactBytes(Buffer.from(text), this.#scan, RULES, () => '');
    for (const [rule, n] of counts) this.#counts.set(rule, (this.#counts.get(rule) ?? 0) + n);
  }

  /** Values by rule. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Undefined if there are none. */
  get line(): string | undefined {
    const values = [...this.#counts.values()].reduce((sum, n) => sum + n, 0);
    return values === 0 ? undefined : secretsLine(values, this.#counts.size);
  }
}

/** Returns `12 values look like secrets (3 kinds): --redact replaces them`. */
export function secretsLine(values: number, kinds: number): string {
  const look = values === 1 ? '1 value looks like a secret' : `${showCount(values)} values look like secrets`;
  return `${look} (${plural(kinds, 'kind')}): --redact replaces them`;
}
