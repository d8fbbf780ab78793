/** Something that is not for everybody yet. */
export interface FeatureGate {
  readonly name: string;
  readonly stage: 'alpha' | 'beta';
  readonly isOn: boolean;
  /** The variable that turns it on or off. */
  readonly setting: 'FEATURE_GATES' | 'AWS_FEATURE_GATES';
  readonly effect: string;
}

const gate = (name: string, effect: string): FeatureGate => ({
  name,
  stage: 'alpha',
  isOn: false,
  setting: 'FEATURE_GATES',
  effect,
});

export const FEATURE_GATES: readonly FeatureGate[] = [
  {
    ...gate('ReservedCapacity', 'capacity reservations, and the capacity type reserved'),
    stage: 'beta',
    isOn: true,
  },
  gate('NodeRepair', 'nodes that stay unhealthy are replaced'),
  gate('SpotToSpotConsolidation', 'a spot node may be replaced by a cheaper spot node'),
  gate('NodeOverlay', 'NodeOverlays are applied'),
  gate('StaticCapacity', 'NodePools with replicas are kept at their size'),
  gate('CapacityBuffer', 'CapacityBuffers keep room free'),
  {
    ...gate('NodeClassCEL', 'expressions in spec.kubelet of an EC2NodeClass'),
    setting: 'AWS_FEATURE_GATES',
  },
];

/** The gates that are on, as `NodeOverlay=true,NodeRepair=false` has them; unknown ones are left alone. */
export function gatesThatAreOn(text: string): ReadonlySet<string> {
  const on = new Set(FEATURE_GATES.flatMap(({ name, isOn }) => (isOn ? [name] : [])));
  for (const pair of text.split(',')) {
    const [name = '', value = ''] = pair.split('=').map((part) => part.trim());
    if (value.toLowerCase() === 'true') on.add(name);
    else on.delete(name);
  }
  return on;
}
