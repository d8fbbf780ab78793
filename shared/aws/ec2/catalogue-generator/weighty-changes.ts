import { type FactChange, formatChange } from './compare-bundles.ts';

/** Columns that the room of a node follows from: EC2 does not change these, but mistakes do. */
const WEIGHTY: ReadonlySet<string> = new Set([
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
export const changedSilently = (
  changes: readonly FactChange[],
  reasons: Readonly<Record<string, string>> = ACCEPTED_CHANGES,
): readonly string[] =>
  changes
    .filter(({ column }) => WEIGHTY.has(column))
    .map(formatChange)
    .filter((change) => !Object.hasOwn(reasons, change));
