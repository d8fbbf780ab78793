import { type FactChange, formatChange } from './compare-bundles.ts';

/**
 * Types that were bundled once and are not any more, with the reason. A type that is in neither place
 * has vanished by accident: the generator refuses to write such a catalogue, and a test finds it.
 */
export const ACCEPTED_REMOVALS: Readonly<Record<string, string>> = {};

/** Those of `names` that nobody has given a reason for. */
export const findUnexplainedRemovals = (
  names: readonly string[],
  reasons: Readonly<Record<string, string>> = ACCEPTED_REMOVALS,
): readonly string[] => names.filter((name) => !Object.hasOwn(reasons, name));

/** Columns that the room of a node follows from: EC2 does not change these, but mistakes do. */
const SIZE_COLUMNS: ReadonlySet<string> = new Set([
  'arch',
  'cpu',
  'memoryMib',
  'gpus',
  'neuron',
  'storageGb',
  'cardEnis',
  'ipv4PerEni',
]);

/**
 * Changes of such facts that somebody has looked into, as `formatChange` writes them, with the reason:
 * the generator refuses to write a catalogue with any other.
 */
const ACCEPTED_CHANGES: Readonly<Record<string, string>> = {};

/** Those that nobody has given a reason for. */
export const findUnexplainedChanges = (
  changes: readonly FactChange[],
  reasons: Readonly<Record<string, string>> = ACCEPTED_CHANGES,
): readonly string[] =>
  changes
    .filter(({ column }) => SIZE_COLUMNS.has(column))
    .map(formatChange)
    .filter((change) => !Object.hasOwn(reasons, change));
