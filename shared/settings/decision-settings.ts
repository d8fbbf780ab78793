import type { ParseText } from '../api/default-spread.ts';
import {
  DEFAULT_EVICTION_COST_USD,
  DEFAULT_RANKED_EVICTION_COST_USD,
  DEFAULT_SETTINGS,
  type DecisionSettings,
  readFeatureGates,
} from '../model/settings.ts';
import { type Environment, readSettings, type SettingProblem } from './setting.ts';
import { DECISIONS } from './tables/decisions.ts';

type SettingsReading =
  | { readonly outcome: 'read'; readonly settings: DecisionSettings }
  | { readonly outcome: 'refused'; readonly problems: readonly SettingProblem[] };

/**
 * Reads the decision settings from environment variables. An empty variable counts as unset.
 *
 * @param parse - for SCHEDULER_CONFIG and COMMITTED_CAPACITY: the functions get JSON and load no YAML parser
 */
export function readDecisionSettings(env: Environment, parse: ParseText): SettingsReading {
  const { values, problems } = readSettings(DECISIONS, env, parse);
  if (problems.length > 0) return { outcome: 'refused', problems };
  const { featureGates = '', awsFeatureGates = '', schedulerConfig, committedCapacity, consolidationPayback } = values;
  const gates = readFeatureGates(`${featureGates},${awsFeatureGates}`);
  const { constraints = [] } = schedulerConfig ?? {};
  const { commitments = [] } = committedCapacity ?? {};
  const settings: DecisionSettings = {
    gates: gates.outcome === 'read' ? gates.gates : DEFAULT_SETTINGS.gates,
    preferencePolicy: values.preferencePolicy,
    minValuesPolicy: values.minValuesPolicy,
    ignoreDraRequests: values.ignoreDraRequests,
    perNodeHourlyUsd: values.perNodeHourlyUsd,
    ...(consolidationPayback !== undefined && { consolidationPaybackMs: consolidationPayback }),
    ...(values.evictionCostUsd === undefined
      ? { evictionCostUsd: DEFAULT_EVICTION_COST_USD, rankedEvictionCostUsd: DEFAULT_RANKED_EVICTION_COST_USD }
      : { evictionCostUsd: values.evictionCostUsd }),
    growthWindowMs: values.growthWindow,
    ...(!values.steerPods && { steerPods: false }),
    surplusNodes: values.surplusNodes,
    sizes: { memoryOverhead: values.memoryOverhead, reservedEnis: values.reservedEnis },
    ...(values.legacyNodeRepair && { legacyNodeRepair: true }),
    ...(values.rebalancePolicy === 'Replace' && { rebalancePolicy: 'Replace' }),
    ...(constraints.length > 0 && { defaultSpread: constraints }),
    ...(commitments.length > 0 && { commitments }),
  };
  return { outcome: 'read', settings };
}
