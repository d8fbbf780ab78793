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
    ...gate('ReservedCapacity', 'Mortise uses capacity reservations, with the capacity type `reserved`.'),
    stage: 'beta',
  },
  gate(
    'NodeRepair',
    'Mortise replaces nodes that stay unhealthy, once the new node is ready, within the budgets for the reason Unhealthy, unless more than 20 % of the NodePool are unhealthy.',
  ),
  gate(
    'TerminateFirstDrift',
    'A drifted node is drained before its replacement is launched, if none can come first: its capacity reservation is full, or its static NodePool has as many nodes as its limit allows.',
  ),
  gate('TerminateFirstRepair', 'The same for an unhealthy node.'),
  gate('SpotToSpotConsolidation', 'Consolidation may replace a spot node by a cheaper spot node.'),
  gate('NodeOverlay', 'NodeOverlays change prices and capacities of instance types.'),
  gate('StaticCapacity', 'A NodePool with `spec.replicas` keeps this number of nodes.'),
  gate('CapacityBuffer', 'CapacityBuffers keep room free for pods to come.'),
  {
    ...gate('NodeClassCEL', '`spec.kubelet` of an EC2NodeClass may contain CEL expressions.'),
    setting: 'AWS_FEATURE_GATES',
  },
  {
    ...gate(
      'RebootForRepair',
      'A node with a GPU fault that a reboot ends is drained and rebooted in place, instead of replaced: twice a day at most. Needs the gate `NodeRepair`.',
    ),
    setting: 'AWS_FEATURE_GATES',
  },
];
