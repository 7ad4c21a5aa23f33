/** Faults that nobody has proved or explained yet. The list only shrinks: a new id needs a test or a reason. */
export const open: readonly string[] = [
  'F006',
  'F007',
  'F009',
  'F011',
  'F012',
  'F021',
  'F027',
  'F028',
  'F030',
  'F031',
  'F032',
  'F033',
  'F038',
  'F138',
];
