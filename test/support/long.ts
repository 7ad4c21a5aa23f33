/** Whether tests that repeat something with other values try all of them (`npm run test:long`), or the part that `npm test` has time for. */
export const LONG: boolean = process.env.TURNMILL_LONG === '1';
