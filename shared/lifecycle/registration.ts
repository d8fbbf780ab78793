import { DO_NOT_SYNC_TAINTS_LABEL, REGISTERED_LABEL } from '../model/labels.ts';
import type { Node } from '../model/node.ts';
import type { NodeClaim } from '../model/node-claim.ts';
import { isSameTaint, mergeTaints, type Taint, UNREGISTERED_TAINT } from '../model/taints.ts';
import type { NodeEdit } from './effects.ts';
import { withFinalizer } from './finalizer.ts';
import type { Observed } from './observed.ts';
import { type Step, waiting } from './step.ts';

/**
 * Makes the Node that joined the claim's. Until then its unregistered taint keeps pods away. Two
 * Nodes of one instance are a fault that the registration deadline ends.
 */
export function register(claim: NodeClaim, { nodes, now }: Observed): Step {
  const [node, another] = nodes;
  if (!node || another) return waiting(claim);

  return {
    claim: { ...claim, registeredAt: now, nodeName: node.name },
    effects: [{ kind: 'change-node', node, change: registration(claim, node) }],
    events: [],
  };
}

const registration = (claim: NodeClaim, node: Node): NodeEdit => ({
  finalizers: withFinalizer(node),
  labels: { ...claim.launch?.labels, ...claim.labels, [REGISTERED_LABEL]: 'true' },
  annotations: claim.annotations,
  taints: taintsOf(claim, node).filter((taint) => !isSameTaint(taint, UNREGISTERED_TAINT)),
});

/**
 * Startup taints are placed once. The registered label tells that a former pass did so and died
 * before it was recorded: an owner may have taken them away since.
 */
function taintsOf(claim: NodeClaim, { labels, taints }: Node): readonly Taint[] {
  const placed = labels[REGISTERED_LABEL] === 'true';
  if (placed || labels[DO_NOT_SYNC_TAINTS_LABEL] === 'true') return taints;
  return mergeTaints(mergeTaints(taints, claim.taints), claim.startupTaints);
}
