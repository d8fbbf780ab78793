import { readVariables, type VariableOption, type Variables } from './variables.ts';

/** What is decided with; the functions' variables, set where they are told. */
export type DecisionOptions = Variables;

const choice = (variable: string, ...values: readonly string[]): VariableOption => ({
  variable,
  isRight: (text) => values.includes(text),
  problem: `must be one of ${values.join(', ')}`,
});

const gates = (variable: string): VariableOption => ({
  variable,
  isRight: (text) =>
    text.split(',').every((pair) => /^\s*(?:\w+\s*=\s*(?:true|false)\s*)?$/.test(pair)),
  problem: 'must be written like NodeOverlay=true,NodeRepair=false',
});

const amount = (variable: string): VariableOption => ({
  variable,
  isRight: (text) => /^\d+(?:\.\d+)?$/.test(text),
  problem: 'must be an amount of 0 or more, like 0.01',
});

const OPTIONS: Readonly<Record<string, VariableOption>> = {
  featureGates: gates('FEATURE_GATES'),
  awsFeatureGates: gates('AWS_FEATURE_GATES'),
  preferencePolicy: choice('PREFERENCE_POLICY', 'Respect', 'Ignore'),
  minValuesPolicy: choice('MIN_VALUES_POLICY', 'Strict', 'BestEffort'),
  ignoreDraRequests: choice('IGNORE_DRA_REQUESTS', 'true', 'false'),
  disableDryRun: choice('DISABLE_DRY_RUN', 'true', 'false'),
  schedulerConfig: {
    variable: 'SCHEDULER_CONFIG',
    isRight: (text) => text.trimStart().startsWith('{') || text.includes('podTopologySpread:'),
    problem: 'must hold podTopologySpread.defaultConstraints, in YAML or JSON',
  },
  perNodeHourlyUsd: amount('PER_NODE_HOURLY_USD'),
};

/** @returns the variables of the options that are given; what is wrong is added to `problems` */
export function readDecisionOptions(
  context: (name: string) => unknown,
  problems: string[],
): DecisionOptions {
  return readVariables(OPTIONS, context, problems);
}
