import type { Unit } from '../../assignment/pod-groups.ts';
import { packByPrice } from '../../packing/constructions/best-price.ts';
import { clear, copyOfDrafting, isCopyOf, repriced } from '../../packing/new-nodes/spare-room.ts';
import type { Packing } from '../../packing/packing.ts';
import type { PodClass } from '../../pods/pod-classes.ts';
import type { Displaced } from '../scheduler-model/simulate-binding.ts';

/**
 * The packing with up to `most` pods of a class left without a place; what they had stays room for
 * the others. Undefined where a node is to be had for them, or rules of others count on them.
 */
export function withPodsLeft(
  packing: Packing,
  { cls }: Displaced,
  units: readonly Unit[],
  most: number,
): Packing | undefined {
  const lowest = Math.min(...units.map((unit) => unit.cls.spec.priority));
  if (cls.spec.priority > lowest) return undefined;
  for (const unit of units) {
    if (unit.cls !== cls || unit.topology.countedBy.length > 0) continue;
    if (findsNode(packing, unit)) return undefined;
    const { drafts, ...drafting } = copyOfDrafting(packing.drafting);
    const gone = clear(drafts, unit, most);
    if (gone > 0)
      return { ...repriced(packing, { ...drafting, drafts }), ...more(packing, unit, gone) };
  }
  return undefined;
}

function findsNode({ drafting }: Packing, unit: Unit): boolean {
  const single = { ...unit, count: 1 };
  packByPrice(copyOfDrafting(drafting), [single]);
  return single.count === 0;
}

function more(
  { left, leftPods }: Packing,
  unit: Unit,
  pods: number,
): Pick<Packing, 'left' | 'leftPods'> {
  const known = [...left.keys()].find((one) => isCopyOf(one, unit)) ?? unit;
  return {
    left: new Map(left).set(known, (left.get(known) ?? 0) + pods),
    leftPods: leftPods + pods,
  };
}

/** How many pods of each class a packing has no place for. */
export function leftByClass({ left }: Packing): Map<PodClass, number> {
  const pods = new Map<PodClass, number>();
  for (const [{ cls }, count] of left) pods.set(cls, (pods.get(cls) ?? 0) + count);
  return pods;
}
