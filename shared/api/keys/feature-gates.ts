import type { FeatureGateName } from '../../model/settings.ts';

/** A feature that is off or may change. */
export interface FeatureGate {
  readonly name: FeatureGateName;
  readonly stage: 'alpha' | 'beta';
  /** The environment variable that sets the gate. */
  readonly setting: 'FEATURE_GATES' | 'AWS_FEATURE_GATES';
  readonly effect: string;
}

const gate = (name: FeatureGateName, effect: string): FeatureGate => ({
  name,
  stage: 'alpha',
  setting: 'FEATURE_GATES',
  effect,
});

export const FEATURE_GATES: readonly FeatureGate[] = [
  {
    ...gate('ReservedCapacity', 'capacity reservations, and the capacity type reserved'),
    stage: 'beta',
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
