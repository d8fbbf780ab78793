/** Label values by key. */
export type Labels = Readonly<Record<string, string>>;

export const NODEPOOL_LABEL = 'karpenter.sh/nodepool';
export const CAPACITY_TYPE_LABEL = 'karpenter.sh/capacity-type';
export const REGISTERED_LABEL = 'karpenter.sh/registered';
export const INITIALIZED_LABEL = 'karpenter.sh/initialized';
export const DO_NOT_SYNC_TAINTS_LABEL = 'karpenter.sh/do-not-sync-taints';
export const NODECLASS_LABEL = 'karpenter.k8s.aws/ec2nodeclass';
/** EKS sets it on nodes that it manages itself: Auto Mode, Fargate and hybrid nodes. */
export const EKS_COMPUTE_TYPE_LABEL = 'eks.amazonaws.com/compute-type';
/** EKS sets it on nodes of managed node groups: `SPOT` or `ON_DEMAND`. */
export const EKS_CAPACITY_TYPE_LABEL = 'eks.amazonaws.com/capacityType';
/** The NodeClass of EKS Auto Mode. */
export const EKS_NODECLASS_LABEL = 'eks.amazonaws.com/nodeclass';
export const PLACEMENT_GROUP_ID_LABEL = 'karpenter.k8s.aws/placement-group-id';
/** The partition, counted from 1; empty until EC2 has chosen one. */
export const PARTITION_LABEL = 'karpenter.k8s.aws/placement-group-partition';
export const RESERVATION_ID_LABEL = 'karpenter.k8s.aws/capacity-reservation-id';
export const RESERVATION_TYPE_LABEL = 'karpenter.k8s.aws/capacity-reservation-type';
export const RESERVATION_INTERRUPTIBLE_LABEL = 'karpenter.k8s.aws/capacity-reservation-interruptible';
/** Labels that only nodes in reserved capacity have. */
export const RESERVATION_LABELS: readonly string[] = [
  RESERVATION_ID_LABEL,
  RESERVATION_TYPE_LABEL,
  RESERVATION_INTERRUPTIBLE_LABEL,
];
export const ZONE_LABEL = 'topology.kubernetes.io/zone';
export const REGION_LABEL = 'topology.kubernetes.io/region';
export const ZONE_ID_LABEL = 'topology.k8s.aws/zone-id';
export const INSTANCE_TYPE_LABEL = 'node.kubernetes.io/instance-type';
export const WINDOWS_BUILD_LABEL = 'node.kubernetes.io/windows-build';
export const ARCH_LABEL = 'kubernetes.io/arch';
export const OS_LABEL = 'kubernetes.io/os';
export const HOSTNAME_LABEL = 'kubernetes.io/hostname';

export const DO_NOT_DISRUPT_ANNOTATION = 'karpenter.sh/do-not-disrupt';
/** On pods: their Deployment is restarted if a budget holds up a drain. */
export const RESTART_WHEN_BLOCKED_ANNOTATION = 'mortise.sh/restart-when-blocked';
/** On a DaemonSet: `false` if its pods wait until full nodes have room by themselves. */
export const MAKE_ROOM_ANNOTATION = 'mortise.sh/make-room';
/** On a NodePool: `true` if budgets and their windows apply to expired nodes as well. */
export const VOLUNTARY_EXPIRATION_ANNOTATION = 'mortise.sh/voluntary-expiration';
/** On a NodePool: how long a drain of its nodes takes at least. */
export const MIN_DRAIN_ANNOTATION = 'mortise.sh/min-drain-duration';
/** On a NodeClaim that was launched to save money: when its saving has paid for the move. */
export const PAYS_BACK_AT_ANNOTATION = 'mortise.sh/pays-back-at';
/** On such a NodeClaim: the instance types that it and its predecessors replaced. */
export const REPLACED_TYPES_ANNOTATION = 'mortise.sh/replaced-instance-types';
/** On a NodeClaim: `true` if a cheaper NodePool suits some of the pods that may run on the node. */
export const EXPENSIVE_POOL_ANNOTATION = 'mortise.sh/expensive-pool';
/** On a NodeClaim: `true` if its node is for pods that the other nodes of the plan cannot take. */
export const FILL_LAST_ANNOTATION = 'mortise.sh/fill-last';
/** On a NodePool: what each of its nodes costs besides its instance, in USD per hour. */
export const PER_NODE_COST_ANNOTATION = 'mortise.sh/per-node-hourly-usd';
/** On a NodePool: the hours in which it may have all its nodes. */
export const HOURS_ANNOTATION = 'mortise.sh/hours';
/** On a NodePool with hours: the nodes that it may have outside of them. */
export const OFF_HOURS_NODES_ANNOTATION = 'mortise.sh/off-hours-nodes';
/**
 * On a NodePool (in vCPUs) or on the pods of a workload: how much runs on demand before anything runs on
 * spot.
 */
export const ON_DEMAND_BASE_ANNOTATION = 'mortise.sh/on-demand-base';
/** On the same: the percentage of what is above the base that runs on demand. */
export const ON_DEMAND_PERCENT_ANNOTATION = 'mortise.sh/on-demand-percent-above-base';
export const NODEPOOL_HASH_ANNOTATION = 'karpenter.sh/nodepool-hash';
/** On a NodeClaim: true if it allows fewer values than the `minValues` of its pool. */
export const MIN_VALUES_RELAXED_ANNOTATION = 'karpenter.sh/nodeclaim-min-values-relaxed';
export const NODEPOOL_HASH_VERSION_ANNOTATION = 'karpenter.sh/nodepool-hash-version';
/** The version of our template hash. Hashes of different versions cannot be compared. */
export const NODEPOOL_HASH_VERSION = 's1';
export const NODECLASS_HASH_ANNOTATION = 'karpenter.k8s.aws/ec2nodeclass-hash';
export const NODECLASS_HASH_VERSION_ANNOTATION = 'karpenter.k8s.aws/ec2nodeclass-hash-version';
/** The profile that the instance was launched with. */
export const INSTANCE_PROFILE_ANNOTATION = 'karpenter.k8s.aws/instance-profile-name';
/**
 * DRA drivers, separated by commas, that must publish their devices before the node counts as
 * ready.
 */
export const REQUESTED_DRIVERS_ANNOTATION = 'karpenter.sh/requested-dra-drivers';
/** On claims with a type whose price or capacity NodeOverlays have changed. */
export const PRICE_OVERLAY_ANNOTATION = 'karpenter.sh/price-overlay-applied';
export const CAPACITY_OVERLAY_ANNOTATION = 'karpenter.sh/capacity-overlay-applied';
/** On Nodes and NodeClaims: keeps an unhealthy node from being replaced. */
export const DO_NOT_REPAIR_ANNOTATION = 'karpenter.sh/do-not-repair';
/** On NodeClaims whose node is rebooted: its boot before the reboot, and how long the drain may take. */
export const REBOOT_FROM_ANNOTATION = 'karpenter.sh/reboot-pre-boot-id';
export const REBOOT_DRAIN_ANNOTATION = 'karpenter.sh/reboot-termination-grace-period';
/** The user's price of an eviction; it takes precedence over the deletion cost. */
export const DISRUPTION_COST_ANNOTATION = 'karpenter.sh/disruption-cost';
export const POD_DELETION_COST_ANNOTATION = 'controller.kubernetes.io/pod-deletion-cost';
/** On pods whose deletion cost is ours. It goes again when their node is no longer wasteful. */
export const ON_SURPLUS_NODE_ANNOTATION = 'mortise.sh/on-surplus-node';

const READ_ANNOTATIONS: ReadonlySet<string> = new Set([
  DO_NOT_DISRUPT_ANNOTATION,
  DO_NOT_REPAIR_ANNOTATION,
  RESTART_WHEN_BLOCKED_ANNOTATION,
  MAKE_ROOM_ANNOTATION,
  PAYS_BACK_AT_ANNOTATION,
  REPLACED_TYPES_ANNOTATION,
  EXPENSIVE_POOL_ANNOTATION,
  FILL_LAST_ANNOTATION,
  ON_DEMAND_BASE_ANNOTATION,
  ON_DEMAND_PERCENT_ANNOTATION,
  NODEPOOL_HASH_ANNOTATION,
  NODEPOOL_HASH_VERSION_ANNOTATION,
  NODECLASS_HASH_ANNOTATION,
  NODECLASS_HASH_VERSION_ANNOTATION,
  INSTANCE_PROFILE_ANNOTATION,
  MIN_VALUES_RELAXED_ANNOTATION,
  REQUESTED_DRIVERS_ANNOTATION,
  PRICE_OVERLAY_ANNOTATION,
  CAPACITY_OVERLAY_ANNOTATION,
  DISRUPTION_COST_ANNOTATION,
  POD_DELETION_COST_ANNOTATION,
  ON_SURPLUS_NODE_ANNOTATION,
]);

/**
 * Keeps the annotations that decisions read, of pods, DaemonSets, Nodes and NodeClaims. The others are
 * neither stored nor recorded: `last-applied-configuration`, for example, contains the environment of
 * every container.
 */
export const pickReadAnnotations = (annotations: Labels): Labels =>
  Object.fromEntries(Object.entries(annotations).filter(([key]) => READ_ANNOTATIONS.has(key)));

const AWS_INSTANCE_LABELS = [
  'instance-hypervisor',
  'instance-encryption-in-transit-supported',
  'instance-category',
  'instance-capability-flex',
  'instance-family',
  'instance-generation',
  'instance-size',
  'instance-local-nvme',
  'instance-cpu',
  'instance-cpu-manufacturer',
  'instance-cpu-sustained-clock-speed-mhz',
  'instance-memory',
  'instance-ebs-bandwidth',
  'instance-network-bandwidth',
  'instance-gpu-name',
  'instance-gpu-manufacturer',
  'instance-gpu-count',
  'instance-gpu-memory',
  'instance-accelerator-name',
  'instance-accelerator-manufacturer',
  'instance-accelerator-count',
  'instance-tenancy',
  'nitro-sandbox',
  'capacity-reservation-id',
  'capacity-reservation-type',
  'capacity-reservation-interruptible',
  'placement-group-id',
  'placement-group-partition',
].map((name) => `karpenter.k8s.aws/${name}`);

/**
 * Keys that are known for every node before it exists. If an instance type does not have such a
 * key, it counts as DoesNotExist, never as unknown.
 *
 * @see Karpenter, WellKnownLabels of core and of the AWS provider
 */
export const WELL_KNOWN_LABELS: ReadonlySet<string> = new Set([
  NODEPOOL_LABEL,
  CAPACITY_TYPE_LABEL,
  ZONE_LABEL,
  REGION_LABEL,
  ZONE_ID_LABEL,
  INSTANCE_TYPE_LABEL,
  WINDOWS_BUILD_LABEL,
  ARCH_LABEL,
  OS_LABEL,
  NODECLASS_LABEL,
  ...AWS_INSTANCE_LABELS,
]);

// A map, because a label may be called `constructor`.
const ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'failure-domain.beta.kubernetes.io/zone': ZONE_LABEL,
    'failure-domain.beta.kubernetes.io/region': REGION_LABEL,
    'beta.kubernetes.io/arch': ARCH_LABEL,
    'beta.kubernetes.io/os': OS_LABEL,
    'beta.kubernetes.io/instance-type': INSTANCE_TYPE_LABEL,
    'topology.ebs.csi.aws.com/zone': ZONE_LABEL,
  }),
);

/** Returns the stable key for a legacy key, and any other key unchanged. */
export const normaliseLabelKey = (key: string): string => ALIASES.get(key) ?? key;
