import type { Effect } from '../lifecycle/effects.ts';
import type { NodeClaim } from '../model/node-claim.ts';
import type { Pod } from '../model/pod.ts';
import type { Ports } from '../ports/ports.ts';

export interface Refusal {
  readonly pod: Pod;
  readonly pdb: string;
}

/**
 * Does what a step asks for, in its order. A launch is not among it: its outcome has a record.
 *
 * @returns the evictions that a budget did not allow
 * @throws StaleObjectError - a Node changed since it was read: look again
 */
export async function perform(
  ports: Pick<Ports, 'cluster' | 'cloud'>,
  effects: readonly Effect[],
  claim: NodeClaim,
): Promise<readonly Refusal[]> {
  const refusals: Refusal[] = [];
  for (const effect of effects) {
    const refusal = await performOne(ports, effect, claim);
    if (refusal) refusals.push(refusal);
  }
  return refusals;
}

async function performOne(
  { cluster, cloud }: Pick<Ports, 'cluster' | 'cloud'>,
  effect: Effect,
  claim: NodeClaim,
): Promise<Refusal | undefined> {
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
