import { type FactChange, formatChange } from './compare-bundles.ts';

/**
 * Types that were in an earlier bundle and are no longer, with the reason. The generator refuses to
 * write a catalogue that lacks any other type.
 */
export const ACCEPTED_REMOVALS: Readonly<Record<string, string>> = {};

/** Returns the names without an accepted reason. */
export const findUnexplainedRemovals = (
  names: readonly string[],
  reasons: Readonly<Record<string, string>> = ACCEPTED_REMOVALS,
): readonly string[] => names.filter((name) => !Object.hasOwn(reasons, name));

/**
 * Columns that determine the size of a node. EC2 never changes them; a change is a mistake in the
 * source.
 */
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
 * Reviewed changes of these columns, keyed by the text of `formatChange`, with the reason. The
 * generator refuses to write a catalogue with any other change.
 */
const ACCEPTED_CHANGES: Readonly<Record<string, string>> = {};

/** Returns the changes without an accepted reason. */
export const findUnexplainedChanges = (
  changes: readonly FactChange[],
  reasons: Readonly<Record<string, string>> = ACCEPTED_CHANGES,
): readonly string[] =>
  changes
    .filter(({ column }) => SIZE_COLUMNS.has(column))
    .map(formatChange)
    .filter((change) => !Object.hasOwn(reasons, change));
