import {
  isExpiring,
  type NodeClassCondition,
  type NodeReservation,
} from '../model/resolved-node-class.ts';
import { type EpochMs, formatInstant } from '../model/time.ts';
import type { NodeClassObject, NodeClassStatus } from '../ports/node-classes.ts';

/** The status as Karpenter's CRD has it. Lists are replaced as a whole; null takes a field away. */
export const statusOf = (
  object: NodeClassObject,
  { subnets, securityGroups, images, instanceProfile, reservations, conditions }: NodeClassStatus,
  now: EpochMs,
): object => ({
  subnets: subnets.map(({ id, zone, zoneId }) => ({
    id,
    zone,
    ...(zoneId !== undefined && { zoneID: zoneId }),
  })),
  securityGroups,
  amis: images.map(({ id, name, deprecated, requirements }) => ({
    id,
    name,
    ...(deprecated && { deprecated }),
    requirements: requirements.toSorted(byKey),
  })),
  instanceProfile: instanceProfile ?? null,
  capacityReservations: reservations?.map((one) => shownReservation(one, now)) ?? null,
  conditions: conditions.map((condition) => shown(object, condition, now)),
});

const shownReservation = (reservation: NodeReservation, now: EpochMs): object => ({
  id: reservation.id,
  availabilityZone: reservation.zone,
  instanceType: reservation.instanceType,
  instanceMatchCriteria: reservation.matchCriteria,
  ownerID: reservation.ownerId,
  reservationType: reservation.kind,
  interruptible: reservation.isInterruptible,
  state: isExpiring(reservation, now) ? 'expiring' : 'active',
  ...(reservation.endsAt !== undefined && { endTime: formatInstant(reservation.endsAt) }),
});

const byKey = (a: { readonly key: string }, b: { readonly key: string }): number =>
  a.key.length - b.key.length || (a.key < b.key ? -1 : 1);

/** A condition that says what it said keeps the time from which on it did. */
function shown(
  { conditions, generation }: NodeClassObject,
  condition: NodeClassCondition,
  now: EpochMs,
): object {
  const before = conditions.find(({ type }) => type === condition.type);
  const since = before?.status === condition.status ? before.since : now;
  return {
    ...condition,
    lastTransitionTime: formatInstant(since),
    observedGeneration: generation,
  };
}
