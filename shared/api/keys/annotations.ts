/** An annotation, a taint or a finalizer, with its purpose. */
export interface KeyEntry {
  readonly key: string;
  readonly on: string;
  readonly value: string;
  readonly meaning: string;
}

const entry = (key: string, on: string, value: string, meaning: string): KeyEntry => ({
  key,
  on,
  value,
  meaning,
});

/** Where Karpenter 1.0 kept the kubelet settings of a NodePool, as JSON. */
export const KUBELET_ANNOTATION = 'compatibility.karpenter.sh/v1beta1-kubelet-conversion';

export const ANNOTATIONS: readonly KeyEntry[] = [
  entry(
    'karpenter.sh/do-not-disrupt',
    'Pod',
    'true, or a duration like 30m or 1.5h',
    'Mortise does not disrupt the node of this pod voluntarily. With a duration, this holds for that time after the start of the pod.',
  ),
  entry('karpenter.sh/do-not-disrupt', 'Node, NodeClaim', 'true', 'Mortise does not disrupt this node voluntarily.'),
  entry(
    'karpenter.sh/do-not-repair',
    'Node, NodeClaim',
    'true',
    'Mortise neither replaces nor reboots this node when it is unhealthy.',
  ),
  entry(
    'karpenter.sh/reboot-pre-boot-id',
    'NodeClaim',
    'boot ID',
    'Mortise writes the boot of the node here before it reboots the node. Another boot means that the reboot has happened.',
  ),
  entry(
    'karpenter.sh/reboot-termination-grace-period',
    'NodeClaim',
    'duration',
    'Mortise writes here how long the drain before a reboot may take. Pods that remain then stay on the node.',
  ),
  entry(
    'mortise.sh/on-surplus-node',
    'Pod',
    'true',
    'Mortise set the deletion cost of the pod, because its node wastes more than others of its NodePool. It removes both when that is no longer so. Only with the setting `SURPLUS_NODES`.',
  ),
  entry(
    'mortise.sh/restart-when-blocked',
    'Pod',
    'true',
    'If a PodDisruptionBudget blocks the drain of its node, Mortise restarts the Deployment of the pod, so that a replacement runs elsewhere first. The budget then does not keep the node from voluntary disruption. Mortise needs the right to patch Deployments in the namespace.',
  ),
  entry(
    'mortise.sh/make-room',
    'DaemonSet',
    'false',
    'The pods of the DaemonSet wait until full nodes have room by themselves. Without it, such a node counts as drifted after three minutes, with the reason `NoRoomForDaemonSet`.',
  ),
  entry(
    'mortise.sh/voluntary-expiration',
    'NodePool',
    'true',
    'Nodes older than `expireAfter` are replaced as drifted nodes are: a replacement starts first, within the budgets and windows of the reason Drifted. One `terminationGracePeriod` later they are deleted in any case.',
  ),
  entry(
    'mortise.sh/pays-back-at',
    'NodeClaim',
    'time',
    'This node replaced others. Consolidation does not move its pods before this time: ten minutes after a rollout or repair; after a consolidation, when it has saved what the move cost, unless its pods go.',
  ),
  entry(
    'mortise.sh/replaced-instance-types',
    'NodeClaim',
    'instance types',
    'A consolidation launched this node in place of these instance types. No consolidation returns to one of them, unless its pods go.',
  ),
  entry(
    'mortise.sh/expensive-pool',
    'NodeClaim, Node',
    'true',
    'When the node was launched, a cheaper NodePool suited some of the pods that may run on it. The node gets the taint of the same name when it is registered.',
  ),
  entry(
    'mortise.sh/fill-last',
    'NodeClaim, Node',
    'true',
    'The plan keeps the room of the node for pods that its other nodes cannot take. The node gets the taint of the same name when it is registered.',
  ),
  entry(
    'mortise.sh/per-node-hourly-usd',
    'NodePool',
    'USD, 0 or more',
    'What each node of this NodePool costs per hour besides its instance. It replaces `PER_NODE_HOURLY_USD`. With an invalid value the NodePool is not Ready.',
  ),
  entry(
    'mortise.sh/min-drain-duration',
    'NodePool',
    'duration up to 1h, like 5m',
    'A drain of a node of this NodePool takes at least so long, so that load balancers have time to remove the node before its instance ends. The deadline of a drain (`terminationGracePeriod`, interruptions) ends the wait. With an invalid value the NodePool is not Ready.',
  ),
  entry(
    'mortise.sh/hours',
    'NodePool',
    'schedules with durations',
    'The hours of the NodePool, for example `CRON_TZ=Europe/Berlin 0 8 * * mon-fri for 12h`, several with a semicolon between them. Outside of them it launches no node above `mortise.sh/off-hours-nodes`, and nodes above that number are removed within budgets. Five minutes before hours begin, it launches nodes again. With an invalid value the NodePool is not Ready.',
  ),
  entry(
    'mortise.sh/off-hours-nodes',
    'NodePool',
    'number',
    'The nodes that a NodePool with `mortise.sh/hours` may have outside of its hours, 0 by default.',
  ),
  entry(
    'mortise.sh/on-demand-base',
    'NodePool, Pod',
    'vCPUs of the NodePool; pods of the workload',
    'So much runs on demand before anything runs on spot; default 0. With an invalid value a NodePool is not Ready, and a pod is launched as without it.',
  ),
  entry(
    'mortise.sh/on-demand-percent-above-base',
    'NodePool, Pod',
    '0 to 100',
    'The percentage of what is above `mortise.sh/on-demand-base` that runs on demand; default 0.',
  ),
  entry(
    'karpenter.sh/nodepool-hash',
    'NodePool, NodeClaim',
    'hash',
    'A hash of the template. A NodeClaim with another hash than its NodePool is drifted. Fields that are compared separately are left out.',
  ),
  entry(
    'karpenter.sh/nodepool-hash-version',
    'NodePool, NodeClaim',
    's1',
    'The version of the hash. Only hashes of the same version are compared.',
  ),
  entry('karpenter.k8s.aws/ec2nodeclass-hash', 'EC2NodeClass, NodeClaim', 'hash', 'the same of the class'),
  entry('karpenter.k8s.aws/ec2nodeclass-hash-version', 'EC2NodeClass, NodeClaim', 's1', 'the same of the class'),
  entry(
    'karpenter.sh/nodeclaim-termination-timestamp',
    'NodeClaim, Node',
    'RFC 3339',
    'At this time the drain ends, and the instance is terminated with the pods that still run.',
  ),
  entry(
    'karpenter.sh/nodeclaim-min-values-relaxed',
    'NodeClaim',
    'true, false',
    '`true` if the launch used fewer values than `minValues`.',
  ),
  entry(
    'karpenter.sh/requested-dra-drivers',
    'NodeClaim',
    'names, with commas',
    'The node is initialized when these drivers have published their devices.',
  ),
  entry(
    'karpenter.sh/price-overlay-applied',
    'NodeClaim',
    'true',
    'A NodeOverlay changed the price with which Mortise planned.',
  ),
  entry(
    'karpenter.sh/capacity-overlay-applied',
    'NodeClaim',
    'true',
    'A NodeOverlay changed the capacity with which Mortise planned.',
  ),
  entry(
    'karpenter.sh/capacity-buffer-fake-pod',
    'planned pod',
    'true',
    'This pod exists in plans only. It stands for the room that a CapacityBuffer keeps free.',
  ),
  entry('karpenter.sh/capacity-buffer-name', 'planned pod', 'name', 'The name of its CapacityBuffer.'),
  entry('karpenter.sh/capacity-buffer-namespace', 'planned pod', 'namespace', 'The namespace of its CapacityBuffer.'),
  entry('karpenter.k8s.aws/tagged', 'NodeClaim', 'true', 'The instance and its volumes have all tags.'),
  entry(
    'compatibility.karpenter.k8s.aws/cluster-name-tagged',
    'NodeClaim',
    'true',
    'They have the tag of the cluster as well.',
  ),
  entry(
    'karpenter.k8s.aws/instance-profile-name',
    'NodeClaim',
    'name',
    'The instance profile with which the instance was launched.',
  ),
  entry(
    KUBELET_ANNOTATION,
    'NodePool, NodeClaim',
    'JSON',
    'Karpenter 1.0 wrote it. `mortise convert` moves its settings to the EC2NodeClass; they are not in force otherwise.',
  ),
  entry(
    'compatibility.karpenter.k8s.aws/v1beta1-ubuntu',
    'EC2NodeClass',
    'names, with commas',
    'Karpenter 1.0 wrote it. Mortise ignores it.',
  ),
  entry(
    'karpenter.sh/disruption-cost',
    'Pod',
    'whole number of 32 bits',
    'A larger number makes the eviction of the pod more expensive. An invalid value counts as 0.',
  ),
  entry(
    'controller.kubernetes.io/pod-deletion-cost',
    'Pod',
    'whole number',
    'The same for pods without `karpenter.sh/disruption-cost`.',
  ),
];

export const TAINTS: readonly KeyEntry[] = [
  entry('karpenter.sh/unregistered', 'Node', 'NoExecute', 'A new node has this taint until it is registered.'),
  entry(
    'karpenter.sh/disrupted',
    'Node',
    'NoSchedule',
    'The node is about to be removed. Pods that tolerate this taint are not evicted.',
  ),
  entry(
    'karpenter.sh/rebooting',
    'Node',
    'NoSchedule',
    'The node is rebooted in place. The taint goes once the node has another boot. Mortise plans pods onto the node as if it had no such taint.',
  ),
  entry(
    'mortise.sh/surplus',
    'Node',
    'PreferNoSchedule',
    'The NodePool could do without the node, so new pods prefer other nodes. Mortise plans pods onto the node as if it had no such taint. Only with the setting `SURPLUS_NODES`.',
  ),
  entry(
    'mortise.sh/expensive-pool',
    'Node',
    'PreferNoSchedule',
    'A cheaper NodePool suits some of the pods that may run on the node. These pods prefer the cheaper NodePool while it has room; the others have no such choice. Mortise plans pods onto the node as if it had no such taint. The setting `STEER_PODS` turns it off.',
  ),
  entry(
    'mortise.sh/fill-last',
    'Node',
    'PreferNoSchedule',
    'The node was launched for pods that the other nodes of its plan cannot take, so pods that fit elsewhere prefer those. The taint is removed five minutes after the node was created. Mortise plans pods onto the node as if it had no such taint. The setting `STEER_PODS` turns it off.',
  ),
  entry(
    'node.kubernetes.io/not-ready',
    'Node',
    'NoSchedule, NoExecute',
    'Expected on a starting node. Mortise plans pods onto the node as if the taint were gone.',
  ),
  entry(
    'node.kubernetes.io/unreachable',
    'Node',
    'NoSchedule',
    'Expected on a starting node. Mortise plans pods onto the node as if the taint were gone.',
  ),
  entry(
    'node.cloudprovider.kubernetes.io/uninitialized',
    'Node',
    'NoSchedule',
    'Expected on a starting node. Mortise plans pods onto the node as if the taint were gone.',
  ),
  entry(
    'readiness.k8s.io/*',
    'Node',
    'any',
    'Expected on a starting node. Mortise plans pods onto the node as if the taint were gone.',
  ),
];

export const FINALIZERS: readonly KeyEntry[] = [
  entry(
    'karpenter.sh/termination',
    'Node, NodeClaim',
    '',
    'Mortise drains the node and terminates the instance before the object is deleted.',
  ),
  entry(
    'karpenter.k8s.aws/termination',
    'EC2NodeClass',
    '',
    'Mortise waits for the last NodeClaim of the class, and then deletes its instance profiles and launch templates.',
  ),
];
