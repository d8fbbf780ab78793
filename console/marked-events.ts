/** Events with a dot on the curve; the others are in the feed only. */
export const MARKED_EVENTS: ReadonlySet<string> = new Set([
  'launch',
  'interruption',
  'remove',
  'remove-empty',
  'replace',
  'you',
]);
