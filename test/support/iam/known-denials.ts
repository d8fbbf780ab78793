/**
 * Denials that are being repaired: process and action. The list only shrinks: a denial that no longer
 * occurs must be removed.
 */
export const KNOWN_DENIALS: ReadonlySet<string> = new Set([
  // Images in parameters of the account.
  'node-class ssm:GetParameter',
  'controller ssm:GetParameter',
]);
