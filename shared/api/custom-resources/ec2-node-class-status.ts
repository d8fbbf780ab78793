import { OPERATORS } from '../../model/requirements/requirement-specs.ts';
import { defaulting, flag, integer, listOf, object, oneOf, text } from '../schema/fields.ts';
import { plainConditions } from './conditions.ts';
import { instant, labelKey } from './scalars.ts';
import { accountId, matchCriteria, reservationId } from './selector-terms.ts';

const subnet = object('A subnet.', {
  required: { id: text('ID of the subnet.'), zone: text('Availability zone.') },
  optional: { zoneID: text('ID of the zone, the same in every account.') },
});

const securityGroup = object('A security group.', {
  required: { id: text('ID of the security group.') },
  optional: { name: text('Name of the security group.') },
});

const capacityReservation = object('A capacity reservation.', {
  required: {
    id: reservationId('ID of the reservation.'),
    availabilityZone: text('Availability zone.'),
    instanceType: text('Instance type of the reservation.'),
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
      'Requirements of the instance types that use the image.',
      object('A requirement on a label of the instance type.', {
        required: {
          key: labelKey('The label.'),
          operator: oneOf('Relation between the label and the values.', OPERATORS),
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

export const ec2NodeClassStatus = object('The resources that the selectors match.', {
  optional: {
    subnets: listOf('Subnets, in descending order of free addresses.', subnet),
    securityGroups: listOf('Security groups, by ID.', securityGroup),
    capacityReservations: listOf('Capacity reservations.', capacityReservation),
    amis: listOf('Images, each with the requirements of the instance types that use it.', ami),
    instanceProfile: text('Instance profile of the nodes.'),
    conditions: plainConditions,
  },
});
