/** Thrown when the code lacks something that a page shows. The message says what to add, and where. */
export class Missing extends Error {}
