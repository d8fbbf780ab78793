import { parse } from 'yaml';
import { readCommittedCapacity } from '../../shared/api/committed-capacity.ts';
import { readDefaultSpread } from '../../shared/api/default-spread.ts';
import { readVariables, type VariableOption, type Variables } from './variables.ts';

/** Options that change decisions, as variables of the functions that decide. */
export type DecisionOptions = Variables;

const choice = (variable: string, ...values: readonly string[]): VariableOption => ({
  variable,
  isValid: (text) => values.includes(text),
  problem: `must be one of ${values.join(', ')}`,
});

const gates = (variable: string): VariableOption => ({
  variable,
  isValid: (text) => text.split(',').every((pair) => /^\s*(?:\w+\s*=\s*(?:true|false)\s*)?$/.test(pair)),
  problem: 'must be written like NodeOverlay=true,NodeRepair=false',
});

const amount = (variable: string): VariableOption => ({
  variable,
  isValid: (text) => /^\d+(?:\.\d+)?$/.test(text),
  problem: 'must be an amount of 0 or more, like 0.01',
});

/** True if zonal shifts are followed. */
export const followsShifts = (decisions: DecisionOptions): boolean => decisions.ENABLE_ZONAL_SHIFT === 'true';

/** True if the reserved instances of the account are read. */
export const readsReservedInstances = ({ COMMITTED_CAPACITY = '' }: DecisionOptions): boolean => {
  const reading = readCommittedCapacity(COMMITTED_CAPACITY, JSON.parse);
  return reading.outcome === 'read' && reading.accountShare !== undefined;
};

const OPTIONS = {
  featureGates: gates('FEATURE_GATES'),
  awsFeatureGates: gates('AWS_FEATURE_GATES'),
  preferencePolicy: choice('PREFERENCE_POLICY', 'Respect', 'Ignore'),
  minValuesPolicy: choice('MIN_VALUES_POLICY', 'Strict', 'BestEffort'),
  rebalancePolicy: choice('REBALANCE_POLICY', 'Ignore', 'Replace'),
  ignoreDraRequests: choice('IGNORE_DRA_REQUESTS', 'true', 'false'),
  isolatedVpc: choice('ISOLATED_VPC', 'true', 'false'),
  disableDryRun: choice('DISABLE_DRY_RUN', 'true', 'false'),
  enableZonalShift: choice('ENABLE_ZONAL_SHIFT', 'true', 'false'),
  schedulerConfig: {
    variable: 'SCHEDULER_CONFIG',
    isValid: (text) => readDefaultSpread(text, parse).outcome === 'read',
    // The functions start faster without a YAML parser.
    rewrite: (text) => JSON.stringify(parse(text)),
    problem: 'must hold podTopologySpread.defaultConstraints, in YAML or JSON',
  },
  committedCapacity: {
    variable: 'COMMITTED_CAPACITY',
    isValid: (text) => readCommittedCapacity(text, parse).outcome === 'read',
    rewrite: (text) => JSON.stringify(parse(text)),
    problem: 'must hold reservedInstances and savingsPlans, in YAML or JSON',
  },
  perNodeHourlyUsd: amount('PER_NODE_HOURLY_USD'),
  consolidationPayback: {
    variable: 'CONSOLIDATION_PAYBACK',
    isValid: (text) => /^(?:Any|(?:\d+(?:\.\d+)?[smh])+)$/.test(text),
    problem: 'must be a duration like 1h, or Any',
  },
  evictionCostUsd: amount('EVICTION_COST_USD'),
  growthWindow: {
    variable: 'GROWTH_WINDOW',
    isValid: (text) => /^(?:\d+(?:\.\d+)?[smh])+$/.test(text),
    problem: 'must be a duration like 30m, or 0s',
  },
  steerPods: choice('STEER_PODS', 'true', 'false'),
  surplusNodes: choice('SURPLUS_NODES', 'Ignore', 'Taint', 'TaintAndPodDeletionCost'),
  vmMemoryOverheadPercent: {
    variable: 'VM_MEMORY_OVERHEAD_PERCENT',
    isValid: (text) => /^0*(?:\.\d+)?$/.test(text) && text !== '',
    problem: 'must be a share from 0 to below 1, like 0.075',
  },
  reservedEnis: {
    variable: 'RESERVED_ENIS',
    isValid: (text) => /^\d+$/.test(text),
    problem: 'must be a whole number of 0 or more',
  },
} as const satisfies Readonly<Record<string, VariableOption>>;

export type DecisionOptionName = keyof typeof OPTIONS;

/**
 * @returns the variables of the given options; problems are appended to `problems`
 */
export function readDecisionOptions(context: (name: string) => unknown, problems: string[]): DecisionOptions {
  return readVariables(OPTIONS, context, problems);
}
