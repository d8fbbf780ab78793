import type { ClusterNetwork, EventSource } from '../../ports/cluster-setup.ts';

export interface EventSourceOptions {
  readonly requestedSource: EventSource | 'auto';
  /** Why this source is requested; undefined if the options say so. */
  readonly reason?: string;
  /** `undefined`: the network could not be read. */
  readonly network?: ClusterNetwork;
  /** True if our functions run in the cluster's VPC. */
  readonly isInVpc: boolean;
  /** True if the webhook address belongs to the cluster's VPC. */
  readonly isHookPrivate: boolean;
}

export type EventSourceChoice =
  | { readonly outcome: 'chosen'; readonly source: EventSource; readonly why: string }
  /** The cluster cannot be served in this network. */
  | { readonly outcome: 'refused'; readonly why: string };

/**
 * @see EKS user guide, egress modes of the control plane
 */
const OUT_OF_REACH =
  "the hooks' address is private, and the control plane calls out through the network of EKS (egress mode AWS_MANAGED), which does not reach it";

const ANY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0/0', '::/0']);

/**
 * Chooses how Mortise learns of pending pods, and gives the reason; or the reason why it cannot be
 * deployed.
 */
export function chooseEventSource({
  requestedSource,
  reason = `The option eventSource says so: ${requestedSource}.`,
  network,
  isInVpc,
  isHookPrivate,
}: EventSourceOptions): EventSourceChoice {
  const obstacle = network && !isInVpc ? findNetworkObstacle(network) : undefined;
  if (obstacle !== undefined) return { outcome: 'refused', why: obstacle };

  const isIsolated = network?.egress === 'customer-isolated';
  if (requestedSource === 'hook' && isIsolated) {
    return {
      outcome: 'refused',
      why: "The option eventSource is hook, but the cluster's control plane cannot call out: its egress mode is CUSTOMER_ISOLATED. Use poll.",
    };
  }
  const isOutOfReach = isHookPrivate && network?.egress === 'aws-managed';
  if (requestedSource === 'hook' && isOutOfReach) {
    return {
      outcome: 'refused',
      why: `The option eventSource is hook, but ${OUT_OF_REACH}. Leave hookVpcEndpoint out, or use poll.`,
    };
  }
  if (requestedSource !== 'auto') return toChoice(requestedSource, reason);
  if (isIsolated) {
    return toChoice('poll', "The cluster's control plane cannot call out: CUSTOMER_ISOLATED.");
  }
  if (isOutOfReach) return toChoice('poll', `Hooks cannot call: ${OUT_OF_REACH}.`);
  if (!network) return toChoice('hook', 'Nothing is known against it: the network was not looked at.');
  return network.egress === 'customer-routed'
    ? toChoice('hook', "The control plane calls out through the cluster's own VPC, which needs a route.")
    : toChoice('hook', 'The control plane calls out through the network of EKS.');
}

const toChoice = (source: EventSource, why: string): EventSourceChoice => ({
  outcome: 'chosen',
  source,
  why,
});

/** Functions outside of a VPC have no fixed address for an allow-list. */
function findNetworkObstacle({ isPublic, publicCidrs }: ClusterNetwork): string | undefined {
  const remedy = 'give the options functionSubnets and functionSecurityGroups, so that the functions run in its VPC';
  if (!isPublic) return `The API server is private to its VPC: ${remedy}.`;
  if (publicCidrs.some((cidr) => ANY_ADDRESS.has(cidr))) return undefined;
  return `The API server answers only to ${publicCidrs.join(', ')}, and functions have no fixed address: ${remedy}, or open it to 0.0.0.0/0.`;
}
