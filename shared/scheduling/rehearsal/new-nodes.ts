import type { Labels } from '../../model/labels.ts';
import { settleLimits } from '../limits/settle-limits.ts';
import { packByPrice } from '../packing/best-price.ts';
import type { Drafting } from '../packing/drafts.ts';
import type { Packing } from '../packing/packing.ts';
import { clear, copyOfDrafting, isTooLight, repriced } from '../packing/spare-room.ts';
import type { Unit } from '../packing/units.ts';
import type { Displaced } from './rehearsal.ts';
import type { Trial } from './trials.ts';

/**
 * Nodes of their own for displaced pods: where they were to go stays room for who displaced them.
 *
 * @param part - how many of them, at most 1: often some are enough for the others too
 */
export function withNodesFor(
  trial: Trial,
  displaced: readonly Displaced[],
  units: readonly Unit[],
  part = 1,
): Packing | undefined {
  const drafting = copyOfDrafting(trial.packing.drafting);
  const moving = new Map<Unit, number>();
  for (const one of displaced) {
    const unit = unitOf(one, trial, units);
    if (unit) moving.set(unit, (moving.get(unit) ?? 0) + one.pods);
  }
  const taken = [...moving].flatMap(([unit, pods]): Unit[] => {
    const count = clear(drafting.drafts, unit, Math.ceil(pods * part));
    return count > 0 ? [{ ...unit, count }] : [];
  });
  return taken.length === 0 ? undefined : onNewNodes(trial.packing, drafting, taken);
}

/** Of the class's units, one that may go where there is a host for the displaced pods. */
function unitOf(
  { cls, hosts: numbers }: Displaced,
  { hosts }: Trial,
  units: readonly Unit[],
): Unit | undefined {
  const own = units.filter((unit) => unit.cls === cls);
  const places = numbers.map((number) => hosts[number]?.kind.labels ?? {});
  return own.find((unit) => places.some((labels) => isPlacedAt(unit, labels))) ?? own[0];
}

const isPlacedAt = ({ pins }: Unit, labels: Labels): boolean =>
  [...pins].every(([key, domain]) => labels[key] === domain);

/**
 * The packing with `drafting`, and with new nodes for the pods that were taken off it; undefined
 * where some find none, or only one of a pool that is not theirs.
 *
 * @param perNodeUsd - to pack as if each node cost so much beside its instance
 */
export function onNewNodes(
  packing: Packing,
  drafting: Drafting,
  taken: readonly Unit[],
  perNodeUsd?: number,
): Packing | undefined {
  const before = drafting.drafts.length;
  packByPrice(drafting, taken, perNodeUsd);
  if (taken.some(({ count }) => count > 0)) return undefined;
  if (lightOf(drafting) > lightOf(packing.drafting)) return undefined;
  settleLimits({ ...drafting, drafts: drafting.drafts.slice(before) });
  return repriced(packing, drafting);
}

/** How many nodes would be of a pool that none of their pods needs. */
const lightOf = ({ drafts }: Drafting): number => drafts.filter(isTooLight).length;
