import { getOrCreate } from '../../model/memo.ts';
import type { PodSpec } from '../../model/pods/pod.ts';
import { listUnpinnedOptions, type PoolOption } from '../assignment/pod-groups.ts';
import { type Bitset, hasBit } from '../data-structures/bitset.ts';
import { hasRoom, listRequestedColumns } from '../data-structures/resource-vectors.ts';
import type { Problem } from '../input/problem.ts';
import type { OfferingIndex, OfferingScope } from '../instance-types/offering-index.ts';
import { findExcess } from '../pods/pod-complexity.ts';
import { listRelaxations } from '../pods/relaxations.ts';

/** Lists the pools that may launch a node for the pod, with its types. */
export const listOptions = (spec: PodSpec, problem: Problem): readonly PoolOption[] =>
  (findExcess(spec) ? [] : listRelaxations(spec)).flatMap((relaxation) =>
    listUnpinnedOptions(spec, relaxation, problem),
  );

export interface PricedType {
  readonly type: number;
  readonly hourlyUsd: number;
  readonly allocatable: Float64Array;
}

// Prices change every few minutes; decisions are made more often.
const typesByPrice = new WeakMap<OfferingIndex, Map<number, readonly PricedType[]>>();

export function listTypesByPrice(where: OfferingScope, { offerings, typeIndex }: Problem): readonly PricedType[] {
  const byScope = getOrCreate(typesByPrice, offerings, () => new Map());
  const key = where.zones * 8 + where.capacityTypes;
  return getOrCreate(byScope, key, () =>
    typeIndex.allocatable
      .map((allocatable, type) => ({
        type,
        hourlyUsd: offerings.cheapestUsd(type, where),
        allocatable,
      }))
      .filter(({ hourlyUsd }) => hourlyUsd < Infinity)
      .toSorted((a, b) => a.hourlyUsd - b.hourlyUsd),
  );
}

const undominatedTypes = new WeakMap<readonly PricedType[], UndominatedTypes>();

interface UndominatedTypes {
  readonly byOption: WeakMap<Pick<PoolOption, 'types'>, readonly PricedType[]>;
  readonly byTypes: Map<string, readonly PricedType[]>;
}

/**
 * Lists the types of a pool, cheapest first, of which one is the cheapest with room for any request. The
 * others have no more of any resource than a type that costs no more. Equal pools share the list.
 */
export function listUndominatedTypes(
  option: Pick<PoolOption, 'types' | 'where'>,
  problem: Problem,
): readonly PricedType[] {
  const { types, where } = option;
  const byPrice = listTypesByPrice(where, problem);
  const { byOption, byTypes } = getOrCreate(undominatedTypes, byPrice, () => ({
    byOption: new WeakMap<Pick<PoolOption, 'types'>, readonly PricedType[]>(),
    byTypes: new Map<string, readonly PricedType[]>(),
  }));
  return getOrCreate(byOption, option, () =>
    getOrCreate(byTypes, types.join(), () => withoutDominated(byPrice, types)),
  );
}

function withoutDominated(byPrice: readonly PricedType[], types: Bitset): readonly PricedType[] {
  const undominated: PricedType[] = [];
  for (const one of byPrice) {
    if (!hasBit(types, one.type)) continue;
    const columns = listRequestedColumns(one.allocatable);
    const hasAsMuch = (cheaper: PricedType): boolean => hasRoom(cheaper.allocatable, one.allocatable, columns);
    if (!undominated.some(hasAsMuch)) undominated.push(one);
  }
  return undominated;
}
