import { ownValue } from '../../model/own-value.ts';
import { parseQuantity } from '../../model/quantity.ts';
import {
  EBS_IOPS,
  EBS_IOPS_PER_GIB,
  EBS_THROUGHPUT,
  IOPS_PER_MIB_OF_THROUGHPUT,
  type Range,
} from '../custom-resources/ec2-limits.ts';
import type { EC2NodeClassSpec } from '../custom-resources/ec2-node-class.ts';
import type { FieldPath } from '../finding.ts';
import { findAliasFamily } from '../stored-objects/ec2-node-class.ts';
import { listDisabledExpressions, listFailingExpressions, listInvalidExpressions } from './expression-faults.ts';
import { createFault, type Fault, type RuntimeSettings } from './fault.ts';
import { listFamilyFaults, listKubeletFaults, listUnknownKubeletFields } from './kubelet-faults.ts';

/** Lists the faults in its text that keep a stored class from becoming Ready. */
export const listClassFaults = (spec: EC2NodeClassSpec, settings: RuntimeSettings): readonly Fault[] => [
  ...kubeletProblems(spec, settings),
  ...aliasFaults(spec, settings),
  ...arnFaults(spec),
];

function kubeletProblems(spec: EC2NodeClassSpec, settings: RuntimeSettings): readonly Fault[] {
  const { kubelet } = spec;
  if (!kubelet) return [];
  const faults = listKubeletFaults(kubelet);
  // A field of the wrong type is not also reported as unsupported by the family.
  const reported = new Set(faults.map(({ path }) => path[2]));
  return [
    ...faults,
    ...listFamilyFaults(kubelet, familyOf(spec)).filter(({ path }) => !reported.has(path[2])),
    ...(settings.gates.NodeClassCEL
      ? [...listInvalidExpressions(kubelet), ...listFailingExpressions(kubelet, settings.nodeSizes ?? [])]
      : listDisabledExpressions(kubelet)),
  ];
}

const familyOf = ({ amiFamily, amiSelectorTerms }: EC2NodeClassSpec): string =>
  amiFamily ?? amiSelectorTerms.map(({ alias = '' }) => findAliasFamily(alias)).find((family) => family) ?? 'Custom';

/** Kubernetes minor versions without an AMI of the family: AL2 has ended, Windows 2025 is new. */
const aliasFaults = ({ amiSelectorTerms }: EC2NodeClassSpec, { kubernetesMinor }: RuntimeSettings): readonly Fault[] =>
  amiSelectorTerms.flatMap(({ alias = '' }, index) => {
    const family = findAliasFamily(alias);
    const isGone = family === 'AL2' && kubernetesMinor >= 33;
    const isToCome = family === 'Windows2025' && kubernetesMinor < 35;
    return isGone || isToCome
      ? [
          createFault(
            'UnsupportedAlias',
            ['spec', 'amiSelectorTerms', index, 'alias'],
            `there is no ${family} image for Kubernetes 1.${kubernetesMinor}`,
            isGone ? 'write al2023@latest' : 'write windows2022@latest',
          ),
        ]
      : [];
  });

/** Lists settings that work differently from what they suggest. */
export const listClassWarnings = (spec: EC2NodeClassSpec): readonly Fault[] => [
  ...mixedTerms(spec),
  ...listUnknownKubeletFields(spec.kubelet ?? {}),
  ...(spec.blockDeviceMappings ?? []).flatMap(({ ebs = {} }, index) =>
    listVolumeWarnings(ebs, ['spec', 'blockDeviceMappings', index, 'ebs']),
  ),
];

/** IAM looks both up by name, and no name contains a colon. */
const arnFaults = (spec: EC2NodeClassSpec): readonly Fault[] =>
  (['role', 'instanceProfile'] as const).flatMap((field) => {
    const text = spec[field] ?? '';
    if (!text.startsWith('arn:')) return [];
    const why = `${field} is a name and no ARN: IAM finds none called so`;
    return [createFault('arn', ['spec', field], why, `write ${text.slice(text.lastIndexOf('/') + 1)}`)];
  });

/** Selectors in which `id` names one resource, with the fields that cannot be combined with it. */
const EXCLUSIVE = [
  ['EC-03', 'subnetSelectorTerms', 'id', ['tags']],
  ['EC-05', 'securityGroupSelectorTerms', 'id', ['tags', 'name']],
  ['EC-05', 'securityGroupSelectorTerms', 'name', ['tags', 'id']],
  ['EC-07', 'capacityReservationSelectorTerms', 'id', ['tags', 'ownerID', 'instanceMatchCriteria']],
] as const;

const mixedTerms = (spec: EC2NodeClassSpec): readonly Fault[] =>
  EXCLUSIVE.flatMap(([rule, field, alone, others]) =>
    (spec[field] ?? []).flatMap((term, index) => {
      const beside = others.filter((other) => Object.hasOwn(term, other));
      if (!Object.hasOwn(term, alone) || beside.length === 0) return [];
      const why = `${alone} wins, ${beside.join(', ')} beside it is passed over`;
      return [createFault(rule, ['spec', field, index], why, `keep ${alone}, or keep ${beside.join(', ')}`)];
    }),
  );

type Ebs = NonNullable<NonNullable<EC2NodeClassSpec['blockDeviceMappings']>[number]['ebs']>;

/** Lists the settings with which EC2 would refuse to create the volume. */
function listVolumeWarnings(ebs: Ebs, path: FieldPath): readonly Fault[] {
  const { volumeType = 'gp3', iops } = ebs;
  const warn = (field: string, why: string, fix: string): readonly Fault[] => [
    createFault('EBS', [...path, field], why, fix),
  ];
  const judge = (field: 'iops' | 'throughput', ranges: Readonly<Record<string, Range>>): readonly Fault[] => {
    const { [field]: value } = ebs;
    if (value === undefined) return [];
    const range = ownValue(ranges, volumeType);
    if (!range) {
      const types = Object.keys(ranges).join(' or ');
      const fix = `take ${field} out, or write volumeType: ${types}`;
      return warn(field, `EC2 takes no ${field} for ${volumeType}`, fix);
    }
    const [min, max] = range;
    if (value >= min && value <= max) return judgeRatio(field, value);
    const why = `EC2 takes ${min} to ${max} for ${volumeType}`;
    return warn(field, why, `write ${value < min ? min : max}`);
  };
  const judgeRatio = (field: 'iops' | 'throughput', value: number): readonly Fault[] => {
    const max = field === 'iops' ? maxIopsOfSize(ebs, volumeType) : maxThroughput(iops);
    if (value <= max) return [];
    const of = field === 'iops' ? `${ebs.volumeSize}` : `${iops ?? MIN_IOPS} iops`;
    return warn(field, `EC2 takes at most ${max} for ${of} of ${volumeType}`, `write ${max}`);
  };
  const needsIops = (volumeType === 'io1' || volumeType === 'io2') && iops === undefined;
  return [
    ...(needsIops ? warn('volumeType', `EC2 needs iops for ${volumeType}`, 'add iops') : []),
    ...judge('iops', EBS_IOPS),
    ...judge('throughput', EBS_THROUGHPUT),
  ];
}

/** The number that EC2 provisions for a gp3 volume without `iops`. */
const [MIN_IOPS] = EBS_IOPS.gp3;

const maxThroughput = (iops: number = MIN_IOPS): number => Math.floor(iops / IOPS_PER_MIB_OF_THROUGHPUT);

function maxIopsOfSize({ volumeSize = '' }: Ebs, volumeType: string): number {
  const gib = Number(parseQuantity(volumeSize)?.nanos ?? 0) / 1e9 / 2 ** 30;
  const perGib = ownValue(EBS_IOPS_PER_GIB, volumeType);
  // A small volume of gp3 still gets its baseline.
  return gib === 0 || perGib === undefined
    ? Number.POSITIVE_INFINITY
    : Math.max(Math.floor(gib * perGib), EBS_IOPS[volumeType]?.[0] ?? 0);
}
