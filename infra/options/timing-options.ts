import { readVariables, type VariableOption, type Variables } from './variables.ts';

/** When hints are looked at, and pods planned; the functions' variables, set where they are told. */
export type TimingOptions = Variables;

const isMilliseconds = (text: string): boolean => /^[1-9]\d{0,4}$/.test(text);
const MILLISECONDS_PROBLEM = 'must be a number of milliseconds, from 1 to 99999';
const milliseconds = (variable: string): VariableOption => ({
  variable,
  isRight: isMilliseconds,
  problem: MILLISECONDS_PROBLEM,
});

/** Brakes of the whole cluster, on top of the pools' limits. */
const cap = (variable: string): VariableOption => ({
  variable,
  isRight: (text) => /^[1-9]\d{0,6}$/.test(text),
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
    isRight: (text) => /^[1-9]\d{1,4}$/.test(text),
    problem: 'must be a number of minutes, from 10 to 99999',
  },
  anticipate: {
    variable: 'ANTICIPATE',
    isRight: (text) => text === 'true' || text === 'false',
    problem: 'must be true or false',
  },
} as const satisfies Readonly<Record<string, VariableOption>>;

export type TimingOptionName = keyof typeof TIMING_OPTIONS;

/** With these an event would be looked for before it can be read, or every pod would wait. */
const MAX_LOOK_MS = 5_000;

/** Half of the time that the function has in which pods are gathered. */
const MAX_BATCH_MS = 60_000;

/** @returns the variables of the options that are given; what is wrong is added to `problems` */
export function readTimingOptions(
  context: (name: string) => unknown,
  problems: string[],
): TimingOptions {
  const variables = readVariables(TIMING_OPTIONS, context, problems);
  problems.push(...contradictionsIn(variables));
  return variables;
}

function contradictionsIn(variables: TimingOptions): readonly string[] {
  const msOf = (variable: string, otherwise: number): number =>
    Number(variables[variable] ?? otherwise);
  const bucketMs = msOf('HINT_BUCKET_MS', 100);
  const marginMs = Math.max(msOf('POD_MARGIN_MS', 100), msOf('OBJECT_MARGIN_MS', 1_000));
  return [
    ...(bucketMs + marginMs > MAX_LOOK_MS ? [TOO_LATE] : []),
    ...(msOf('BATCH_MAX_MS', 10_000) < msOf('BATCH_IDLE_MS', 1_000) ? [NEVER_FULL] : []),
    ...(msOf('BATCH_MAX_MS', 10_000) > MAX_BATCH_MS ? [NEVER_PLANNED] : []),
  ];
}

const TOO_LATE =
  'The option hintBucketMs and the larger of podMarginMs and objectMarginMs must not exceed 5000 together.';
const NEVER_FULL = 'The option batchMaxMs must not be less than batchIdleMs.';
const NEVER_PLANNED = 'The option batchMaxMs must not be more than 60000.';
