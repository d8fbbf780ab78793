import { OPERATORS } from '../../model/requirements/requirement-specs.ts';
import { customKind, type SpecOf } from '../schema/custom-kind.ts';
import { defaulting, flag, int32, integer, listOf, mapOf, object, oneOf, openMap, text } from '../schema/fields.ts';
import type { Rule, Schema } from '../schema/schema.ts';
import { addOneOf } from './add-one-of.ts';
import { AMI_RULES, amiFamily, amiSelectorTerms } from './ami-terms.ts';
import { blockDeviceMappings, instanceStorePolicy } from './block-devices.ts';
import { AGE_PATH, plainConditions, READY_PATH } from './conditions.ts';
import { FORMER_CLASS_FIELDS } from './former-fields.ts';
import { connectionTracking, metadataOptions, networkInterfaces } from './network.ts';
import { instant, labelKey } from './scalars.ts';
import {
  accountId,
  capacityReservationSelectorTerms,
  matchCriteria,
  placementGroupSelector,
  reservationId,
  securityGroupSelectorTerms,
  subnetSelectorTerms,
} from './selector-terms.ts';

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

const ec2NodeClassStatus = object('The resources that the selectors match.', {
  optional: {
    subnets: listOf('Subnets, in descending order of free addresses.', subnet),
    securityGroups: listOf('Security groups, by ID.', securityGroup),
    capacityReservations: listOf('Capacity reservations.', capacityReservation),
    amis: listOf('Images, each with the requirements of the instance types that use it.', ami),
    instanceProfile: text('Instance profile of the nodes.'),
    conditions: plainConditions,
  },
});

const kept = (id: string, cel: string, why: string): Rule => ({
  id,
  cel: `self.all(key, ${cel})`,
  why,
  fix: 'take the tag out',
});

/** Tag keys that Mortise itself writes in order to find its resources. */
const OURS: Readonly<Record<string, string>> = {
  'EC-23': 'karpenter.sh/nodepool',
  'EC-24': 'karpenter.sh/nodeclaim',
  'EC-25': 'karpenter.k8s.aws/ec2nodeclass',
};

const ec2Tags = mapOf(
  'Tags of the resources that are created for a node. A tag Name replaces the default name.',
  text('Value of the tag.'),
  {
    rules: [
      kept('EC-20', "key != ''", 'a tag has a key'),
      kept('EC-21', "key != 'eks:eks-cluster-name'", 'eks:eks-cluster-name is written for you'),
      kept(
        'EC-22',
        "!key.startsWith('kubernetes.io/cluster')",
        'tags that begin with kubernetes.io/cluster are written for you',
      ),
      ...Object.entries(OURS).map(([id, key]) => kept(id, `key != '${key}'`, `${key} is written for you`)),
    ],
  },
);

const nonEmpty = (field: string, description: string): Schema<string> => ({
  ...text(description),
  rules: [
    {
      id: 'EC-16',
      cel: "self != ''",
      why: `an empty ${field} names nothing`,
      fix: `name it, or take ${field} out`,
    },
  ],
});

const ONE_IDENTITY: Rule = {
  id: 'EC-17',
  cel: 'has(self.role) != has(self.instanceProfile)',
  why: 'nodes get their rights through role or through instanceProfile, through one of them',
  fix: 'keep one of role, instanceProfile',
  fixOf: (spec) => addOneOf(spec, 'role', 'instanceProfile'),
};

const spec = object('Configuration of the nodes on EC2.', {
  required: { subnetSelectorTerms, securityGroupSelectorTerms, amiSelectorTerms },
  optional: {
    amiFamily,
    role: nonEmpty('role', 'Name of the IAM role of nodes; its instance profile is made for you.'),
    instanceProfile: nonEmpty('instanceProfile', 'Name of an instance profile that exists.'),
    capacityReservationSelectorTerms,
    placementGroupSelector,
    userData: text('User data of the instance, merged with the user data of its AMI family.'),
    tags: ec2Tags,
    associatePublicIPAddress: flag('Whether nodes get a public IPv4 address; absent, the subnet decides.'),
    ipPrefixCount: int32('Number of address prefixes of the first network interface, for pods.', {
      minimum: 0,
    }),
    kubelet: openMap(
      'Settings of the kubelet, as its own configuration file (kubelet.config.k8s.io/v1beta1) writes them.',
    ),
    blockDeviceMappings,
    instanceStorePolicy,
    networkInterfaces,
    detailedMonitoring: flag('Whether CloudWatch gets metrics every minute instead of every five.'),
    metadataOptions,
    connectionTracking,
    context: text('Context field of the EC2 fleet request, reserved by AWS.'),
    cpuOptions: object('CPU options of the instance.', {
      optional: {
        nestedVirtualization: oneOf(
          'enabled: virtual machines can run on the node, on instance types that support it.',
          ['enabled', 'disabled'],
        ),
      },
    }),
    enclaveOptions: object('Nitro Enclaves of the instance. Default: disabled.', {
      required: {
        enabled: flag('Whether enclaves can run; nodes then have only instance types that support them.'),
      },
    }),
  },
  rules: [...AMI_RULES, ONE_IDENTITY],
  former: FORMER_CLASS_FIELDS,
});

export const EC2_NODE_CLASS = customKind({
  group: 'karpenter.k8s.aws',
  version: 'v1',
  kind: 'EC2NodeClass',
  plural: 'ec2nodeclasses',
  singular: 'ec2nodeclass',
  scope: 'Cluster',
  shortNames: ['ec2nc', 'ec2ncs'],
  categories: ['karpenter'],
  columns: [
    { name: 'Ready', type: 'string', path: READY_PATH },
    { name: 'Age', type: 'date', path: AGE_PATH },
    { name: 'Role', type: 'string', path: '.spec.role', isWide: true },
  ],
  description: 'Configuration of nodes on EC2: image, network, disks, instance profile and user data.',
  spec,
  isSpecOptional: true,
  status: ec2NodeClassStatus,
});

export type EC2NodeClassSpec = SpecOf<typeof EC2_NODE_CLASS>;
