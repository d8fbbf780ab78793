import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { CAPACITY_TYPE_LABEL, RESERVATION_ID_LABEL } from '../../../shared/model/labels.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { FinalNode } from './final-nodes.ts';

/** Finds reservations that more nodes rely on than they have instances. */
export function findReservationViolations(
  { offerings, claims }: ClusterSnapshot,
  nodes: readonly FinalNode[],
): string[] {
  const room = new Map<string, number>();
  for (const { reservation } of offerings) {
    if (!reservation) continue;
    room.set(reservation.id, Math.min(room.get(reservation.id) ?? Infinity, reservation.free));
  }
  const planned = nodes.flatMap(({ planned: made }) => (made ? [made.claim] : []));
  const starting = claims.filter(({ launch, deletingAt }) => !launch && deletingAt === undefined);
  const holders = Map.groupBy(
    [...planned, ...starting].flatMap((claim) => idsOf(claim)),
    (id) => id,
  );
  return [
    ...[...holders]
      .filter(([id, held]) => held.length > (room.get(id) ?? 0))
      .map(([id, held]) => `${held.length} claims hold ${id}, which has ${room.get(id) ?? 0}`),
    ...planned
      .filter((claim) => isReserved(claim) && idsOf(claim).length !== 1)
      .map(({ name }) => `${name} does not say which reservation it is for`),
  ];
}

const valuesOf = ({ requirements }: NodeClaim, key: string): readonly string[] =>
  requirements.filter((one) => one.key === key).flatMap(({ values = [] }) => values);

const isReserved = (claim: NodeClaim): boolean => valuesOf(claim, CAPACITY_TYPE_LABEL).includes('reserved');

const idsOf = (claim: NodeClaim): readonly string[] => (isReserved(claim) ? valuesOf(claim, RESERVATION_ID_LABEL) : []);
