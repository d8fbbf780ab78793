import {
  type CapacityReservation,
  DescribeCapacityReservationsCommand,
  type EC2Client,
  EC2ServiceException,
  type Filter,
  paginateDescribeCapacityReservations,
} from '@aws-sdk/client-ec2';
import type { WrittenEC2NodeClass } from '../../api/stored-objects/ec2-node-class.ts';
import type { NodeReservation } from '../../model/nodes/resolved-node-class.ts';
import type { EpochMs } from '../../model/time.ts';
import type { NodeClassResources } from '../../ports/node-classes.ts';
import { buildTagFilters } from './selector-filters.ts';

type Term = NonNullable<WrittenEC2NodeClass['spec']['capacityReservationSelectorTerms']>[number];

const PAGE = 1000;
const ACTIVE: Filter = { Name: 'state', Values: ['active'] };

/** Leaves out reservations that have ended, even if EC2 still lists them as active. */
export const discoverReservations =
  (ec2: EC2Client): NodeClassResources['reservations'] =>
  async (terms, now) => {
    const reservations = (await Promise.all(terms.map((term) => findMatching(ec2, term)))).flat();
    const read = reservations.flatMap(toNodeReservation).filter(({ endsAt }) => !hasEnded(endsAt, now));
    const distinct = new Map(read.map((one) => [one.id, one]));
    return [...distinct.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  };

const hasEnded = (endsAt: EpochMs | undefined, now: EpochMs): boolean => endsAt !== undefined && endsAt <= now;

const findMatching = (ec2: EC2Client, term: Term): Promise<readonly CapacityReservation[]> =>
  term.id === undefined ? findByFilters(ec2, buildFilters(term)) : findById(ec2, term.id);

/** One request per id: EC2 refuses a whole list for a single unknown id. */
async function findById(ec2: EC2Client, id: string): Promise<readonly CapacityReservation[]> {
  const CapacityReservationIds = [id];
  try {
    const { CapacityReservations = [] } = await ec2.send(
      new DescribeCapacityReservationsCommand({ CapacityReservationIds, Filters: [ACTIVE] }),
    );
    return CapacityReservations;
  } catch (error) {
    if (!(error instanceof EC2ServiceException)) throw error;
    if (error.name !== 'InvalidCapacityReservationId.NotFound') throw error;
    return [];
  }
}

const buildFilters = ({ ownerID, instanceMatchCriteria, tags = {} }: Term): Filter[] => [
  ...(ownerID === undefined ? [] : [{ Name: 'owner-id', Values: [ownerID] }]),
  ...(instanceMatchCriteria === undefined
    ? []
    : [{ Name: 'instance-match-criteria', Values: [instanceMatchCriteria] }]),
  ...buildTagFilters(tags),
];

async function findByFilters(ec2: EC2Client, filters: Filter[]): Promise<CapacityReservation[]> {
  const pages = paginateDescribeCapacityReservations(
    { client: ec2, pageSize: PAGE },
    { Filters: [ACTIVE, ...filters] },
  );
  const reservations: CapacityReservation[] = [];
  for await (const { CapacityReservations = [] } of pages) reservations.push(...CapacityReservations);
  return reservations;
}

function toNodeReservation(reservations: CapacityReservation): readonly NodeReservation[] {
  const { CapacityReservationId: id, AvailabilityZone: zone, InstanceType: instanceType } = reservations;
  if (!id || !zone || !instanceType) return [];
  return [
    {
      id,
      zone,
      instanceType,
      ownerId: reservations.OwnerId ?? '',
      matchCriteria: reservations.InstanceMatchCriteria === 'targeted' ? 'targeted' : 'open',
      kind: reservations.ReservationType === 'capacity-block' ? 'capacity-block' : 'default',
      isInterruptible: reservations.Interruptible ?? false,
      ...(reservations.EndDate && { endsAt: reservations.EndDate.getTime() }),
      freeInstances: reservations.AvailableInstanceCount ?? 0,
    },
  ];
}
