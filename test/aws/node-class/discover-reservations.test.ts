import { type CapacityReservation, DescribeCapacityReservationsCommand, EC2Client } from '@aws-sdk/client-ec2';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { discoverReservations } from '../../../shared/aws/node-class/discover-reservations.ts';
import { isExpiring } from '../../../shared/model/nodes/resolved-node-class.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { NOON, ZONES } from '../../support/builders.ts';
import { ec2Error } from '../support/fake-ec2.ts';

const client = new EC2Client({ region: 'us-east-1', maxAttempts: 1 });
const ec2 = mockClient(client);
beforeEach(() => {
  ec2.reset();
});

describe('capacity reservations', () => {
  const discover = discoverReservations(client);

  /** Ten m5.large in the first zone, without an end. */
  const reservation = (over: CapacityReservation = {}): CapacityReservation => ({
    CapacityReservationId: 'cr-1',
    AvailabilityZone: ZONES[0],
    InstanceType: 'm5.large',
    OwnerId: '123456789012',
    InstanceMatchCriteria: 'targeted',
    AvailableInstanceCount: 10,
    ...over,
  });
  const answer = (...CapacityReservations: CapacityReservation[]) =>
    ec2.on(DescribeCapacityReservationsCommand).resolves({ CapacityReservations });
  const requested = () => ec2.commandCalls(DescribeCapacityReservationsCommand).map(({ args: [{ input }] }) => input);

  it('have type, zone, owner and free instances, and are not interruptible by default', async () => {
    answer(reservation());

    expect(await discover([{ id: 'cr-1' }], NOON)).toEqual([
      {
        id: 'cr-1',
        zone: ZONES[0],
        instanceType: 'm5.large',
        ownerId: '123456789012',
        matchCriteria: 'targeted',
        kind: 'default',
        isInterruptible: false,
        freeInstances: 10,
      },
    ]);
  });

  it('by id are queried one by one without pages, others by filters', async () => {
    answer();

    await discover(
      [
        { id: 'cr-1' },
        { id: 'cr-2' },
        { tags: { team: 'a' }, ownerID: '123456789012' },
        { instanceMatchCriteria: 'open' },
      ],
      NOON,
    );

    const active = { Name: 'state', Values: ['active'] };
    expect(requested()).toEqual([
      { CapacityReservationIds: ['cr-1'], Filters: [active] },
      { CapacityReservationIds: ['cr-2'], Filters: [active] },
      {
        MaxResults: 1000,
        Filters: [active, { Name: 'owner-id', Values: ['123456789012'] }, { Name: 'tag:team', Values: ['a'] }],
      },
      {
        MaxResults: 1000,
        Filters: [active, { Name: 'instance-match-criteria', Values: ['open'] }],
      },
    ]);
  });

  it('that have ended are left out, whatever EC2 returns', async () => {
    answer(reservation({ EndDate: new Date(NOON) }));

    expect(await discover([{ id: 'cr-1' }], NOON)).toEqual([]);
    expect(await discover([{ id: 'cr-1' }], NOON - 1)).toHaveLength(1);
  });

  it('that EC2 does not know are left out without an error', async () => {
    ec2
      .on(DescribeCapacityReservationsCommand)
      .rejectsOnce(ec2Error('InvalidCapacityReservationId.NotFound'))
      .resolves({ CapacityReservations: [reservation({ CapacityReservationId: 'cr-2' })] });

    const result = await discover([{ id: 'cr-1' }, { id: 'cr-2' }], NOON);

    expect(result.map(({ id }) => id)).toEqual(['cr-2']);
  });

  it('that several terms match are listed once', async () => {
    answer(reservation());

    expect(await discover([{ tags: { a: 'b' } }, { tags: { c: 'd' } }], NOON)).toHaveLength(1);
  });

  it.each([
    ['capacity-block', 40, true],
    ['capacity-block', 41, false],
    ['default', 40, false],
  ] as const)('of kind %s that end in %d min expire: %s', (kind, minutes, expires) => {
    expect(isExpiring({ kind, endsAt: NOON + minutes * MINUTE_MS }, NOON)).toBe(expires);
  });
});
