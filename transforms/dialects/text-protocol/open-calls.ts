/**
 * Ids for calls in logs that have none: `0-read` is the first call of a conversation, and the next result answers it.
 */

export interface OpenCalls {
  /** Opens the calls of the next assistant message and returns their ids. Calls still open stay unanswered. */
  call(names: readonly string[]): readonly string[];
  /** The id of the call that a result answers; its logged id if no call is open. */
  answer(logged: string | undefined): string | undefined;
}

export function createOpenCalls(): OpenCalls {
  let calls = 0; // number of calls so far
  let open: { readonly id: string; readonly name: string }[] = [];
  return {
    call(names) {
      open = names.map((name) => ({ id: `${calls++}-${name}`, name }));
      return open.map(({ id }) => id);
    },
    answer(logged) {
      const exact = open.findIndex(({ id }) => id === logged);
      const named = open.findIndex(({ name }) => logged?.endsWith(`-${name}`) === true);
      const at = exact >= 0 ? exact : Math.max(named, 0);
      const [answered] = open.splice(at, 1);
      return answered?.id ?? logged;
    },
  };
}
