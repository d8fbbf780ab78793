import { INITIALIZED_LABEL } from '../model/labels.ts';
import type { Node } from '../model/node.ts';
import type { NodeClaim } from '../model/node-claim.ts';
import { formatTaint, isEphemeralTaint, isSameTaint } from '../model/taints.ts';
import type { Observed } from './observed.ts';
import { type Step, waiting } from './step.ts';

/** Declares the Node usable, for good: what happens to it later does not take that back. */
export function initialize(claim: NodeClaim, { nodes, now }: Observed): Step {
  const [node] = nodes;
  if (!node || initializationBlocker(claim, nodes)) return waiting(claim);

  const waitedMs = now - (claim.podsWaitedSince ?? now);
  return {
    claim: { ...claim, initializedAt: now },
    effects: [{ kind: 'change-node', node, change: { labels: { [INITIALIZED_LABEL]: 'true' } } }],
    events: [{ kind: 'ready', at: now, claim: claim.name, waitedMs }],
  };
}

/** What a registered node waits for, in words that fit behind "waits for"; absent: nothing. */
export function initializationBlocker(
  claim: NodeClaim,
  nodes: readonly Node[],
): string | undefined {
  const [node, another] = nodes;
  if (!node || another) return 'exactly one Node';
  if (!node.ready) return 'the kubelet to be Ready';

  const taint = startupTaintOn(claim, node) ?? node.taints.find(isEphemeralTaint);
  if (taint) return `taint ${formatTaint(taint)} to go`;

  const missing = unregisteredResource(claim, node);
  return missing && `resource ${missing}`;
}

const startupTaintOn = ({ startupTaints }: NodeClaim, { taints }: Node) =>
  taints.find((taint) =>
    startupTaints.some(
      (startup) => isSameTaint(startup, taint) && (startup.value ?? '') === (taint.value ?? ''),
    ),
  );

/** Devices show up in allocatable only when their plugin runs. */
const unregisteredResource = ({ requests }: NodeClaim, { allocatable }: Node): string | undefined =>
  Object.keys(requests).find((name) => (requests[name] ?? 0) > 0 && !allocatable[name]);
