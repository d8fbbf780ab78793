/**
 * Denials that are being repaired: process and action. The list only shrinks: a denial that no longer
 * occurs must be removed.
 */
export const KNOWN_DENIALS: ReadonlySet<string> = new Set([
  // Images in parameters of the account.
  'node-class ssm:GetParameter',
  'controller ssm:GetParameter',
  // Rows of a newer release in a shared table.
  'disruption dynamodb:DeleteItem',
  'interruption dynamodb:DeleteItem',
  'node-lifecycle dynamodb:DeleteItem',
  'provisioning dynamodb:DeleteItem',
  'sweep dynamodb:DeleteItem',
]);
