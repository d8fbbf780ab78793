import type { Effect } from '../../lifecycle/step.ts';
import { PodHeldError } from '../../model/errors.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { Pod } from '../../model/pods/pod.ts';
import type { Ports } from '../../ports/ports.ts';

/**
 * A pod that was not evicted, with the PodDisruptionBudget or the API server's message that
 * prevented it.
 */
export type EvictionRefusal = { readonly pod: Pod } & (
  | { readonly pdb: string }
  | { readonly why: string }
);

/**
 * Applies a step's effects in order. `launch` is skipped, because the launch record tracks its
 * outcome. A refused eviction does not stop the other effects.
 *
 * @returns the pods that could not be evicted
 * @throws StaleObjectError - a Node changed since it was read: observe again
 */
export async function applyEffects(
  ports: Pick<Ports, 'cluster' | 'cloud'>,
  effects: readonly Effect[],
  claim: NodeClaim,
): Promise<readonly EvictionRefusal[]> {
  const refusals: EvictionRefusal[] = [];
  for (const effect of effects) {
    const refusal = await applyEffect(ports, effect, claim).catch(toRefusal(effect));
    if (refusal) refusals.push(refusal);
  }
  return refusals;
}

const toRefusal =
  (effect: Effect) =>
  (error: unknown): EvictionRefusal => {
    if (!(error instanceof PodHeldError) || !('pod' in effect)) throw error;
    return { pod: effect.pod, why: error.why };
  };

async function applyEffect(
  { cluster, cloud }: Pick<Ports, 'cluster' | 'cloud'>,
  effect: Effect,
  claim: NodeClaim,
): Promise<EvictionRefusal | undefined> {
  switch (effect.kind) {
    case 'launch':
      return undefined;
    case 'show':
      await cluster.projectNodeClaim(claim);
      return undefined;
    case 'change-node':
      await cluster.changeNode(effect.node, effect.change);
      return undefined;
    case 'delete-node':
      await cluster.deleteNode(effect.node);
      return undefined;
    case 'evict': {
      const result = await cluster.evict(effect.pod);
      return result.outcome === 'refused' ? { pod: effect.pod, pdb: result.pdb } : undefined;
    }
    case 'delete-pod':
      await cluster.deletePod(effect.pod, effect.gracePeriodMs);
      return undefined;
    case 'terminate-instance':
      await cloud.terminate(effect.providerId);
      return undefined;
    case 'finish':
      await cluster.removeNodeClaim(claim.name);
      return undefined;
  }
}
