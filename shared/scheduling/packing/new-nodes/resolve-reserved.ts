import { type Bitset, createBitset, hasBit, intersection, listBits, without } from '../../data-structures/bitset.ts';
import type { Problem } from '../../input/problem.ts';
import { hasFreeUnits, type Reservations } from '../../input/reservations.ts';
import { findUnmetMinValues } from '../../instance-types/min-values.ts';
import { ON_DEMAND } from '../../instance-types/offering-index.ts';
import { findCheapestType, type NewNode, narrowNode, replaceTypes } from './new-node.ts';

/** Restricts a single node to one instance of one reservation or commitment, or to none of them. */
export function resolveReserved(newNode: NewNode, problem: Problem): NewNode {
  const { reservations, offerings } = problem;
  if (!reservations) return newNode;
  const inside = intersection(
    intersection(newNode.types, offerings.offered(newNode.where)),
    listFreeTypes(reservations),
  );
  const { type } = findCheapestType({ types: inside, where: newNode.where }, problem);
  const only = type < 0 ? undefined : createBitset([type], newNode.types.length * 32);
  const isEnough = only && !findUnmetMinValues(newNode.template, only, problem);
  replaceTypes(newNode, isEnough ? only : without(newNode.types, reservations.types));
  // A committed type has no spot offering, and must not be compared with spot nodes.
  if (isEnough && hasBit(reservations.committed, type))
    narrowNode(newNode, { ...newNode, where: { ...newNode.where, capacityTypes: ON_DEMAND } });
  return newNode;
}

function listFreeTypes(reservations: Reservations): Bitset {
  const { types, committed, free } = reservations;
  const taken = listBits(committed).filter((type) => !hasFreeUnits(reservations, free, type));
  return taken.length === 0 ? types : without(types, createBitset(taken, types.length * 32));
}
