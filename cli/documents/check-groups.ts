/** The groups of checks, in the order in which they are shown. Without zod, which help does not load. */
export const CHECK_GROUPS = [
  'cluster',
  'account',
  'network',
  'stack',
  'queue',
  'hook',
  'nodes',
  'pools',
  'foreign',
] as const;
