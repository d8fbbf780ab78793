import type { ReasonGuide } from './guide.ts';

/** Why a node stays or goes. */
export const REMOVAL_GUIDES = {
  'blocked-by-pdb': {
    meaning: 'A PodDisruptionBudget allows no eviction now, so the node stays.',
    causes: ['minAvailable equals the number of replicas', 'a pod is not ready'],
    fixes: ['allow one disruption, or add a replica', 'repair the pod that is not ready'],
  },
  'blocked-restart': {
    meaning:
      'A PodDisruptionBudget allows no eviction, and the Deployment of the pod, which may be restarted elsewhere, cannot be.',
    causes: [
      'the strategy is Recreate, or allows unavailable pods',
      'a rollout is under way, or the Deployment is paused',
      'Mortise may not patch Deployments in the namespace',
    ],
    fixes: [
      'set maxUnavailable: 0 and maxSurge: 1 in the strategy of the Deployment',
      'bind the right to patch Deployments to the group mortise:node-lifecycle',
      'allow one disruption, or add a replica',
    ],
  },
  'blocked-by-do-not-disrupt': {
    meaning: 'A pod or node carries the annotation karpenter.sh/do-not-disrupt.',
    causes: ['the annotation was set on purpose, often on Jobs'],
    fixes: ['remove the annotation, or wait for the pod to end'],
  },
  'budget-exhausted': {
    meaning: 'As many nodes of the NodePool are disrupted as its budget allows.',
    causes: ['other nodes are being replaced'],
    fixes: ['wait, or raise spec.disruption.budgets'],
  },
  'budget-closed': {
    meaning: 'A budget of the NodePool allows no disruption now.',
    causes: ['a budget of 0 nodes, often with a schedule and a duration'],
    fixes: ['wait for the window that is named, or raise spec.disruption.budgets'],
  },
  'window-spread': {
    meaning: 'A window has opened, and the moves that waited for it are spread over its first half, at most an hour.',
    causes: ['other nodes of the NodePool have waited longer'],
    fixes: ['none: wait'],
  },
  'budget-unreadable': {
    meaning: 'A budget of the NodePool cannot be read, so nothing is disrupted.',
    causes: ['a schedule that cannot be computed', 'a time zone that does not exist'],
    fixes: ['correct spec.disruption.budgets: mortise validate names the field'],
  },
  'consolidate-after': {
    meaning: 'Pods of the node changed a short time ago.',
    causes: ['spec.disruption.consolidateAfter'],
    fixes: ['none: due at the time that is named', 'or lower consolidateAfter'],
  },
  'consolidation-disabled': {
    meaning: 'The NodePool does not consolidate such nodes.',
    causes: ['consolidateAfter: Never', 'consolidationPolicy: WhenEmpty'],
    fixes: ['set consolidateAfter to a duration, and consolidationPolicy to WhenEmptyOrUnderutilized'],
  },
  'no-cheaper-replacement': {
    meaning: 'No other node for these pods would cost less.',
    causes: ['the node has the cheapest fitting type'],
    fixes: ['allow more types, arm64 or spot in the NodePool'],
  },
  'pods-do-not-fit': {
    meaning: 'The pods of the node fit nowhere else.',
    causes: ['requests, affinity, volumes or taints of the first pod that is named'],
    fixes: ['see the reason that follows it: mortise reasons CODE'],
  },
  'on-demand-share': {
    meaning: 'A NodePool or workload keeps a share on demand, and the move would take from it.',
    causes: ['the annotations mortise.sh/on-demand-base and mortise.sh/on-demand-percent-above-base'],
    fixes: ['none: this is what the share is for', 'or lower it'],
  },
  'paid-by-commitment': {
    meaning: 'Reserved instances or a Savings Plan pay for the node, so its removal would save nothing.',
    causes: ['the setting COMMITTED_CAPACITY'],
    fixes: ['none: empty nodes are removed', 'or lower its share, if other clusters use the commitment'],
  },
  'spot-diversity': {
    meaning: 'A spot node is replaced only if enough cheaper spot types fit; fewer would be interrupted soon.',
    causes: ['requirements that allow few types'],
    fixes: ['allow more families, generations or sizes'],
  },
  'spot-to-spot-disabled': {
    meaning: 'Moving pods from one spot node to a cheaper one is off.',
    causes: ['the feature gate SpotToSpotConsolidation is off'],
    fixes: ['set FEATURE_GATES=SpotToSpotConsolidation=true'],
  },
  'not-priced': {
    meaning:
      'Consolidation removes nodes here, but never replaces one: the planner compares types by vCPU and memory, not by price.',
    causes: [
      'the region has no price list API: GovCloud; or a controller without a stack runs in an isolated VPC',
      'the function catalog-refresh has not read prices yet',
    ],
    fixes: [
      'none: nodes without pods still go, and so do nodes whose pods fit elsewhere',
      'docs/instance-types.md names the ways to get prices',
    ],
  },
  'not-worth-disruption': {
    meaning: 'The saving is too small for the pods that would move.',
    causes: ['consolidationPolicy: Balanced'],
    fixes: ['none', 'or set consolidationPolicy to WhenEmptyOrUnderutilized'],
  },
  'not-paid-back': {
    meaning: 'The move costs more than it saves within the limit.',
    causes: [
      'many pods for a small saving',
      'CONSOLIDATION_PAYBACK',
      'pods that have just started: for half an hour their eviction costs up to twice as much',
      'the NodePool is launching nodes, so it would need the room again soon (GROWTH_WINDOW)',
      'the node expires soon',
    ],
    fixes: ['none: wait until the time that is named, if there is one', 'or raise CONSOLIDATION_PAYBACK'],
  },
  'saves-too-little': {
    meaning: 'The saving per hour is below the threshold.',
    causes: ['a small difference of prices'],
    fixes: ['none', 'or lower the threshold in the settings'],
  },
  'still-paying-back': {
    meaning:
      'The node replaced others: it has not yet paid for that move, or its pods have moved within the last ten minutes.',
    causes: ['a recent consolidation, rollout or repair'],
    fixes: ['none: wait until the time that is named'],
  },
  'after-commands': {
    meaning: 'Other moves start now; this node is looked at when they have ended.',
    causes: ['moves that share nodes or budgets'],
    fixes: ['none: wait'],
  },
  'would-return': {
    meaning: 'The only cheaper type was replaced on the way to this node; going back would be a circle.',
    causes: ['prices that go up and down'],
    fixes: [],
  },
  'removal-deferred': {
    meaning: 'A plan of removals did not end. Nodes are looked at in parts, until the one that ended it is found.',
    causes: ['a defect in Mortise', 'a function that was ended for another reason'],
    fixes: ['none: wait'],
  },
  'removal-planning-failed': {
    meaning:
      'The planner ended by an error, its time limit or for want of memory, each time that it planned the removal of this node alone. The removal of other nodes is planned.',
    causes: ['a defect in Mortise that a property of the node or of its pods brings out'],
    fixes: ['report it with the file of mortise snapshot', 'delete the NodeClaim: it is then drained'],
  },
  'quiet-after-hand-over': {
    meaning:
      'The cluster was taken over from Karpenter or another stack. No node is removed or replaced for ten minutes, except for expiration, interruptions and deletions.',
    causes: ['the plans of the owner before are unknown'],
    fixes: ['none: wait until the time that is named'],
  },
  'removals-paused': {
    meaning:
      'The planner ended by an error, its time limit or for want of memory, several times in a row, whichever nodes it left out. No removal is planned during the pause.',
    causes: [
      'a defect in Mortise that a property of a NodePool or of a running pod brings out',
      'a defect that the removal of any node meets',
    ],
    fixes: [
      'report it with the file of mortise snapshot',
      'revert the last change of a NodePool',
      'delete NodeClaims that must go: they are drained',
    ],
  },
  'launch-under-way': {
    meaning: 'A node is being launched that may change what this node is for.',
    causes: ['a scale-up or a replacement'],
    fixes: ['none: wait'],
  },
  nominated: {
    meaning: 'Pods are planned onto this node.',
    causes: ['a recent plan'],
    fixes: ['none: wait until the time that is named'],
  },
  drifted: {
    meaning: 'The node differs from its NodePool or EC2NodeClass and is replaced.',
    causes: ['a new AMI, changed requirements, subnets or security groups'],
    fixes: ['none', 'pin the AMI to keep nodes: amiSelectorTerms'],
  },
  unhealthy: {
    meaning: 'A condition of the node has failed for longer than it may, so the node is replaced.',
    causes: ['a fault of the hardware, the kubelet, the network or the storage of the node'],
    fixes: ['none', 'keep the node to look at it: annotation karpenter.sh/do-not-repair'],
  },
  'terminates-first': {
    meaning: 'The node is replaced. No replacement can come first, so the node is drained before.',
    causes: ['its capacity reservation is full', 'its static NodePool has as many nodes as its limit allows'],
    fixes: ['none', 'a larger reservation or limit', 'the gates TerminateFirstDrift and TerminateFirstRepair off'],
  },
  'drift-backoff': {
    meaning: 'A replacement did not come up, so the rollout of the NodePool pauses.',
    causes: ['the new node did not register or did not become ready'],
    fixes: ['mortise describe nodeclaim NAME', 'correct the EC2NodeClass'],
  },
  'disrupted-by-karpenter': {
    meaning: 'Karpenter runs this cluster and has begun to disrupt the node.',
    causes: ['the node is empty, underutilized or drifted, says its NodeClaim'],
    fixes: ['none: wait until its replacement is ready', 'kubectl describe nodeclaim NAME'],
  },
  'static-at-limit': {
    meaning: 'A static NodePool has as many nodes as its limits allow, so no replacement can come first.',
    causes: ['spec.limits.nodes equals spec.replicas'],
    fixes: ['raise spec.limits.nodes by one'],
  },
  'static-without-replacement': {
    meaning: 'A drifted node of a static NodePool stays until its replacement can be launched.',
    causes: ['the NodePool or its EC2NodeClass is not ready', 'EC2 has no capacity for its types'],
    fixes: ['mortise describe nodepool NAME', 'permit more instance types or zones'],
  },
  'static-too-large': {
    meaning: 'A static NodePool removes surplus nodes before it replaces drifted ones.',
    causes: ['spec.replicas was lowered'],
    fixes: ['none: wait'],
  },
  'rollout-first-node': {
    meaning: 'One node with the new image must be ready before others follow.',
    causes: ['a new AMI'],
    fixes: ['none: wait'],
  },
  'rollout-nodes-not-ready': {
    meaning: 'Nodes with the new image were ready and are not any more, so the rollout waits.',
    causes: ['the image or the user data break nodes after some time'],
    fixes: ['check the nodes that are not ready', 'pin the image before it'],
  },
  'rollout-stopped': {
    meaning: 'The rollout of an image ended because its nodes failed.',
    causes: ['the image or the user data'],
    fixes: ['pin the image before it in amiSelectorTerms'],
  },
  underutilized: {
    meaning: 'The node is removed: its pods fit elsewhere for less.',
    causes: [],
    fixes: ['annotate pods with karpenter.sh/do-not-disrupt if they must stay'],
  },
  'underutilized-together': {
    meaning: 'Several nodes are removed together: their pods fit on fewer or cheaper nodes.',
    causes: [],
    fixes: ['annotate pods with karpenter.sh/do-not-disrupt if they must stay'],
  },
  'depends-on-order': {
    meaning: 'The pods fit elsewhere in some orders of binding only, so the node stays.',
    causes: ['pods that compete for the same room, spread or affinity'],
    fixes: ['none needed: the next decisions look at the node again'],
  },
  'removed-in-off-hours': {
    meaning: 'The NodePool has more nodes than it may have in its off hours.',
    causes: ['the annotations mortise.sh/hours and mortise.sh/off-hours-nodes of the NodePool'],
    fixes: ['annotate pods with karpenter.sh/do-not-disrupt if they must stay', 'or change the hours of the NodePool'],
  },
  empty: {
    meaning: 'The node is removed: only DaemonSet pods ran on it.',
    causes: [],
    fixes: ['raise consolidateAfter to keep empty nodes longer'],
  },
  'drain-stuck': {
    meaning: 'The node should go, and pods did not leave it in time.',
    causes: ['a PodDisruptionBudget', 'a finalizer', 'a long terminationGracePeriodSeconds'],
    fixes: ['see the blockers', 'set terminationGracePeriod of the NodePool as a limit'],
  },
  'state-incomplete': {
    meaning: 'Something that the decision needs could not be read, so none is made.',
    causes: ['a right is missing', 'an API server that does not answer'],
    fixes: ['correct what is named', 'apply the ClusterRole of this release'],
  },
} as const satisfies Record<string, ReasonGuide>;
