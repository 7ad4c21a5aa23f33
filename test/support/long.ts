/** Whether tests with many variations try all of them (`npm run test:long`) or only the part that fits into `npm test`. */
export const LONG: boolean = process.env.TURNMILL_LONG === '1';
