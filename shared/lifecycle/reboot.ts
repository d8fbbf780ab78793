import { INITIALIZED_LABEL } from '../model/labels.ts';
import type { Node } from '../model/nodes/node.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import { findReboot, type Reboot, withReboot } from '../model/nodes/reboot.ts';
import { computeRebootDeadline } from '../model/nodes/reboot-deadline.ts';
import { isSameTaint, REBOOTING_TAINT } from '../model/requirements/taints.ts';
import { type EpochMs, SECOND_MS } from '../model/time.ts';
import type { Observed } from './observed.ts';
import { type Effect, type Step, waitStep } from './step.ts';
import { markDeleting } from './termination/deletion.ts';
import { planDrain } from './termination/drain.ts';

/** Time for kube-scheduler to see the taint. */
const MIN_DRAIN_MS = 5 * SECOND_MS;
const POLL_MS = 15 * SECOND_MS;

/**
 * Reboots a node in place: taint, drain, call EC2, wait for another boot and for Ready. Pods that the drain
 * cannot evict stay on the node. A node that does not come back is replaced.
 *
 * @see Karpenter 1.15, designs/reboot-node-action.md
 */
export function advanceReboot(claim: NodeClaim, observed: Observed): Step | undefined {
  const reboot = findReboot(claim);
  if (!reboot) return undefined;
  const { now, nodes } = observed;
  const deadline = computeRebootDeadline(reboot, nodes.length > 0);
  if (deadline !== undefined && now >= deadline) {
    const why = reboot.issuedAt === undefined ? 'EC2 did not accept the call' : 'the node did not come back';
    return failReboot(claim, why, now);
  }
  const [node] = nodes;
  if (!node) return { ...waitStep(claim), wakeAt: now + POLL_MS };
  if (reboot.issuedAt !== undefined) return awaitRecovery(claim, reboot, node, now);
  if (!isFenced(node)) return { claim, effects: [fence(node)], events: [], wakeAt: now };
  return reboot.fromBoot === undefined
    ? drainBeforeReboot(claim, reboot, node, observed)
    : issueReboot(claim, reboot.fromBoot.id, node, observed);
}

/** Gives the reboot of a claim up: the node is replaced, with what was allowed for the drain. */
export function failReboot(claim: NodeClaim, why: string, now: EpochMs): Step {
  const { drainMs } = claim.reboots?.at(-1) ?? {};
  return {
    claim: markDeleting(claim, {
      removal: 'Unhealthy',
      at: now,
      ...(drainMs !== undefined && { deadline: now + drainMs }),
    }),
    effects: [],
    events: [{ kind: 'reboot-failed', at: now, claim: claim.name, why }],
  };
}

function drainBeforeReboot(claim: NodeClaim, reboot: Reboot, node: Node, { pods, now }: Observed): Step {
  const { requestedAt, drainMs = Number.POSITIVE_INFINITY } = reboot;
  const minMs = drainMs === 0 ? 0 : MIN_DRAIN_MS;
  const [earliest, latest] = [requestedAt + minMs, requestedAt + Math.max(drainMs, minMs)];
  // Without a deadline for the pods: none is deleted.
  const { effects, waiting } = planDrain(pods, now);
  const isOver = now >= latest || (waiting.length === 0 && now >= earliest);
  if (isOver) return { ...waitStep(withReboot(claim, { fromBoot: { id: node.bootId ?? '', at: now } })), wakeAt: now };
  const next = waiting.length === 0 ? earliest : Math.min(now + MIN_DRAIN_MS, latest);
  return { claim, effects, events: [], wakeAt: next };
}

function issueReboot(claim: NodeClaim, fromBoot: string, node: Node, { instance, now }: Observed): Step {
  const providerId = claim.launch?.providerId;
  const { initializedAt: _, ...uninitialized } = claim;
  const issued = withReboot(uninitialized, { issuedAt: now });
  // The process ended between the call and its record.
  if (node.bootId !== undefined && node.bootId !== fromBoot) return { ...waitStep(issued), wakeAt: now };
  // In a shifted zone nothing is done, and an instance that does not run cannot be rebooted.
  if (providerId === undefined || instance?.shift || instance?.state !== 'running') {
    return { ...waitStep(claim), wakeAt: now + POLL_MS };
  }
  return {
    claim: issued,
    effects: [{ kind: 'reboot-instance', providerId }],
    events: [],
    wakeAt: now + POLL_MS,
  };
}

function awaitRecovery(claim: NodeClaim, reboot: Reboot, node: Node, now: EpochMs): Step {
  const unmark: readonly Effect[] =
    node.labels[INITIALIZED_LABEL] === undefined
      ? []
      : [{ kind: 'change-node', node, change: { withoutLabels: [INITIALIZED_LABEL] } }];
  if (reboot.bootedAt !== undefined) {
    const back = node.ready ? withReboot(claim, { endedAt: now }) : claim;
    return { ...waitStep(back), effects: unmark, wakeAt: now + (node.ready ? 0 : POLL_MS) };
  }
  if (node.bootId === undefined || node.bootId === reboot.fromBoot?.id) {
    return { ...waitStep(claim), effects: unmark, wakeAt: now + POLL_MS };
  }
  const taints = node.taints.filter((taint) => !isSameTaint(taint, REBOOTING_TAINT));
  return {
    claim: withReboot(claim, { bootedAt: now }),
    effects: [{ kind: 'change-node', node, change: { taints, withoutLabels: [INITIALIZED_LABEL] } }],
    events: [{ kind: 'rebooted', at: now, claim: claim.name }],
    wakeAt: now,
  };
}

const isFenced = ({ taints }: Node): boolean => taints.some((taint) => isSameTaint(taint, REBOOTING_TAINT));

const fence = (node: Node): Effect => ({
  kind: 'change-node',
  node,
  change: { taints: [...node.taints, REBOOTING_TAINT] },
});
