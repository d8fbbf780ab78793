import { OPERATORS } from '../../model/requirements/requirement-specs.ts';
import { defaulting, flag, integer, listOf, object, oneOf, text } from '../schema/fields.ts';
import { plainConditions } from './conditions.ts';
import { instant, labelKey } from './scalars.ts';
import { accountId, matchCriteria, reservationId } from './selector-terms.ts';

const subnet = object('A subnet.', {
  required: { id: text('ID of the subnet.'), zone: text('Zone that it is in.') },
  optional: { zoneID: text('ID of the zone, the same in every account.') },
});

const securityGroup = object('A security group.', {
  required: { id: text('ID of the security group.') },
  optional: { name: text('Name of the security group.') },
});

const capacityReservation = object('A capacity reservation.', {
  required: {
    id: reservationId('ID of the reservation.'),
    availabilityZone: text('Zone that it is in.'),
    instanceType: text('Instance type that it is for.'),
    instanceMatchCriteria: matchCriteria,
    ownerID: accountId('Account that owns it.'),
  },
  optional: {
    reservationType: defaulting(
      oneOf('default, or a block of capacity with an end.', ['default', 'capacity-block']),
      'default',
    ),
    interruptible: flag('Whether its owner may ask for the capacity back.'),
    state: defaulting(
      oneOf('expiring: a capacity block within 40 minutes of its end.', ['active', 'expiring']),
      'active',
    ),
    endTime: instant('When it ends.'),
  },
});

const ami = object('An image.', {
  required: {
    id: text('ID of the image.'),
    requirements: listOf(
      'The instance types that it is for.',
      object('What a label of the instance type must be.', {
        required: {
          key: labelKey('The label.'),
          operator: oneOf('How the label relates to the values.', OPERATORS),
        },
        optional: {
          values: listOf('Values of the label.', text('A label value.'), { listType: 'atomic' }),
          minValues: integer('Of how many different values there must be a choice.', {
            minimum: 1,
            maximum: 50,
          }),
        },
      }),
    ),
  },
  optional: {
    name: text('Name of the image.'),
    deprecated: flag('Whether its owner has deprecated it.'),
  },
});

export const ec2NodeClassStatus = object('What the selectors have found.', {
  optional: {
    subnets: listOf('Subnets, the one with most free addresses first.', subnet),
    securityGroups: listOf('Security groups, by ID.', securityGroup),
    capacityReservations: listOf('Capacity reservations.', capacityReservation),
    amis: listOf('Images, each with the instance types that it is for.', ami),
    instanceProfile: text('Instance profile that nodes get.'),
    conditions: plainConditions,
  },
});
