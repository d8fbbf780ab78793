import { DO_NOT_SYNC_TAINTS_LABEL, REGISTERED_LABEL } from '../../model/labels.ts';
import { isRegisteredNode, type Node } from '../../model/nodes/node.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { NodeClaimObject } from '../../model/nodes/node-claim-object.ts';
import { listSteeringTaints } from '../../model/nodes/steering-taints.ts';
import { isSameTaint, mergeTaints, type Taint, UNREGISTERED_TAINT } from '../../model/requirements/taints.ts';
import { withoutWait, withWait } from '../claim-wait.ts';
import { addTerminationFinalizer } from '../node-edits.ts';
import type { Observed } from '../observed.ts';
import { type NodeEdit, type Step, waitStep } from '../step.ts';
import { awaitPartition, partitionLabelOf, withPartition } from './partition.ts';

const LAST_APPLIED_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Registers the Node that joined for the claim. Until then the unregistered taint keeps pods away.
 * If two Nodes have the same instance, the claim fails at the registration deadline.
 */
export function register(stored: NodeClaim, observed: Observed): Step {
  const { nodes, now, object } = observed;
  if (stored.waitsFor?.reason === MULTIPLE_NODES) return waitStep(stored);
  const [node, another] = nodes;
  if (!node) return waitStep(stored);
  if (another) return waitStep(withWait(stored, buildMultipleNodesWait(nodes), now));

  const claim = withPartition(stored, observed);
  if (!claim) return waitStep(awaitPartition(stored, observed));
  return {
    claim: { ...withoutWait(claim), registeredAt: now, nodeName: node.name },
    effects: [{ kind: 'change-node', node, change: buildNodeEdit(claim, node, object) }],
    events: isProtectedFromPods(node) ? [] : [{ kind: 'unguarded', at: now, claim: claim.name }],
  };
}

/** True as long as the taint of the bootstrap keeps pods away. */
export const isUnregistered = ({ labels, taints }: Node): boolean =>
  labels[REGISTERED_LABEL] !== 'true' && taints.some((taint) => isSameTaint(taint, UNREGISTERED_TAINT));

/** Registers the Node that has taken the place of the one that was registered. */
export const registerAgain = (claim: NodeClaim, node: Node, { object }: Observed): Step => ({
  claim: { ...withoutWait(claim), nodeName: node.name },
  effects: [{ kind: 'change-node', node, change: buildNodeEdit(claim, node, object) }],
  events: [],
});

/**
 * Returns the claim with a registration that its record lacks, if no taint kept pods away from its Node:
 * the process stopped between the two writes, or the record was made again after the Node had lost its
 * labels. The drain of a claim without it would be skipped.
 *
 * @returns `claim` itself if it has a registration, or no pods
 */
export function recoverRegistration(claim: NodeClaim, { nodes, now }: Observed): NodeClaim {
  const node = nodes.find((one) => isRegisteredNode(one) || !isUnregistered(one));
  if (claim.registeredAt !== undefined || !node) return claim;
  return { ...withoutWait(claim), registeredAt: now, nodeName: node.name };
}

/** True if only the record of the registration is missing: the next step writes it. */
export const isRegistrationUnrecorded = ({ waitsFor }: NodeClaim, { nodes: [node, another] }: Observed): boolean =>
  waitsFor?.reason !== MULTIPLE_NODES && another === undefined && node !== undefined && isRegisteredNode(node);

const MULTIPLE_NODES = 'MultipleNodesFound';

const buildMultipleNodesWait = (nodes: readonly Node[]) => ({
  condition: 'Registered' as const,
  status: 'False' as const,
  reason: MULTIPLE_NODES,
  message: `${nodes.map(({ name }) => name).join(', ')} have one provider id`,
});

/**
 * Without the taint, pods may have been scheduled before labels and taints were set. A previous
 * pass may have removed it.
 */
const isProtectedFromPods = (node: Node): boolean =>
  isRegisteredNode(node) || node.taints.some((taint) => isSameTaint(taint, UNREGISTERED_TAINT));

/** Labels and annotations that users wrote on the claim's object are copied to the Node. */
const buildNodeEdit = (claim: NodeClaim, node: Node, object: Observed['object']): NodeEdit => ({
  finalizers: addTerminationFinalizer(node),
  labels: {
    ...claim.launch?.labels,
    ...claim.labels,
    ...readObjectMetadata(object).labels,
    // The object may still have an empty label.
    ...partitionLabelOf(claim),
    [REGISTERED_LABEL]: 'true',
  },
  annotations: { ...claim.annotations, ...readObjectMetadata(object).annotations },
  taints: computeTaints(claim, node).filter((taint) => !isSameTaint(taint, UNREGISTERED_TAINT)),
});

/** The annotation of kubectl apply describes the NodeClaim object and is not copied. */
function readObjectMetadata(object: Observed['object']): Pick<NodeClaimObject, 'labels' | 'annotations'> {
  if (object === undefined || object === 'missing') return { labels: {}, annotations: {} };
  const { [LAST_APPLIED_ANNOTATION]: _, ...annotations } = object.annotations;
  return { labels: object.labels, annotations };
}

/**
 * Startup taints are set once. If the Node shows a registration, a previous pass set them and
 * failed before it was recorded; their owners may have removed them since.
 */
function computeTaints(claim: NodeClaim, node: Node): readonly Taint[] {
  const { labels, taints } = node;
  if (isRegisteredNode(node) || labels[DO_NOT_SYNC_TAINTS_LABEL] === 'true') return taints;
  return [claim.taints, claim.startupTaints, listSteeringTaints(claim)].reduce(mergeTaints, taints);
}
