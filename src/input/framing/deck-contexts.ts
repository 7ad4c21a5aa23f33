/**
 * Reads the contexts of a TOML deck: `[contexts.NAME]` tables, each with a question (`assistantQuestion`, or `question`
 * in older decks) and optionally the answer to it (`default`).
 */
import { MAX_ELEMENTS } from '../../../transforms/json/elements.ts';
import { isTable, jsonOfToml, parseToml } from './toml-document.ts';

export interface DeckContext {
  readonly question: string;
  readonly default: string | undefined;
}

export interface DeckContexts {
  readonly contexts: ReadonlyMap<string, DeckContext>;
  readonly hasSamples: boolean;
  /** Names of tables without a question. */
  readonly faulty: readonly string[];
}

/** Returns the contexts; undefined if the bytes are not TOML. */
export function deckContexts(bytes: Buffer): DeckContexts | undefined {
  const parsed = parseToml(bytes, MAX_ELEMENTS);
  if ('reason' in parsed) return undefined;
  const { contexts: tables, samples } = parsed.document;
  const contexts = new Map<string, DeckContext>();
  const faulty: string[] = [];
  for (const [name, table] of Object.entries(isTable(tables) ? tables : {})) {
    const {
      question: older,
      assistantQuestion: question = older,
      default: value,
    } = isTable(table) ? table : {};
    if (typeof question !== 'string' || question === '') faulty.push(name);
    else contexts.set(name, { question, default: value === undefined ? undefined : textOf(value) });
  }
  return { contexts, hasSamples: samples !== undefined, faulty };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : jsonOfToml(value));
