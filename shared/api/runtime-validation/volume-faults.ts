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
import { createFault, type Fault } from './fault.ts';

type Ebs = NonNullable<NonNullable<EC2NodeClassSpec['blockDeviceMappings']>[number]['ebs']>;

/** Lists the settings with which EC2 would refuse to create the volume. */
export function listVolumeWarnings(ebs: Ebs, path: FieldPath): readonly Fault[] {
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
