/** What deserves a dot on the curve; the rest is in the feed. */
export const MARKED_EVENTS: ReadonlySet<string> = new Set([
  'launch',
  'interruption',
  'remove',
  'remove-empty',
  'replace',
  'you',
]);
