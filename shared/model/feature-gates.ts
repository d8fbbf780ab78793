/** What is not for everybody yet, with whether it is on where nobody says otherwise. */
const USUAL = {
  ReservedCapacity: true,
  NodeRepair: false,
  SpotToSpotConsolidation: false,
  NodeOverlay: false,
  StaticCapacity: false,
  CapacityBuffer: false,
  NodeClassCEL: false,
} as const;

export type FeatureGateName = keyof typeof USUAL;

/** Whether each gate is on. Plain data: a snapshot carries it, so that a replay decides alike. */
export type FeatureGates = Readonly<Record<FeatureGateName, boolean>>;

export const DEFAULT_GATES: FeatureGates = USUAL;

const isFeatureGate = (name: string): name is FeatureGateName => Object.hasOwn(DEFAULT_GATES, name);

export type GatesReading =
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
  const said = pairs.flatMap(({ name, isOn }) =>
    isFeatureGate(name) ? [[name, isOn] as const] : [],
  );
  const gates: FeatureGates = { ...DEFAULT_GATES, ...Object.fromEntries<boolean>(said) };
  return { outcome: 'read', gates };
}

interface Pair {
  readonly name: string;
  readonly isOn: boolean;
  readonly problem?: string;
}

/** @see Go, strconv.ParseBool, which Karpenter's gates are read with */
const YES: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const NO: ReadonlySet<string> = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

function readPair(pair: string): Pair {
  const [name = '', value = '', ...more] = pair.split('=').map((part) => part.trim());
  const isKnown = more.length === 0 && (YES.has(value) || NO.has(value));
  return {
    name,
    isOn: YES.has(value),
    ...(isKnown ? {} : { problem: `${pair.trim()}: must be true or false` }),
  };
}
