/** Manifests and values that one accepts and the other refuses, or takes otherwise. */
export const ACCEPTED: readonly (readonly [subject: string, karpenter: string, mortise: string])[] = [
  ['ids of subnets, security groups and images', 'may be a part of the text', 'must be the whole text'],
  [
    '`kubelet.podsPerCore` with Bottlerocket',
    '1.14 launches nodes',
    'launches nothing from the class: `ValidationSucceeded` is false (as Karpenter after 1.14); `validate` and `doctor` say so',
  ],
  [
    '`kubelet.imageGCHighThresholdPercent` that is negative, or not above the low threshold',
    '1.14 refuses the object',
    'accepts the object and launches nothing from it (as Karpenter after 1.14); `validate` and `doctor` say so',
  ],
  ['volume sizes 18Ti, 19Ti, 28Ti, …', 'rejected', 'accepted'],
  ['volume size `Ti` without a number', 'accepted', 'rejected'],
  [
    '`spec.kubelet` with a field that the newest kubelet does not have',
    'launches nothing from the class',
    'a warning: a newer kubelet may have it',
  ],
  [
    'the label `karpenter.k8s.aws/nitro-sandbox` in requirements and labels',
    '1.14 accepted it, 1.15 rejects it',
    'accepted',
  ],
  [
    "a field of an EC2NodeClass or of a NodePool's template that only a newer CRD has",
    '–',
    'nothing is launched from the object, `ValidationSucceeded` is False and names the field; running nodes stay',
  ],
  [
    'texts of conditions, such as "SubnetSelector did not match any Subnets"',
    'as in 1.14',
    'other words, the same types and reasons',
  ],
  ['an alias with two `@`', 'accepted, and then the controller crashes', 'rejected'],
  [
    'CapacityBuffer with `replicas` and `percentage`',
    'the smaller value by its documentation, the larger by its code',
    'the larger value',
  ],
  [
    'a pod that never ends, at the end of `terminationGracePeriod`',
    'its node ends a minute later',
    'its node ends at the deadline',
  ],
  [
    'a pod that fixes the zone, in a NodePool with `minValues` over zones',
    '1.14 launches a node, 1.15 leaves the pod pending: it only counts zones that the pod allows',
    'launches a node, as 1.14',
  ],
  [
    'required anti-affinity on a custom topology key, all domains taken',
    'the pod stays pending',
    'it also runs on nodes without the key, as kube-scheduler allows',
  ],
];
