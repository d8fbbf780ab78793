import { settleLimits } from '../limits/settle-limits.ts';
import { discardDraft } from '../packing/drafts.ts';
import { putOn } from '../packing/joining.ts';
import type { Packing } from '../packing/packing.ts';
import { copyOfDrafting, repriced } from '../packing/spare-room.ts';
import type { Unit } from '../packing/units.ts';
import { onNewNodes } from './new-nodes.ts';

/** What becomes of pods whose node is dissolved. */
interface Afterwards {
  /** Whether they first fill what the other nodes have left. */
  readonly join: boolean;
  /** To pack the rest as if each node cost so much beside its instance, in USD per hour. */
  readonly perNodeUsd: number;
}

/** The packing with the pods of some nodes packed anew. */
export function withoutNodes(
  packing: Packing,
  numbers: ReadonlySet<number>,
  { join, perNodeUsd }: Afterwards,
): Packing | undefined {
  const drafting = copyOfDrafting(packing.drafting);
  const moving = new Map<Unit, Unit>();
  for (const draft of drafting.drafts.filter((_, number) => numbers.has(number))) {
    discardDraft(drafting, draft);
    for (const [unit, pods] of draft.contents) {
      const known = moving.get(unit) ?? { ...unit, count: 0 };
      known.count += pods;
      moving.set(unit, known);
    }
  }
  const taken = [...moving.values()];
  if (join) {
    for (const draft of drafting.drafts) for (const unit of taken) putOn(drafting, draft, unit);
    settleLimits(drafting);
  }
  const rest = taken.filter(({ count }) => count > 0);
  if (rest.length === 0) return repriced(packing, drafting);
  return onNewNodes(packing, drafting, rest, perNodeUsd);
}
