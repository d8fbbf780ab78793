interface EventReasonInfo {
  /** The kinds of objects that have the Event. */
  readonly on: readonly ('Pod' | 'NodePool' | 'EC2NodeClass' | 'NodeClaim' | 'Node')[];
  /** When the Event is written. */
  readonly when: string;
}

/**
 * Every reason of a Kubernetes Event that Mortise writes. The names are Karpenter's where Karpenter
 * has such an Event, so that alerts on them keep working. Reasons that Mortise does not write are not listed.
 */
export const EVENT_REASONS = {
  Nominated: { on: ['Pod'], when: 'A plan has a place for the pod.' },
  FailedScheduling: { on: ['Pod'], when: 'No node and no NodePool can hold the pod.' },
  LaunchesCapped: {
    on: ['Pod', 'NodeClaim'],
    when: 'A cap of the whole cluster holds back the node.',
  },
  PodsNotReceived: {
    on: ['NodePool', 'Pod'],
    when: 'Nodes were launched for pods, and none of these pods was bound to them.',
  },
  PlanningFailed: {
    on: ['Pod', 'NodeClaim', 'Node', 'NodePool'],
    when: 'The planner ended without a plan each time that it planned the pod, or the removal of the node, alone. On NodePools: it ended whatever it left out, and pauses.',
  },
  NoCompatibleInstanceTypes: {
    on: ['NodePool'],
    when: 'The requirements of the NodePool leave no instance type.',
  },
  NodeClassNotFound: {
    on: ['NodePool', 'NodeClaim'],
    when: 'The EC2NodeClass does not exist.',
  },
  NodeClassNotReady: {
    on: ['NodePool', 'NodeClaim'],
    when: 'The EC2NodeClass is not ready, or is being deleted.',
  },
  WaitingOnNodeClaimTermination: {
    on: ['EC2NodeClass'],
    when: 'The EC2NodeClass is being deleted while NodeClaims use it.',
  },
  InsufficientCapacityError: {
    on: ['NodeClaim'],
    when: 'EC2 has no capacity for what the NodeClaim may be.',
  },
  UnregisteredTaintMissing: {
    on: ['NodeClaim'],
    when: 'The Node joined without the taint `karpenter.sh/unregistered`.',
  },
  FailedConsistencyCheck: {
    on: ['NodeClaim'],
    when: 'The Node has less capacity than EC2 advertises.',
  },
  NodeMissing: {
    on: ['NodeClaim'],
    when: 'The Node is gone from the API server although its instance runs.',
  },
  SpotInterrupted: { on: ['NodeClaim', 'Node'], when: 'EC2 takes back the spot instance.' },
  SpotRebalanceRecommendation: {
    on: ['NodeClaim', 'Node'],
    when: 'EC2 advises to leave the spot instance.',
  },
  CapacityReservationInstanceInterrupted: {
    on: ['NodeClaim', 'Node'],
    when: 'EC2 takes back the reserved instance.',
  },
  InstanceStopping: { on: ['NodeClaim', 'Node'], when: 'The instance was stopped.' },
  InstanceTerminating: {
    on: ['NodeClaim', 'Node'],
    when: 'The instance was terminated by something other than Mortise.',
  },
  InstanceUnhealthy: {
    on: ['NodeClaim', 'Node'],
    when: 'EC2 reports the instance as impaired, or will stop it.',
  },
  TerminatingOnInterruption: {
    on: ['NodeClaim', 'Node'],
    when: 'The pods are moved because of one of these.',
  },
  Drifted: {
    on: ['NodeClaim', 'Node'],
    when: 'The node no longer matches its NodePool or EC2NodeClass.',
  },
  DisruptionLaunching: {
    on: ['NodeClaim'],
    when: 'The NodeClaim replaces other nodes and is launched.',
  },
  DisruptionWaitingReadiness: {
    on: ['NodeClaim'],
    when: 'The nodes that the NodeClaim replaces stay until it is ready.',
  },
  DisruptionTerminating: {
    on: ['NodeClaim', 'Node'],
    when: 'The node is going to be removed: consolidation, drift, expiry, repair or failed registration.',
  },
  DisruptionBlocked: {
    on: ['NodeClaim', 'Node', 'NodePool'],
    when: 'A budget, a pod, a stopped rollout or the quiet time after a hand-over keeps the node.',
  },
  Unconsolidatable: {
    on: ['NodeClaim', 'Node'],
    when: 'No removal or replacement of the node saves money, or none saves soon enough what its evictions cost; then the Event names the time from which it does.',
  },
  ConsolidationCandidate: {
    on: ['NodeClaim', 'Node'],
    when: 'A consolidation of the node was decided on.',
  },
  ConsolidationApproved: {
    on: ['NodeClaim', 'Node'],
    when: 'A NodePool with the policy Balanced approved the consolidation.',
  },
  ConsolidationRejected: {
    on: ['NodeClaim', 'Node'],
    when: 'A decided consolidation was no longer possible or worthwhile after the wait.',
  },
  MoveBackPrevented: {
    on: ['NodeClaim', 'Node'],
    when: 'A decided consolidation would have undone an earlier one, and was stopped. Report it: decisions exclude such moves.',
  },
  NodeRepairBlocked: {
    on: ['NodeClaim', 'Node'],
    when: 'So many nodes are unhealthy that the node is not replaced.',
  },
  RebootObserved: {
    on: ['NodeClaim'],
    when: 'An unhealthy node that is rebooted in place has another boot, and is not Ready yet.',
  },
  RebootFailed: {
    on: ['NodeClaim'],
    when: 'EC2 did not reboot the node, or it did not come back. It is replaced.',
  },
  FailedDraining: {
    on: ['NodeClaim', 'Node', 'Pod'],
    when: 'A pod cannot be evicted: at once if only a change helps, else after ten minutes without progress.',
  },
  TerminationGracePeriodExpiring: {
    on: ['NodeClaim', 'Node'],
    when: 'The node is drained until a deadline.',
  },
  AwaitingVolumeDetachment: {
    on: ['Node'],
    when: 'The node is drained, and volumes are still attached to it.',
  },
  Evicted: { on: ['Pod'], when: 'The eviction API removed the pod.' },
  Disrupted: {
    on: ['Pod'],
    when: 'The pod was deleted regardless of budgets because time ran out.',
  },
  DeploymentRestarted: {
    on: ['Pod'],
    when: 'Its Deployment was restarted because a budget keeps the pod on a draining node.',
  },
  DeploymentNotRestarted: {
    on: ['Pod'],
    when: 'The Deployment of a pod that holds up a drain could not be restarted.',
  },
  DoNotDisruptUntil: {
    on: ['Pod'],
    when: '`karpenter.sh/do-not-disrupt` protects the pod until a time.',
  },
  DoNotDisruptGracePeriodElapsed: {
    on: ['Pod'],
    when: 'This time is over.',
  },
  InvalidDoNotDisruptAnnotation: {
    on: ['Pod'],
    when: 'The value of `karpenter.sh/do-not-disrupt` is ignored.',
  },
  ZonalShiftActive: {
    on: ['NodePool'],
    when: 'The cluster is shifted away from a zone of the NodePool.',
  },
  ZonalShiftCleared: { on: ['NodePool'], when: 'The zonal shift has ended.' },
} as const satisfies Record<string, EventReasonInfo>;

export type EventReason = keyof typeof EVENT_REASONS;
