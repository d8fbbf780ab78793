import type { Effect } from '../../lifecycle/step.ts';
import { PodHeldError } from '../../model/errors.ts';
import type { ClusterEvent } from '../../model/explanations/events.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { type Pod, podKey } from '../../model/pods/pod.ts';
import type { Ports } from '../../ports/ports.ts';
import { projectClaim } from '../support/claim-writes.ts';

/**
 * A pod that was not evicted, with the PodDisruptionBudget or the API server's message that
 * prevented it.
 */
export type EvictionRefusal = { readonly pod: Pod } & ({ readonly pdb: string } | { readonly why: string });

export interface AppliedEffects {
  /** Pods that could not be evicted. */
  readonly refusals: readonly EvictionRefusal[];
  /** Why the owners of pods were not restarted, by pod. */
  readonly refusedRestarts: ReadonlyMap<Pod, string>;
}

/**
 * Applies a step's effects in order. `launch` is skipped, because the launch record tracks its
 * outcome. A refused eviction does not stop the other effects, and no error about one pod keeps the
 * others on the node.
 *
 * @throws StaleObjectError - a Node changed since it was read: observe again
 * @throws Error - the first error about a pod, after the other effects were applied
 */
export async function applyEffects(
  ports: Pick<Ports, 'cluster' | 'cloud' | 'clock' | 'decisionLog' | 'nodeClaims'>,
  effects: readonly Effect[],
  claim: NodeClaim,
): Promise<AppliedEffects> {
  const refusals: EvictionRefusal[] = [];
  const refusedRestarts = new Map<Pod, string>();
  const removals: ClusterEvent[] = [];
  const podErrors: unknown[] = [];
  const apply = async (effect: Effect): Promise<void> => {
    if (effect.kind === 'restart-owner') {
      const why = await applyRestart(ports, effect.pod, claim, removals);
      if (why !== undefined) refusedRestarts.set(effect.pod, why);
      return;
    }
    const refusal = await applyEffect(ports, effect, claim, removals).catch(toRefusal(effect));
    if (refusal) refusals.push(refusal);
  };
  try {
    for (const effect of effects) {
      if (!('pod' in effect)) {
        if (podErrors.length > 0) break;
        await apply(effect);
      } else if (podErrors.length < MAX_POD_ERRORS) {
        await apply(effect).catch((error: unknown) => podErrors.push(error));
      }
    }
    if (podErrors.length > 0) throw podErrors[0];
    return { refusals, refusedRestarts };
  } finally {
    // Removed pods are reported even if a later effect or the write of the claim fails.
    await Promise.all(removals.map((event) => ports.decisionLog.recordEvent(event)));
  }
}

/** So many pods in one step fail only if the API server is away: each further try takes 20 s. */
const MAX_POD_ERRORS = 3;

const toRefusal =
  (effect: Effect) =>
  (error: unknown): EvictionRefusal => {
    if (!(error instanceof PodHeldError) || !('pod' in effect)) throw error;
    return { pod: effect.pod, why: error.why };
  };

async function applyEffect(
  { cluster, cloud, clock, nodeClaims }: Pick<Ports, 'cluster' | 'cloud' | 'clock' | 'nodeClaims'>,
  effect: Exclude<Effect, { kind: 'restart-owner' }>,
  claim: NodeClaim,
  removals: ClusterEvent[],
): Promise<EvictionRefusal | undefined> {
  switch (effect.kind) {
    case 'launch':
      return undefined;
    case 'show':
      await projectClaim({ cluster, nodeClaims }, claim);
      return undefined;
    case 'change-node':
      await cluster.changeNode(effect.node, effect.change);
      return undefined;
    case 'delete-node':
      await cluster.deleteNode(effect.node);
      return undefined;
    case 'evict': {
      const result = await cluster.evict(effect.pod);
      if (result.outcome === 'evicted') {
        removals.push({ kind: 'evicted', at: clock.now(), ...describeRemoval(effect.pod, claim) });
      }
      return result.outcome === 'refused' ? { pod: effect.pod, pdb: result.pdb } : undefined;
    }
    case 'delete-pod':
      await cluster.deletePod(effect.pod, effect.gracePeriodMs);
      removals.push({
        kind: 'pod-deleted',
        at: clock.now(),
        ...describeRemoval(effect.pod, claim),
        ...(claim.drainDeadline !== undefined && { deadline: claim.drainDeadline }),
        grantedMs: effect.gracePeriodMs,
        wantedMs: effect.pod.spec.terminationGracePeriodMs,
      });
      return undefined;
    case 'terminate-instance':
      await cloud.terminate(effect.providerId);
      return undefined;
    case 'reboot-instance':
      await cloud.reboot(effect.providerId);
      return undefined;
    case 'finish':
      await cluster.removeNodeClaim(claim.name);
      return undefined;
  }
}

/**
 * @returns why the owner was not restarted; `undefined` if a rollout replaces the pod
 */
async function applyRestart(
  { cluster, clock }: Pick<Ports, 'cluster' | 'clock'>,
  pod: Pod,
  { name: claim }: NodeClaim,
  removals: ClusterEvent[],
): Promise<string | undefined> {
  const result = await cluster.restartOwner(pod);
  if (result.outcome === 'under-way') return undefined;
  const event = { kind: 'owner-restarted', at: clock.now(), claim, pod: podKey(pod) } as const;
  if (result.outcome === 'restarted') {
    removals.push({ ...event, deployment: result.deployment });
    return undefined;
  }
  removals.push({ ...event, why: result.why });
  return result.why;
}

const describeRemoval = (pod: Pod, { name, nodeName, removal }: NodeClaim) => ({
  claim: name,
  node: pod.nodeName ?? nodeName ?? name,
  pod: podKey(pod),
  reason: removal ?? ('Requested' as const),
});
