import { DO_NOT_SYNC_TAINTS_LABEL, REGISTERED_LABEL } from '../../model/labels.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { NodeClaimObject } from '../../model/nodes/node-claim-object.ts';
import { isSameTaint, mergeTaints, type Taint, UNREGISTERED_TAINT } from '../../model/requirements/taints.ts';
import { type NodeEdit, type Step, waiting } from '../step.ts';
import { withFinalizer } from '../node-edits.ts';
import type { Observed } from '../observed.ts';
import { awaitPartition, partitionLabel, withPartition } from './partition.ts';
import { waitFor, waitNoMore } from '../claim-wait.ts';

const LAST_APPLIED_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Makes the Node that joined the claim's. Until then its unregistered taint keeps pods away. Two
 * Nodes of one instance are a fault that only the registration deadline ends.
 */
export function register(stored: NodeClaim, observed: Observed): Step {
  const { nodes, now, object } = observed;
  if (stored.waitsFor?.reason === DOUBLED) return waiting(stored);
  const [node, another] = nodes;
  if (!node) return waiting(stored);
  if (another) return waiting(waitFor(stored, doubled(nodes), now));

  const claim = withPartition(stored, observed);
  if (!claim) return waiting(awaitPartition(stored, observed));
  return {
    claim: { ...waitNoMore(claim), registeredAt: now, nodeName: node.name },
    effects: [{ kind: 'change-node', node, change: registration(claim, node, object) }],
    events: isGuarded(node) ? [] : [{ kind: 'unguarded', at: now, claim: claim.name }],
  };
}

const DOUBLED = 'MultipleNodesFound';

const doubled = (nodes: readonly Node[]) => ({
  condition: 'Registered' as const,
  status: 'False' as const,
  reason: DOUBLED,
  message: `${nodes.map(({ name }) => name).join(', ')} have one provider id`,
});

/** Without the taint pods may have come before labels and taints; a former pass took it away. */
const isGuarded = ({ labels, taints }: Node): boolean =>
  labels[REGISTERED_LABEL] === 'true' ||
  taints.some((taint) => isSameTaint(taint, UNREGISTERED_TAINT));

/** Labels and annotations that somebody wrote on the claim's object reach the Node as well. */
const registration = (claim: NodeClaim, node: Node, object: Observed['object']): NodeEdit => ({
  finalizers: withFinalizer(node),
  labels: {
    ...claim.launch?.labels,
    ...claim.labels,
    ...writtenOn(object).labels,
    // The object may still show it empty.
    ...partitionLabel(claim),
    [REGISTERED_LABEL]: 'true',
  },
  annotations: { ...claim.annotations, ...writtenOn(object).annotations },
  taints: taintsOf(claim, node).filter((taint) => !isSameTaint(taint, UNREGISTERED_TAINT)),
});

/** What kubectl remembers of its own apply is about the claim, not about the Node. */
function writtenOn(object: Observed['object']): Pick<NodeClaimObject, 'labels' | 'annotations'> {
  if (object === undefined || object === 'missing') return { labels: {}, annotations: {} };
  const { [LAST_APPLIED_ANNOTATION]: _, ...annotations } = object.annotations;
  return { labels: object.labels, annotations };
}

/**
 * Startup taints are placed once. The registered label tells that a former pass did so and died
 * before it was recorded: an owner may have taken them away since.
 */
function taintsOf(claim: NodeClaim, { labels, taints }: Node): readonly Taint[] {
  const placed = labels[REGISTERED_LABEL] === 'true';
  if (placed || labels[DO_NOT_SYNC_TAINTS_LABEL] === 'true') return taints;
  return mergeTaints(mergeTaints(taints, claim.taints), claim.startupTaints);
}
