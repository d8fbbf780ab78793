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

export const ANNOTATIONS: readonly KeyEntry[] = [
  entry(
    'karpenter.sh/do-not-disrupt',
    'Pod',
    'true, or a duration like 30m or 1.5h',
    'the node of the pod is not disrupted of our own accord; with a duration, only for so long after the pod started',
  ),
  entry(
    'karpenter.sh/do-not-disrupt',
    'Node, NodeClaim',
    'true',
    'the node is not disrupted of our own accord',
  ),
  entry(
    'mortise.sh/restart-when-blocked',
    'Pod',
    'true',
    'if a PodDisruptionBudget holds up a drain, the Deployment of the pod is restarted, so that its replacement runs elsewhere first; needs the right to patch Deployments in its namespace',
  ),
  entry(
    'mortise.sh/voluntary-expiration',
    'NodePool',
    'true',
    'nodes older than expireAfter are replaced like drifted nodes: within budgets of the reason Drifted and their windows, replacement first; deleted regardless only one terminationGracePeriod later',
  ),
  entry(
    'mortise.sh/pays-back-at',
    'NodeClaim',
    'time',
    'launched by a consolidation: not moved again before its saving has paid for that, unless its pods go',
  ),
  entry(
    'mortise.sh/replaced-instance-types',
    'NodeClaim',
    'instance types',
    'launched by a consolidation: what it and its predecessors replaced; no consolidation goes back to these, unless its pods go',
  ),
  entry(
    'mortise.sh/per-node-hourly-usd',
    'NodePool',
    'USD, 0 or more',
    'what each of its nodes costs besides its instance, instead of `PER_NODE_HOURLY_USD`; with another value the NodePool is not Ready',
  ),
  entry(
    'karpenter.sh/nodepool-hash',
    'NodePool, NodeClaim',
    'hash',
    'what the template says, less what is compared otherwise; differing: drifted',
  ),
  entry(
    'karpenter.sh/nodepool-hash-version',
    'NodePool, NodeClaim',
    's1',
    'how the hash is made; hashes of other versions are not compared',
  ),
  entry(
    'karpenter.k8s.aws/ec2nodeclass-hash',
    'EC2NodeClass, NodeClaim',
    'hash',
    'the same of the class',
  ),
  entry(
    'karpenter.k8s.aws/ec2nodeclass-hash-version',
    'EC2NodeClass, NodeClaim',
    's1',
    'the same of the class',
  ),
  entry(
    'karpenter.sh/nodeclaim-termination-timestamp',
    'NodeClaim, Node',
    'RFC 3339',
    'when draining ends, whatever still runs',
  ),
  entry(
    'karpenter.sh/nodeclaim-min-values-relaxed',
    'NodeClaim',
    'true, false',
    'whether fewer values than minValues had to do',
  ),
  entry(
    'karpenter.sh/requested-dra-drivers',
    'NodeClaim',
    'names, with commas',
    'drivers that must be there before the node counts as ready',
  ),
  entry(
    'karpenter.sh/price-overlay-applied',
    'NodeClaim',
    'true',
    'a NodeOverlay changed the price that was counted with',
  ),
  entry(
    'karpenter.sh/capacity-overlay-applied',
    'NodeClaim',
    'true',
    'a NodeOverlay changed the capacity that was counted with',
  ),
  entry(
    'karpenter.sh/capacity-buffer-fake-pod',
    'planned pod',
    'true',
    'stands for room that is kept free',
  ),
  entry('karpenter.sh/capacity-buffer-name', 'planned pod', 'name', 'its CapacityBuffer'),
  entry(
    'karpenter.sh/capacity-buffer-namespace',
    'planned pod',
    'namespace',
    'the namespace of its CapacityBuffer',
  ),
  entry('karpenter.k8s.aws/tagged', 'NodeClaim', 'true', 'instance and volumes carry all tags'),
  entry(
    'compatibility.karpenter.k8s.aws/cluster-name-tagged',
    'NodeClaim',
    'true',
    'the tag of the cluster is on them as well',
  ),
  entry(
    'karpenter.k8s.aws/instance-profile-name',
    'NodeClaim',
    'name',
    'instance profile at launch',
  ),
  entry(
    'compatibility.karpenter.sh/v1beta1-kubelet-conversion',
    'NodePool, NodeClaim',
    'JSON',
    'left by 1.0; `mortise convert` reads it',
  ),
  entry(
    'compatibility.karpenter.k8s.aws/v1beta1-ubuntu',
    'EC2NodeClass',
    'names, with commas',
    'left by 1.0',
  ),
  entry(
    'controller.kubernetes.io/pod-deletion-cost',
    'Pod',
    'whole number',
    'read: what its eviction costs',
  ),
];

export const TAINTS: readonly KeyEntry[] = [
  entry('karpenter.sh/unregistered', 'Node', 'NoExecute', 'from birth until registration'),
  entry(
    'karpenter.sh/disrupted',
    'Node',
    'NoSchedule',
    'chosen for disruption, or ending; pods that tolerate it are not drained',
  ),
  entry(
    'node.kubernetes.io/not-ready',
    'Node',
    'NoSchedule, NoExecute',
    'passes by itself while a node settles',
  ),
  entry(
    'node.kubernetes.io/unreachable',
    'Node',
    'NoSchedule',
    'passes by itself while a node settles',
  ),
  entry(
    'node.cloudprovider.kubernetes.io/uninitialized',
    'Node',
    'NoSchedule',
    'passes by itself while a node settles',
  ),
  entry('readiness.k8s.io/*', 'Node', 'any', 'passes by itself while a node settles'),
];

export const FINALIZERS: readonly KeyEntry[] = [
  entry(
    'karpenter.sh/termination',
    'Node, NodeClaim',
    '',
    'the node drains and the instance ends before the object goes',
  ),
  entry(
    'karpenter.k8s.aws/termination',
    'EC2NodeClass',
    '',
    'waits for the last NodeClaim, then removes instance profiles and launch templates',
  ),
];
