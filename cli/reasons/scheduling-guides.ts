import type { ReasonGuide } from './guide.ts';

/** Why a pod waits. */
export const SCHEDULING_GUIDES = {
  'limit-reached': {
    meaning: 'The NodePool has reached a limit of its own, and the smallest node for the pod would exceed it.',
    causes: ['spec.limits of the NodePool is too low', 'nodes that could be removed still run'],
    fixes: [
      'raise spec.limits of the NodePool',
      'remove workloads that are no longer needed',
      'allow another NodePool',
    ],
  },
  'no-usable-pool': {
    meaning: 'There is no NodePool that Mortise could launch a node from.',
    causes: ['there is none', 'the nodeClassRef of each names the NodeClass of another autoscaler'],
    fixes: ['create a NodePool whose nodeClassRef names an EC2NodeClass of karpenter.k8s.aws'],
  },
  'off-hours': {
    meaning: 'The NodePool is in its off hours and has all nodes that it may have in them.',
    causes: ['the annotations mortise.sh/hours and mortise.sh/off-hours-nodes of the NodePool'],
    fixes: ['none: wait until the time that is named', 'or change the hours of the NodePool'],
  },
  'pool-not-ready': {
    meaning: 'The NodePool may not launch nodes until its condition is true.',
    causes: ['its EC2NodeClass does not exist or is not Ready', 'a field is refused at runtime'],
    fixes: ['mortise validate -f FILE names the field', 'create or correct the EC2NodeClass'],
  },
  'pods-not-received': {
    meaning: 'Nodes that were launched for these pods came up, and kube-scheduler bound other pods or none to them.',
    causes: ['a scheduler with other rules than the default one', 'pods that change after the plan'],
    fixes: ['wait for the time that is named', 'check schedulerName and admission webhooks of the pods'],
  },
  'pool-takes-no-pods': {
    meaning: 'The NodePool launches a fixed number of nodes, or is left out for the reason that is named.',
    causes: ['spec.replicas is set', 'the NodePool is being deleted'],
    fixes: ['use a NodePool without spec.replicas'],
  },
  'zone-without-subnet': {
    meaning: 'The pod may run in this zone only, and the EC2NodeClass selects no subnet there.',
    causes: ['subnetSelectorTerms match subnets of other zones only'],
    fixes: ['tag a subnet of the zone, or allow another zone'],
  },
  'subnets-full': {
    meaning: 'The selected subnets of this zone have no address left for a node and its pods.',
    causes: ['small subnets', 'many pods with addresses of their own'],
    fixes: ['add a subnet to subnetSelectorTerms', 'use prefix delegation'],
  },
  'no-room': {
    meaning: 'The node that runs has less room than the pod requests.',
    causes: ['other pods use the node'],
    fixes: ['none: this concerns one node, and a new one is planned'],
  },
  'pool-has-no-types': {
    meaning: 'The requirements of the NodePool exclude every instance type.',
    causes: ['a misspelt type, family or zone', 'two requirements that exclude each other'],
    fixes: [
      'mortise validate -f FILE names unknown values',
      'mortise instance-types -f FILE --excluded shows what excludes each type',
    ],
  },
  'taint-not-tolerated': {
    meaning: 'The NodePool taints its nodes, and the pod does not tolerate the taint.',
    causes: ['the NodePool is meant for other pods', 'a toleration is missing'],
    fixes: ['add the toleration to the pod, or use a NodePool without the taint'],
  },
  'unknown-label': {
    meaning: 'The pod selects a label that no node has and no NodePool gives.',
    causes: ['a misspelt key', 'a label that is set on nodes by hand'],
    fixes: ['correct the key, or add the label to spec.template.metadata.labels of a NodePool'],
  },
  'requirement-conflict': {
    meaning: 'Pod and NodePool both restrict a label, and no value satisfies both.',
    causes: ['nodeSelector or node affinity of the pod', 'requirements of the NodePool'],
    fixes: ['add the value to the NodePool, or remove the selector from the pod'],
  },
  'too-large': {
    meaning: 'No instance type that the NodePool allows has room for the pod and the DaemonSets.',
    causes: ['large requests', 'requirements that allow small types only'],
    fixes: ['allow larger types, or request less'],
  },
  'no-type-matches': {
    meaning: 'No instance type meets all criteria at once.',
    causes: ['criteria of pod and NodePool together'],
    fixes: ['drop the criterion that is named as missing most'],
  },
  'no-offering-in-zone': {
    meaning: 'The types that fit are not sold in this zone with this capacity type.',
    causes: ['a zone without the family', 'spot where a type has no spot capacity'],
    fixes: ['allow another zone, family or capacity type'],
  },
  'min-values-unmet': {
    meaning: 'The NodePool asks with minValues for more different values than fit.',
    causes: ['minValues is too high for the other requirements'],
    fixes: ['lower minValues, or allow more families, types or zones'],
  },
  'topology-spread': {
    meaning: 'A node in any domain that has nodes to offer would violate maxSkew.',
    causes: ['a zone in the spread that no NodePool can use', 'pods that pile up in one zone'],
    fixes: ['allow the zone in the NodePool', 'raise maxSkew', 'use ScheduleAnyway'],
  },
  'pod-affinity': {
    meaning: 'The pod must run beside pods that do not run.',
    causes: ['the other workload has no running pod', 'the selector is misspelt'],
    fixes: ['start the other workload', 'correct the selector'],
  },
  'pod-anti-affinity': {
    meaning: 'Every domain holds a pod that this one must not share it with.',
    causes: ['more replicas than zones', 'anti-affinity over zones that was meant for hosts'],
    fixes: ['use kubernetes.io/hostname as topologyKey, or a preferred rule'],
  },
  'volume-not-ready': {
    meaning: 'A PersistentVolumeClaim of the pod cannot be bound yet.',
    causes: ['the claim, its StorageClass or its volume does not exist'],
    fixes: ['create what is named'],
  },
  'volume-elsewhere': {
    meaning: 'Two volumes of the pod are in different places.',
    causes: ['volumes that were created in different zones'],
    fixes: ['restore one volume from a snapshot in the zone of the other'],
  },
  'device-claims': {
    meaning: 'The pod claims devices, and Mortise is set to ignore such pods.',
    causes: ['IGNORE_DRA_REQUESTS is true'],
    fixes: ['set IGNORE_DRA_REQUESTS=false'],
  },
  'devices-not-served': {
    meaning: 'The pod claims devices, and the API for them cannot be read.',
    causes: ['the API group resource.k8s.io is off', 'a right is missing'],
    fixes: ['enable the API group', 'apply the ClusterRole of this release'],
  },
  'device-claim-not-ready': {
    meaning: 'A ResourceClaim of the pod cannot be used.',
    causes: ['the claim or its template does not exist'],
    fixes: ['create what is named'],
  },
  'devices-elsewhere': {
    meaning: 'Two ResourceClaims of the pod need different nodes.',
    causes: ['devices that were allocated on different nodes'],
    fixes: ['delete one claim, so that it is allocated again'],
  },
  'devices-unknown': {
    meaning: 'Which devices these instance types have is learned from running nodes, and none runs yet.',
    causes: ['a first pod with a claim on a new instance type'],
    fixes: ['run one node of the type with a pod without a claim'],
  },
  'devices-missing': {
    meaning: 'No instance type that is allowed has the devices that the claim requests.',
    causes: ['a selector of the DeviceClass', 'requirements of the NodePool'],
    fixes: ['allow a type with the devices, or correct the request'],
  },
  'devices-in-use': {
    meaning: 'The devices of the running node are in use.',
    causes: ['other pods hold them'],
    fixes: ['none: a new node is planned if a NodePool allows it'],
  },
  'devices-taken': {
    meaning: 'The claim is allocated to devices that the pod cannot reach.',
    causes: ['a shared claim whose pods run on another node'],
    fixes: ['place the pods together, or use a claim template'],
  },
  'reservation-taken': {
    meaning: 'Another pod of the same plan gets the last instance of a capacity reservation.',
    causes: ['a reservation that is nearly used'],
    fixes: ['none: the next plan decides', 'or allow on-demand'],
  },
  'next-plan': {
    meaning: 'A plan looks at a limited number of pods, and the next one looks at this pod.',
    causes: ['thousands of pods at once'],
    fixes: ['none: wait'],
  },
  'too-complex': {
    meaning: 'Planning the pod would take more work than one plan may do.',
    causes: ['very many node selector terms, spreads, affinities or host ports'],
    fixes: ['use fewer of them'],
  },
  'planning-failed': {
    meaning:
      'The planner ended by an error, its time limit or for want of memory, each time that it planned these pods alone. Other pods are planned without them.',
    causes: ['a defect in Mortise that a property of these pods brings out'],
    fixes: ['report it with the file of mortise snapshot', 'change the pods: a changed pod is planned at once'],
  },
  'planning-paused': {
    meaning:
      'The planner ended by an error, its time limit or for want of memory, several times in a row, also without any pod. No pod is planned during the pause.',
    causes: ['a defect in Mortise that a property of a NodePool or of a running pod brings out'],
    fixes: ['report it with the file of mortise snapshot', 'revert the last change of a NodePool'],
  },
  'host-port-conflict': {
    meaning: 'A host port of the pod is in use on the node.',
    causes: ['two pods with the same hostPort'],
    fixes: ['free the port, or use a Service'],
  },
  'pod-not-considered': {
    meaning: 'Mortise leaves the pod to kube-scheduler.',
    causes: ['a scheduling gate', 'another scheduler', 'the pod is bound or being deleted'],
    fixes: ['remove the gate, or set schedulerName to default-scheduler'],
  },
  'waiting-for-node': {
    meaning: 'A node for the pod is on its way.',
    causes: ['the instance starts, or the kubelet registers'],
    fixes: ['none: wait', 'mortise describe nodeclaim NAME shows the phases'],
  },
  ice: {
    meaning: 'EC2 had no capacity for this type, zone and capacity type.',
    causes: ['a shortage at AWS'],
    fixes: ['none: it is tried again at the time that is named', 'or allow more types and zones'],
  },
  'zonal-shift': {
    meaning: 'The zone is shifted away, so nothing is launched there.',
    causes: ['a zonal shift of Amazon Application Recovery Controller'],
    fixes: ['end the shift when the zone is healthy'],
  },
} as const satisfies Record<string, ReasonGuide>;
