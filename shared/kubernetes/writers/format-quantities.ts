import { CPU, EPHEMERAL_STORAGE, GIB, MEMORY, MIB, type Resources } from '../../model/resources.ts';

const BYTE_UNITS: readonly (readonly [string, number])[] = [
  ['Gi', GIB],
  ['Mi', MIB],
  ['Ki', 1024],
];

/**
 * Formats resources exactly, in the largest unit that gives a whole number: `2`, `1930m`, `8Gi`.
 */
export const formatQuantities = (resources: Resources): Record<string, string> =>
  Object.fromEntries(Object.entries(resources).map(([name, amount]) => [name, formatQuantity(name, amount)]));

function formatQuantity(resource: string, amount: number): string {
  if (resource === CPU) return amount % 1000 === 0 ? `${amount / 1000}` : `${amount}m`;
  if (resource !== MEMORY && resource !== EPHEMERAL_STORAGE) return `${amount}`;
  const [suffix, unit] = BYTE_UNITS.find(([, size]) => amount > 0 && amount % size === 0) ?? ['', 1];
  return `${amount / unit}${suffix}`;
}
