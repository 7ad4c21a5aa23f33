/** Below the search field: the order of the list, and the filters, which are parts of the search. */
import { type Signal, signal } from '@preact/signals';
import type { VNode } from 'preact';
import { showNumber } from '../../charts/numbers.ts';
import { wordsFor } from '../../charts/words.ts';
import { go, sort, tab, words } from './address.ts';
import { useAnswer } from './answer.ts';
import { type Field, readQuery, SORTS, toggled } from './query.ts';
import type { Facet } from './types.ts';

const areOpen: Signal<boolean> = signal(false);
const TITLES: Readonly<Partial<Record<Field, string>>> = {
  finding: 'Findings',
  tool: 'Tools that are called',
  fate: 'Fates',
  dialect: 'Dialects',
  model: 'Models',
  split: 'Splits',
  format: 'Formats',
  reason: 'Reasons',
};
/** Fields whose names have words. */
const NAMED: readonly Field[] = ['finding', 'fate', 'reason'];

const toggle = (field: Field, name: string): void =>
  go({ query: { q: toggled(words.peek(), field, name), block: undefined } }, true);

export function Filters(): VNode {
  return (
    <>
      <div class="line">
        {tab.value === 'rejected' ? null : <Order />}
        <FilterButton />
      </div>
      {areOpen.value ? <Facets list={tab.value} /> : null}
    </>
  );
}

const FilterButton = (): VNode => (
  <>
    <Chosen />
    <button
      type="button"
      class="quiet"
      aria-expanded={areOpen.value}
      onClick={() => {
        areOpen.value = !areOpen.peek();
      }}
    >
      filter
    </button>
  </>
);

function Order(): VNode {
  return (
    <select
      aria-label="Order"
      value={sort.value ?? ''}
      onChange={(event) => go({ i: undefined, query: { sort: event.currentTarget.value, block: undefined } })}
    >
      <option value="">as written</option>
      {SORTS.map((name) => (
        <option value={name}>{name === 'size' ? 'largest first' : `most ${name}`}</option>
      ))}
    </select>
  );
}

function Chosen(): VNode {
  const { filters } = readQuery(words.value);
  const chosen = (Object.entries(filters) as readonly (readonly [Field, readonly string[]])[]).flatMap(
    ([field, names]) => names.map((name) => [field, name] as const),
  );
  return (
    <span class="chips">
      {chosen.map(([field, name]) => (
        <Chip field={field} name={name} isOn />
      ))}
    </span>
  );
}

function Facets({ list }: { readonly list: string }): VNode {
  const { value, error } = useAnswer<readonly Facet[]>(`facets?in=${list}`);
  const { filters } = readQuery(words.value);
  if (error !== undefined) return <p class="note">{error}</p>;
  return (
    <section class="facets" tabIndex={0} aria-label="Filters">
      {value === undefined ? <p class="note">…</p> : null}
      {value?.length === 0 ? <p class="note">This list has nothing to filter by.</p> : null}
      {value?.map(({ field, names }) => (
        <div>
          <h2>{TITLES[field] ?? field}</h2>
          <div class="chips">
            {names.map(({ name, count }) => (
              <Chip field={field} name={name} count={count} isOn={filters[field]?.includes(name) === true} />
            ))}
          </div>
        </div>
      ))}
    </section>
  );
}

function Chip(props: {
  readonly field: Field;
  readonly name: string;
  readonly count?: number | undefined;
  readonly isOn: boolean;
}): VNode {
  const { field, name, count, isOn } = props;
  return (
    <button
      type="button"
      class="chip"
      aria-pressed={isOn}
      title={`${field}:${name}`}
      onClick={() => toggle(field, name)}
    >
      <bdi>{NAMED.includes(field) ? wordsFor(name) : name}</bdi>
      {count === undefined ? null : <span class="dim">{showNumber(count)}</span>}
      {isOn ? <span aria-hidden="true">×</span> : null}
    </button>
  );
}
