import { DEFAULT_GATES, type FeatureGates } from './feature-gates.ts';
import type { TopologySpreadConstraint } from './pod.ts';

export const PREFERENCE_POLICIES = ['Respect', 'Ignore'] as const;
export const MIN_VALUES_POLICIES = ['Strict', 'BestEffort'] as const;

/** What a node is reckoned to have, until one has shown it. */
export interface SizeSettings {
  /** Share of a machine's memory that hypervisor and kernel keep (VM_MEMORY_OVERHEAD_PERCENT). */
  readonly memoryOverhead: number;
  /** Network interfaces that pods must leave alone (RESERVED_ENIS). */
  readonly reservedEnis: number;
}

export const USUAL_SIZES: SizeSettings = { memoryOverhead: 0.075, reservedEnis: 0 };

/** What people may set about decisions. Plain data: a snapshot carries it, so a replay decides alike. */
export interface DecisionSettings {
  readonly gates: FeatureGates;
  /** Whether what pods would rather have counts until nothing else helps, or not at all. */
  readonly preferencePolicy: (typeof PREFERENCE_POLICIES)[number];
  /** What happens where fewer values are left than `minValues` asks for: no node, or one all the same. */
  readonly minValuesPolicy: (typeof MIN_VALUES_POLICIES)[number];
  /** Whether pods that claim devices are left alone. */
  readonly ignoreDraRequests: boolean;
  /**
   * What a node costs beside its instance, in USD per hour: plans are weighed with it, and larger
   * figures give fewer and larger nodes.
   */
  readonly perNodeHourlyUsd: number;
  /** How kube-scheduler is told to spread pods that say nothing of it; absent: not at all. */
  readonly defaultSpread?: readonly TopologySpreadConstraint[];
  readonly sizes: SizeSettings;
}

export const USUAL_SETTINGS: DecisionSettings = {
  gates: DEFAULT_GATES,
  preferencePolicy: 'Respect',
  minValuesPolicy: 'Strict',
  ignoreDraRequests: true,
  // A root volume of 20 GiB gp3 ($0.08 per GiB and month, $0.0022 an hour), and what addresses, logs
  // and the system's own pods come to on each node.
  perNodeHourlyUsd: 0.01,
  sizes: USUAL_SIZES,
};
