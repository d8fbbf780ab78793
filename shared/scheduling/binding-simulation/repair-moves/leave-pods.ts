import type { Unit } from '../../assignment/pod-groups.ts';
import { packByPrice } from '../../packing/constructions/best-price.ts';
import { clear, copyOfDrafting, isCopyOf, repriced } from '../../packing/new-nodes/spare-room.ts';
import type { Packing } from '../../packing/packing.ts';
import type { DisplacedPods } from '../scheduler-model/simulate-binding.ts';

/**
 * Leaves up to `computeMaxPods` pods of a class unplaced and keeps their room free for other pods. Returns
 * undefined if a node can be found for them, if other pods have a lower priority, or if topology
 * rules count them.
 */
export function withLeftPods(
  packing: Packing,
  { cls }: DisplacedPods,
  units: readonly Unit[],
  maxPods: number,
): Packing | undefined {
  const lowest = Math.min(...units.map((unit) => unit.cls.spec.priority));
  if (cls.spec.priority > lowest) return undefined;
  for (const unit of units) {
    if (unit.cls !== cls || unit.topology.countedBy.length > 0) continue;
    if (canFindNode(packing, unit)) return undefined;
    const { drafts, ...drafting } = copyOfDrafting(packing.drafting);
    const removed = clear(drafts, unit, maxPods);
    if (removed > 0)
      return {
        ...repriced(packing, { ...drafting, drafts }),
        ...addLeftPods(packing, unit, removed),
      };
  }
  return undefined;
}

function canFindNode({ drafting }: Packing, unit: Unit): boolean {
  const single = { ...unit, count: 1 };
  packByPrice(copyOfDrafting(drafting), [single]);
  return single.count === 0;
}

function addLeftPods(
  { left, leftPods }: Packing,
  unit: Unit,
  pods: number,
): Pick<Packing, 'left' | 'leftPods'> {
  const existing = [...left.keys()].find((one) => isCopyOf(one, unit)) ?? unit;
  return {
    left: new Map(left).set(existing, (left.get(existing) ?? 0) + pods),
    leftPods: leftPods + pods,
  };
}
