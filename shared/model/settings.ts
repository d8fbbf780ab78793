import type { Commitment } from './offerings/commitment.ts';
import type { TopologySpreadConstraint } from './pods/pod.ts';
import { HOUR_MS, SECOND_MS } from './time.ts';

/** The feature gates with their defaults. */
const FEATURE_GATE_DEFAULTS = {
  ReservedCapacity: true,
  NodeRepair: false,
  TerminateFirstDrift: false,
  TerminateFirstRepair: false,
  SpotToSpotConsolidation: false,
  NodeOverlay: false,
  StaticCapacity: false,
  CapacityBuffer: false,
  NodeClassCEL: false,
  RebootForRepair: false,
} as const;

export type FeatureGateName = keyof typeof FEATURE_GATE_DEFAULTS;

/**
 * Which gates are on. Plain data in the snapshot, so that a replay makes the same decisions.
 */
export type FeatureGates = Readonly<Record<FeatureGateName, boolean>>;

export const DEFAULT_GATES: FeatureGates = FEATURE_GATE_DEFAULTS;

const isFeatureGate = (name: string): name is FeatureGateName => Object.hasOwn(DEFAULT_GATES, name);

type GatesReading =
  | { readonly outcome: 'read'; readonly gates: FeatureGates }
  /** Each pair that cannot be read, for example `NodeOverlay=on: must be true or false`. */
  | { readonly outcome: 'refused'; readonly problems: readonly string[] };

/**
 * Reads `NodeOverlay=true,NodeRepair=false`. Gates that are not named keep their default, unknown
 * names are ignored, and the last value of a gate counts.
 */
export function readFeatureGates(text: string): GatesReading {
  const pairs = text.split(',').flatMap((pair) => (pair.trim() === '' ? [] : [readPair(pair)]));
  const problems = pairs.flatMap(({ problem = [] }) => problem);
  if (problems.length > 0) return { outcome: 'refused', problems };
  const knownGates = pairs.flatMap(({ name, isOn }) => (isFeatureGate(name) ? [[name, isOn] as const] : []));
  const gates: FeatureGates = { ...DEFAULT_GATES, ...Object.fromEntries<boolean>(knownGates) };
  return { outcome: 'read', gates };
}

interface Pair {
  readonly name: string;
  readonly isOn: boolean;
  readonly problem?: string;
}

/**
 * @see Go, strconv.ParseBool, which Karpenter reads its gates with
 */
const TRUE_TEXTS: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE_TEXTS: ReadonlySet<string> = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

function readPair(pair: string): Pair {
  const [name = '', value = '', ...more] = pair.split('=').map((part) => part.trim());
  const isKnown = more.length === 0 && (TRUE_TEXTS.has(value) || FALSE_TEXTS.has(value));
  return {
    name,
    isOn: TRUE_TEXTS.has(value),
    ...(isKnown ? {} : { problem: `${pair.trim()}: must be true or false` }),
  };
}

export const PREFERENCE_POLICIES = ['Respect', 'Ignore'] as const;
export const REBALANCE_POLICIES = ['Ignore', 'Replace'] as const;
/**
 * The treatment of nodes that their pool could do without. `Ignore`: none. `Taint`: new pods prefer
 * other nodes. `TaintAndPodDeletionCost`: a ReplicaSet that becomes smaller also deletes pods on the most
 * wasteful nodes of a pool first, in namespaces where Mortise may patch pods.
 */
export const SURPLUS_NODE_POLICIES = ['Ignore', 'Taint', 'TaintAndPodDeletionCost'] as const;
export const MIN_VALUES_POLICIES = ['Strict', 'BestEffort'] as const;

/** Estimates of a node's size, which count until a node has reported its own. */
export interface SizeSettings {
  /** Share of the memory that hypervisor and kernel use (VM_MEMORY_OVERHEAD_PERCENT). */
  readonly memoryOverhead: number;
  /** Network interfaces that pods must not use (RESERVED_ENIS). */
  readonly reservedEnis: number;
}

export const DEFAULT_SIZES: SizeSettings = { memoryOverhead: 0.075, reservedEnis: 0 };

/**
 * Settings of the operator that influence decisions. They are plain data in the snapshot, so that a
 * replay makes the same decisions.
 */
export interface DecisionSettings {
  readonly gates: FeatureGates;
  /** `Respect`: preferences of pods hold until they must be relaxed. `Ignore`: they never count. */
  readonly preferencePolicy: (typeof PREFERENCE_POLICIES)[number];
  /**
   * The reaction if fewer values remain than `minValues` requires: no node, or a node with fewer
   * values.
   */
  readonly minValuesPolicy: (typeof MIN_VALUES_POLICIES)[number];
  /** True to ignore pods that claim devices. */
  readonly ignoreDraRequests: boolean;
  /**
   * The fixed cost of a node besides its instance, in USD per hour. Plans include it; a higher cost
   * gives fewer and larger nodes.
   */
  readonly perNodeHourlyUsd: number;
  /**
   * How soon a consolidation has to earn what it costs; `Any`: moves have no price. `undefined` for
   * the default.
   */
  readonly consolidationPaybackMs?: number | 'Any';
  /** The cost of the eviction of a pod, in USD; `undefined` in records of earlier releases. */
  readonly evictionCostUsd?: number;
  /**
   * The same in namespaces where Mortise ranks pods for scale-downs, so that most pods end without an eviction;
   * `undefined` for `evictionCostUsd`.
   */
  readonly rankedEvictionCostUsd?: number;
  /**
   * How long launches of a pool count as growth: its new nodes get room for pods to come, and a
   * consolidation saves only until the pool needs the room again. 0, and `undefined` in records of earlier
   * releases: growth is not considered.
   */
  readonly growthWindowMs?: number;
  /** False if nodes of expensive pools get no taint; `undefined` for true. */
  readonly steerPods?: boolean;
  /** The treatment of nodes that their pool could do without; `undefined` for `Ignore`, as before. */
  readonly surplusNodes?: (typeof SURPLUS_NODE_POLICIES)[number];
  /** The default spread constraints of kube-scheduler; `undefined` for none. */
  readonly defaultSpread?: readonly TopologySpreadConstraint[];
  readonly sizes: SizeSettings;
  /** Reserved instances and Savings Plans that the cluster may use; `undefined` for none. */
  readonly commitments?: readonly Commitment[];
  /** True to repair nodes as Karpenter did before 1.15: at once, whatever budgets and annotations say. */
  readonly legacyNodeRepair?: true;
  /** The reaction to rebalance recommendations of EC2; `undefined` for `Ignore`. */
  readonly rebalancePolicy?: (typeof REBALANCE_POLICIES)[number];
}

/** True if the replacement of an unhealthy node comes up before the node is drained. */
export const isReplacingFirst = (settings: DecisionSettings | undefined): boolean =>
  settings?.gates.NodeRepair === true && settings.legacyNodeRepair !== true;

/** True if an unhealthy node is rebooted in place where that ends its fault. */
export const mayReboot = (settings: DecisionSettings | undefined): boolean =>
  isReplacingFirst(settings) && settings?.gates.RebootForRepair === true;

export const DEFAULT_CONSOLIDATION_PAYBACK_MS = HOUR_MS;
/**
 * Chosen by simulated days (docs/benchmarks.md): the cluster is cheaper than under Karpenter's rules, and a
 * third fewer pods are evicted.
 */
export const DEFAULT_EVICTION_COST_USD = 0.0125;
/**
 * Where pods are ranked, nodes become empty by themselves: at this price a simulated week is cheaper and has two fifths
 * fewer evictions.
 */
export const DEFAULT_RANKED_EVICTION_COST_USD = 0.02;
/** The price in records of releases that did not record it. */
export const UNRECORDED_EVICTION_COST_USD = 0.01;

/** Chosen by simulated days (docs/benchmarks.md): fewer nodes, at less cost and with fewer evictions. */
export const DEFAULT_GROWTH_WINDOW_MS = HOUR_MS;

export const DEFAULT_SURPLUS_NODES: (typeof SURPLUS_NODE_POLICIES)[number] = 'TaintAndPodDeletionCost';

export const DEFAULT_SETTINGS: DecisionSettings = {
  gates: DEFAULT_GATES,
  preferencePolicy: 'Respect',
  minValuesPolicy: 'Strict',
  ignoreDraRequests: true,
  // docs/cost.md adds up root volume, address and an agent that is licensed per host.
  perNodeHourlyUsd: 0.03,
  evictionCostUsd: DEFAULT_EVICTION_COST_USD,
  rankedEvictionCostUsd: DEFAULT_RANKED_EVICTION_COST_USD,
  growthWindowMs: DEFAULT_GROWTH_WINDOW_MS,
  surplusNodes: DEFAULT_SURPLUS_NODES,
  sizes: DEFAULT_SIZES,
};

/** How long the pods of a batch are collected, so that a burst is planned at once. */
export interface BatchWindow {
  readonly idleMs: number;
  readonly maxMs: number;
}

export const DEFAULT_BATCH_WINDOW: BatchWindow = { idleMs: SECOND_MS, maxMs: 10 * SECOND_MS };

/** Limits for the whole cluster, whatever its pools allow: the last safeguard against runaway cost. */
export interface LaunchCaps {
  readonly launchesPerMinute: number;
  /** Total price of all instances, as they were launched. */
  readonly hourlyUsd: number;
  /** Nodes at the same time. `undefined`: three times the peak of the last day, at least 20. */
  readonly maxNodes?: number;
}

/** Far above what a cluster of a thousand nodes needs on a busy day. */
export const DEFAULT_LAUNCH_CAPS: LaunchCaps = { launchesPerMinute: 1_000, hourlyUsd: 10_000 };

/** How long EKS must not have a cluster until its remains are ended. */
export const DEFAULT_DELETED_AFTER_MS = HOUR_MS;

/** Equal hints within one bucket become one message. A pending pod waits for half a bucket on average. */
export const HINT_BUCKET_MS = 100;

/**
 * From the answer to a webhook call until a pending pod reports Unschedulable. It may be short: a plan waits for
 * the pods that kube-scheduler has not reported on (`provisioning/pod-batch.ts`).
 */
export const POD_MARGIN_MS = 100;

/** From the answer to a webhook call until the object that it was about is stored. */
export const OBJECT_MARGIN_MS = SECOND_MS;
