import { readVariables, type VariableOption, type Variables } from './variables.ts';

/** The variables of the functions that say when hints are handled and how long pod batches stay open. */
export type TimingOptions = Variables;

const isMilliseconds = (text: string): boolean => /^[1-9]\d{0,4}$/.test(text);
const MILLISECONDS_PROBLEM = 'must be a number of milliseconds, from 1 to 99999';
const milliseconds = (variable: string): VariableOption => ({
  variable,
  isValid: isMilliseconds,
  problem: MILLISECONDS_PROBLEM,
});

/** A limit of the whole cluster, in addition to the limits of its NodePools. */
const cap = (variable: string): VariableOption => ({
  variable,
  isValid: (text) => /^[1-9]\d{0,6}$/.test(text),
  problem: 'must be a whole number from 1 to 9999999',
});

export const TIMING_OPTIONS = {
  hintBucketMs: milliseconds('HINT_BUCKET_MS'),
  podMarginMs: milliseconds('POD_MARGIN_MS'),
  objectMarginMs: milliseconds('OBJECT_MARGIN_MS'),
  batchIdleMs: milliseconds('BATCH_IDLE_MS'),
  batchMaxMs: milliseconds('BATCH_MAX_MS'),
  launchesPerMinute: cap('LAUNCHES_PER_MINUTE'),
  maxHourlyUsd: cap('MAX_HOURLY_USD'),
  maxNodes: cap('MAX_NODES'),
  deletedClusterAfterMinutes: {
    variable: 'DELETED_CLUSTER_AFTER_MINUTES',
    isValid: (text) => /^[1-9]\d{1,4}$/.test(text),
    problem: 'must be a number of minutes, from 10 to 99999',
  },
  anticipate: {
    variable: 'ANTICIPATE',
    isValid: (text) => text === 'true' || text === 'false',
    problem: 'must be true or false',
  },
} as const satisfies Readonly<Record<string, VariableOption>>;

export type TimingOptionName = keyof typeof TIMING_OPTIONS;

/** With a longer delay, every pending pod would wait for seconds before it is planned. */
const MAX_DELAY_MS = 5_000;

/** Half of the time limit of the function that collects the pods of a batch. */
const MAX_BATCH_MS = 60_000;

/**
 * Reads the variables of the options that are set, and adds invalid values to `problems`.
 */
export function readTimingOptions(context: (name: string) => unknown, problems: string[]): TimingOptions {
  const variables = readVariables(TIMING_OPTIONS, context, problems);
  problems.push(...listContradictions(variables));
  return variables;
}

function listContradictions(variables: TimingOptions): readonly string[] {
  const msOf = (variable: string, otherwise: number): number => Number(variables[variable] ?? otherwise);
  const bucketMs = msOf('HINT_BUCKET_MS', 100);
  const marginMs = Math.max(msOf('POD_MARGIN_MS', 100), msOf('OBJECT_MARGIN_MS', 1_000));
  return [
    ...(bucketMs + marginMs > MAX_DELAY_MS ? [DELAY_TOO_LONG] : []),
    ...(msOf('BATCH_MAX_MS', 10_000) < msOf('BATCH_IDLE_MS', 1_000) ? [BATCH_BELOW_IDLE] : []),
    ...(msOf('BATCH_MAX_MS', 10_000) > MAX_BATCH_MS ? [BATCH_TOO_LONG] : []),
  ];
}

const DELAY_TOO_LONG =
  'The option hintBucketMs and the larger of podMarginMs and objectMarginMs must not exceed 5000 together.';
const BATCH_BELOW_IDLE = 'The option batchMaxMs must not be less than batchIdleMs.';
const BATCH_TOO_LONG = 'The option batchMaxMs must not be more than 60000.';
