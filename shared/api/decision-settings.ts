import { parseGoDuration } from '../model/duration.ts';
import {
  DEFAULT_EVICTION_COST_USD,
  DEFAULT_GROWTH_WINDOW_MS,
  DEFAULT_SETTINGS,
  DEFAULT_SIZES,
  type DecisionSettings,
  MIN_VALUES_POLICIES,
  PREFERENCE_POLICIES,
  REBALANCE_POLICIES,
  readFeatureGates,
  type SizeSettings,
  SURPLUS_NODE_POLICIES,
} from '../model/settings.ts';
import { readCommittedCapacity } from './committed-capacity.ts';
import { type ParseText, readDefaultSpread } from './default-spread.ts';

/** A variable with an invalid value. */
interface SettingProblem {
  readonly variable: string;
  readonly why: string;
}

type SettingsReading =
  | { readonly outcome: 'read'; readonly settings: DecisionSettings }
  | { readonly outcome: 'refused'; readonly problems: readonly SettingProblem[] };

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the decision settings from environment variables. An empty variable counts as unset.
 *
 * @param parse - for SCHEDULER_CONFIG and COMMITTED_CAPACITY: the functions get JSON and load no YAML parser
 */
export function readDecisionSettings(env: Environment, parse: ParseText): SettingsReading {
  const problems: SettingProblem[] = [];
  const oneOf = <T extends string>(variable: string, values: readonly T[], usual: T): T => {
    const written = env[variable] || usual;
    const value = values.find((one) => one === written);
    if (value === undefined) problems.push({ variable, why: `one of ${values.join(', ')}` });
    return value ?? usual;
  };
  const amount = (variable: string, usual: number): number => {
    const written = env[variable] || `${usual}`;
    const isValid = AMOUNT.test(written);
    if (!isValid) problems.push({ variable, why: 'an amount of 0 or more, like 0.01' });
    return isValid ? Number(written) : usual;
  };
  const { preferencePolicy, minValuesPolicy } = DEFAULT_SETTINGS;
  const spread = readDefaultSpread(env.SCHEDULER_CONFIG ?? '', parse);
  if (spread.outcome === 'refused') {
    problems.push({ variable: 'SCHEDULER_CONFIG', why: spread.why });
  }
  const committed = readCommittedCapacity(env.COMMITTED_CAPACITY ?? '', parse);
  if (committed.outcome === 'refused') {
    problems.push({ variable: 'COMMITTED_CAPACITY', why: committed.why });
  }
  const settings: DecisionSettings = {
    gates: readGates(env, problems),
    preferencePolicy: oneOf('PREFERENCE_POLICY', PREFERENCE_POLICIES, preferencePolicy),
    minValuesPolicy: oneOf('MIN_VALUES_POLICY', MIN_VALUES_POLICIES, minValuesPolicy),
    ignoreDraRequests: oneOf('IGNORE_DRA_REQUESTS', ['true', 'false'], 'true') === 'true',
    perNodeHourlyUsd: amount('PER_NODE_HOURLY_USD', DEFAULT_SETTINGS.perNodeHourlyUsd),
    ...readMovePrice(env, problems),
    ...readGrowthWindow(env, problems),
    ...(oneOf('STEER_PODS', ['true', 'false'], 'true') === 'false' && { steerPods: false }),
    surplusNodes: oneOf('SURPLUS_NODES', SURPLUS_NODE_POLICIES, 'Taint'),
    sizes: readSizes(env, problems),
    ...(oneOf('REBALANCE_POLICY', REBALANCE_POLICIES, 'Ignore') === 'Replace' && {
      rebalancePolicy: 'Replace',
    }),
    ...(spread.outcome === 'read' && spread.constraints.length > 0 && { defaultSpread: spread.constraints }),
    ...(committed.outcome === 'read' && committed.commitments.length > 0 && { commitments: committed.commitments }),
  };
  return problems.length > 0 ? { outcome: 'refused', problems } : { outcome: 'read', settings };
}

const AMOUNT = /^\d+(?:\.\d+)?$/;

function readMovePrice(
  env: Environment,
  problems: SettingProblem[],
): Pick<DecisionSettings, 'consolidationPaybackMs' | 'evictionCostUsd'> {
  const payback = env.CONSOLIDATION_PAYBACK ?? '';
  const paybackMs = payback === 'Any' ? payback : parseGoDuration(payback);
  if (payback !== '' && (paybackMs === undefined || (paybackMs !== 'Any' && paybackMs < 0))) {
    problems.push({ variable: 'CONSOLIDATION_PAYBACK', why: 'a duration like 1h, or Any' });
  }
  const eviction = env.EVICTION_COST_USD ?? '';
  if (eviction !== '' && !AMOUNT.test(eviction)) {
    problems.push({ variable: 'EVICTION_COST_USD', why: 'an amount of 0 or more, like 0.01' });
  }
  return {
    ...(paybackMs === undefined ? {} : { consolidationPaybackMs: paybackMs }),
    evictionCostUsd: Number(eviction || DEFAULT_EVICTION_COST_USD),
  };
}

function readGrowthWindow(
  { GROWTH_WINDOW }: Environment,
  problems: SettingProblem[],
): Pick<DecisionSettings, 'growthWindowMs'> {
  const windowMs = GROWTH_WINDOW ? parseGoDuration(GROWTH_WINDOW) : DEFAULT_GROWTH_WINDOW_MS;
  if (windowMs === undefined || windowMs < 0) {
    problems.push({ variable: 'GROWTH_WINDOW', why: 'a duration like 30m, or 0s' });
    return {};
  }
  return { growthWindowMs: windowMs };
}

function readSizes(env: Environment, problems: SettingProblem[]): SizeSettings {
  const { memoryOverhead, reservedEnis } = DEFAULT_SIZES;
  const share = env.VM_MEMORY_OVERHEAD_PERCENT || `${memoryOverhead}`;
  // A share of 1 or more would leave no memory: 7.5 % is written as 0.075.
  if (!AMOUNT.test(share) || Number(share) >= 1) {
    problems.push({
      variable: 'VM_MEMORY_OVERHEAD_PERCENT',
      why: 'a share from 0 to below 1, like 0.075',
    });
  }
  const enis = env.RESERVED_ENIS || `${reservedEnis}`;
  if (!/^\d+$/.test(enis)) {
    problems.push({ variable: 'RESERVED_ENIS', why: 'a whole number of 0 or more' });
  }
  return { memoryOverhead: Number(share), reservedEnis: Number(enis) };
}

/** Each variable is read on its own, so that problems name the right one. */
function readGates(env: Environment, problems: SettingProblem[]): DecisionSettings['gates'] {
  const texts = GATE_VARIABLES.map((variable) => {
    const text = env[variable] ?? '';
    const reading = readFeatureGates(text);
    if (reading.outcome === 'read') return text;
    problems.push({ variable, why: reading.problems.join('; ') });
    return '';
  });
  const all = readFeatureGates(texts.join(','));
  return all.outcome === 'read' ? all.gates : DEFAULT_SETTINGS.gates;
}

const GATE_VARIABLES = ['FEATURE_GATES', 'AWS_FEATURE_GATES'] as const;
