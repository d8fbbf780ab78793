import type { Answer } from '../../forward.ts';
import { ACCOUNT } from '../emulators.ts';
import { ec2Refusal } from '../fleet-errors.ts';
import { answerTo, type Ec2Feature, listValues, readFilters } from './ec2-feature.ts';
import { element, setElement } from './instances-xml.ts';

interface Reservation {
  readonly id: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly matchCriteria: string;
  readonly endDate: string | undefined;
  readonly total: number;
  readonly state: 'active' | 'cancelled';
  /** The reservation that the capacity was taken from; undefined unless it is interruptible. */
  readonly source?: string;
}

const TARGET = 'CapacityReservationSpecification.CapacityReservationTarget.CapacityReservationId';

/**
 * Targeted capacity reservations and interruptible allocations of them, which the emulator lacks.
 * Instances of a cancelled reservation run on as on-demand instances; cancelling an interruptible
 * allocation does not terminate them.
 */
export function capacityReservations(): Ec2Feature {
  const reservations = new Map<string, Reservation>();
  const reservationByInstance = new Map<string, string>();

  const countUsed = (id: string): number => [...reservationByInstance.values()].filter((one) => one === id).length;
  const countFree = ({ id, total }: Reservation): number => Math.max(0, total - countUsed(id));
  const findInterruptible = (source: string): Reservation | undefined =>
    [...reservations.values()].find((one) => one.source === source && one.state === 'active');

  function add(reservation: Omit<Reservation, 'id' | 'state'>): Reservation {
    const id = `cr-${crypto.randomUUID().replaceAll('-', '').slice(0, 17)}`;
    const added: Reservation = { ...reservation, id, state: 'active' };
    reservations.set(id, added);
    return added;
  }

  const toXml = (one: Reservation): string => {
    const interruptible = findInterruptible(one.id);
    return [
      element('capacityReservationId', one.id),
      element('ownerId', ACCOUNT),
      element('instanceType', one.instanceType),
      element('instancePlatform', 'Linux/UNIX'),
      element('availabilityZone', one.zone),
      element('totalInstanceCount', `${one.total}`),
      element('availableInstanceCount', `${countFree(one)}`),
      element('state', one.state),
      element('instanceMatchCriteria', one.matchCriteria),
      element('reservationType', 'default'),
      ...(one.endDate === undefined ? [] : [element('endDate', one.endDate)]),
      element('interruptible', `${one.source !== undefined}`),
      ...(interruptible ? [element('interruptibleCapacityAllocation', toAllocation(interruptible))] : []),
    ].join('');
  };

  function create(parameters: URLSearchParams): Answer {
    const reservation = add({
      instanceType: parameters.get('InstanceType') ?? '',
      zone: parameters.get('AvailabilityZone') ?? '',
      matchCriteria: parameters.get('InstanceMatchCriteria') ?? 'open',
      endDate: parameters.get('EndDate') ?? undefined,
      total: Number(parameters.get('InstanceCount')),
    });
    const content = element('capacityReservation', toXml(reservation));
    return answerTo('CreateCapacityReservation', content);
  }

  function describe(parameters: URLSearchParams): Answer {
    const ids = listValues(parameters, 'CapacityReservationId');
    if (ids.some((id) => !reservations.has(id))) return unknownReservation();
    const states = readFilters(parameters).get('state');
    const items = [...reservations.values()]
      .filter(({ id }) => ids.length === 0 || ids.includes(id))
      .filter(({ state }) => !states || states.includes(state))
      .map((one) => element('item', toXml(one)));
    const content = element('capacityReservationSet', items.join(''));
    return answerTo('DescribeCapacityReservations', content);
  }

  function cancel(action: string, reservation: Reservation): Answer {
    reservations.set(reservation.id, { ...reservation, state: 'cancelled' });
    for (const [instanceId, id] of reservationByInstance) {
      if (id === reservation.id) reservationByInstance.delete(instanceId);
    }
    return answerTo(action, element('return', 'true'));
  }

  function allocate(action: string, source: Reservation, count: number): Answer {
    const { instanceType, zone, matchCriteria, endDate } = source;
    reservations.set(source.id, { ...source, total: source.total - count });
    const allocated = add({
      ...{ instanceType, zone, matchCriteria, endDate },
      total: count,
      source: source.id,
    });
    return answerTo(action, toAllocation(allocated));
  }

  /** Returns all capacity of an allocation to its source. */
  function returnAllocation(action: string, source: Reservation): Answer {
    const allocated = findInterruptible(source.id);
    if (!allocated) return noAllocation();
    reservations.set(source.id, { ...source, total: source.total + allocated.total });
    return cancel(action, allocated);
  }

  return {
    answer(action, parameters) {
      if (action === 'CreateCapacityReservation') return create(parameters);
      if (action === 'DescribeCapacityReservations') return describe(parameters);
      if (!ACTIONS_ON_ONE.has(action)) return undefined;
      const reservation = reservations.get(parameters.get('CapacityReservationId') ?? '');
      if (!reservation) return unknownReservation();
      if (action === 'CancelCapacityReservation') return cancel(action, reservation);
      return action === ALLOCATE
        ? allocate(action, reservation, Number(parameters.get('InstanceCount')))
        : returnAllocation(action, reservation);
    },
    hasCapacity(template, { instanceType, zone }) {
      const target = template.get(TARGET);
      if (target === undefined) return true;
      const one = reservations.get(target);
      return one?.state === 'active' && one.instanceType === instanceType && one.zone === zone && countFree(one) > 0;
    },
    addInstance(template, instanceId) {
      const target = template.get(TARGET);
      if (target !== undefined) reservationByInstance.set(instanceId, target);
    },
    removeInstance: (instanceId) => reservationByInstance.delete(instanceId),
    describeInstance(xml, instanceId) {
      const reservation = reservations.get(reservationByInstance.get(instanceId) ?? '');
      if (!reservation) return xml;
      const preference = element('capacityReservationPreference', 'capacity-reservations-only');
      const inReservation = setElement(
        setElement(xml, 'capacityReservationId', reservation.id),
        'capacityReservationSpecification',
        preference,
      );
      return reservation.source === undefined
        ? inReservation
        : setElement(inReservation, 'instanceLifecycle', 'interruptible-capacity-reservation');
    },
  };
}

const ALLOCATE = 'CreateInterruptibleCapacityReservationAllocation';
const ACTIONS_ON_ONE: ReadonlySet<string> = new Set([
  'CancelCapacityReservation',
  ALLOCATE,
  'UpdateInterruptibleCapacityReservationAllocation',
]);

const toAllocation = ({ id, total }: Reservation): string =>
  [
    element('instanceCount', `${total}`),
    element('targetInstanceCount', `${total}`),
    element('status', 'active'),
    element('interruptibleCapacityReservationId', id),
    element('interruptionType', 'adhoc'),
  ].join('');

const unknownReservation = (): Answer =>
  ec2Refusal(400, 'InvalidCapacityReservationId.NotFound', 'The reservation does not exist.');

const noAllocation = (): Answer =>
  ec2Refusal(400, 'InvalidState', "The reservation doesn't have an active interruptible capacity allocation.");
