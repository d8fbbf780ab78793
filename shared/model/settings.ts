import type { TopologySpreadConstraint } from './pods/pod.ts';
import { SECOND_MS } from './time.ts';

/** What is not for everybody yet, with whether it is on where nobody says otherwise. */
const FEATURE_GATE_DEFAULTS = {
  ReservedCapacity: true,
  NodeRepair: false,
  SpotToSpotConsolidation: false,
  NodeOverlay: false,
  StaticCapacity: false,
  CapacityBuffer: false,
  NodeClassCEL: false,
} as const;

export type FeatureGateName = keyof typeof FEATURE_GATE_DEFAULTS;

/** Whether each gate is on. Plain data: a snapshot carries it, so that a replay decides alike. */
export type FeatureGates = Readonly<Record<FeatureGateName, boolean>>;

export const DEFAULT_GATES: FeatureGates = FEATURE_GATE_DEFAULTS;

const isFeatureGate = (name: string): name is FeatureGateName => Object.hasOwn(DEFAULT_GATES, name);

type GatesReading =
  | { readonly outcome: 'read'; readonly gates: FeatureGates }
  /** `NodeOverlay=on: must be true or false`, each pair that cannot be read. */
  | { readonly outcome: 'refused'; readonly problems: readonly string[] };

/**
 * Reads `NodeOverlay=true,NodeRepair=false`: what is not named stays as it usually is, a name that is
 * unknown is left alone, and the last word on a gate counts.
 */
export function readFeatureGates(text: string): GatesReading {
  const pairs = text.split(',').flatMap((pair) => (pair.trim() === '' ? [] : [readPair(pair)]));
  const problems = pairs.flatMap(({ problem = [] }) => problem);
  if (problems.length > 0) return { outcome: 'refused', problems };
  const knownGates = pairs.flatMap(({ name, isOn }) =>
    isFeatureGate(name) ? [[name, isOn] as const] : [],
  );
  const gates: FeatureGates = { ...DEFAULT_GATES, ...Object.fromEntries<boolean>(knownGates) };
  return { outcome: 'read', gates };
}

interface Pair {
  readonly name: string;
  readonly isOn: boolean;
  readonly problem?: string;
}

/** @see Go, strconv.ParseBool, which Karpenter's gates are read with */
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
export const MIN_VALUES_POLICIES = ['Strict', 'BestEffort'] as const;

/** What a node is reckoned to have, until one has shown it. */
export interface SizeSettings {
  /** Share of a machine's memory that hypervisor and kernel keep (VM_MEMORY_OVERHEAD_PERCENT). */
  readonly memoryOverhead: number;
  /** Network interfaces that pods must leave alone (RESERVED_ENIS). */
  readonly reservedEnis: number;
}

export const DEFAULT_SIZES: SizeSettings = { memoryOverhead: 0.075, reservedEnis: 0 };

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

export const DEFAULT_SETTINGS: DecisionSettings = {
  gates: DEFAULT_GATES,
  preferencePolicy: 'Respect',
  minValuesPolicy: 'Strict',
  ignoreDraRequests: true,
  // A root volume of 20 GiB gp3 ($0.08 per GiB and month, $0.0022 an hour), and what addresses, logs
  // and the system's own pods come to on each node.
  perNodeHourlyUsd: 0.01,
  sizes: DEFAULT_SIZES,
};

/** What lies between a hint and a look that is sure to show what it was about. */
export interface HintTiming {
  /** Equal hints of one bucket are one message. */
  readonly bucketMs: number;
  /** From a hook's answer until a pod that is waiting says so. */
  readonly podMarginMs: number;
  /** From a hook's answer until what it saw before it was stored can be read. */
  readonly objectMarginMs: number;
}

export const DEFAULT_TIMING: HintTiming = {
  bucketMs: 250,
  podMarginMs: 250,
  objectMarginMs: SECOND_MS,
};

/** Pods wait as long as hints do. */
const MAX_DELAY_MS = 5 * SECOND_MS;

/** Which of them would lose a wake-up, or make every pod wait; none, where all is well. */
export const findInvalidTimings = ({
  bucketMs,
  podMarginMs,
  objectMarginMs,
}: HintTiming): readonly (keyof HintTiming)[] => {
  const isValid = (marginMs: number): boolean =>
    marginMs > 0 && bucketMs + marginMs <= MAX_DELAY_MS;
  return [
    ...(bucketMs > 0 ? [] : ['bucketMs' as const]),
    ...(isValid(podMarginMs) ? [] : ['podMarginMs' as const]),
    ...(isValid(objectMarginMs) ? [] : ['objectMarginMs' as const]),
  ];
};
