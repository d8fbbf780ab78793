import { flag, int32, int64, listOf, object, oneOf, text } from '../schema/fields.ts';
import type { Rule } from '../schema/schema.ts';
import { describeRanges, EBS_IOPS, EBS_THROUGHPUT } from './ec2-limits.ts';
import { guessVolumeSize } from './scalars.ts';

const SOURCE: Rule = {
  id: 'EC-19',
  cel: 'has(self.snapshotID) || has(self.volumeSize)',
  why: 'a volume needs a size, or a snapshot that has one',
  fix: 'add volumeSize',
};

const RATE_NEEDS_SNAPSHOT: Rule = {
  id: 'EC-19',
  cel: "!has(self.volumeInitializationRate) || (has(self.snapshotID) && self.snapshotID != '')",
  why: 'volumeInitializationRate is about reading a snapshot',
  fix: 'add snapshotID, or take volumeInitializationRate out',
};

const ONE_ROOT: Rule = {
  id: 'EC-18',
  cel: 'self.filter(mapping, has(mapping.rootVolume) && mapping.rootVolume).size() <= 1',
  why: 'one volume at most is the root volume',
  fix: 'keep rootVolume on one mapping',
};

/** From 1 GiB to the size of the largest EBS volume. */
const SIZES = [
  '([1-9][0-9]{0,3}|[1-4][0-9]{4}|5[0-8][0-9]{3}|59000)Gi',
  '([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-3][0-9]{3}|64000)G',
  '([1-9]|[1-4][0-9]|5[0-8])Ti',
  '([1-9]|[1-5][0-9]|6[0-4])T',
];

const ebs = object('The EBS volume behind the device.', {
  optional: {
    volumeSize: text('Size of the volume: 20Gi.', {
      pattern: `^(${SIZES.join('|')})$`,
      wording: {
        noun: 'volume size',
        grammar: 'whole Gi (59000 at most), G (64000), Ti (58) or T (64)',
        example: '20Gi',
        meant: guessVolumeSize,
      },
    }),
    volumeType: oneOf('Type of the volume. Default: the choice of EC2.', [
      'standard',
      'io1',
      'io2',
      'gp2',
      'sc1',
      'st1',
      'gp3',
    ]),
    snapshotID: text('Snapshot that the volume is created from.'),
    encrypted: flag('Whether the volume is encrypted.'),
    deleteOnTermination: flag('Whether the volume goes with the instance.'),
    iops: int64(`Operations per second: ${describeRanges(EBS_IOPS)}.`),
    throughput: int64(`MiB per second: ${describeRanges(EBS_THROUGHPUT)}.`),
    volumeInitializationRate: int32('MiB per second at which the snapshot is read.', {
      minimum: 100,
      maximum: 300,
    }),
    kmsKeyID: text('ID, alias or ARN of the KMS key that encrypts the volume.'),
  },
  rules: [SOURCE, RATE_NEEDS_SNAPSHOT],
});

export const blockDeviceMappings = listOf(
  'The volumes of a node. Default: the volumes of its AMI family.',
  object('One volume.', {
    optional: {
      deviceName: text('Name of the device: /dev/xvda.'),
      rootVolume: flag("Whether the kubelet's files, and so pods' ephemeral storage, live on it."),
      ebs,
    },
  }),
  { maxItems: 50, rules: [ONE_ROOT] },
);

export const instanceStorePolicy = oneOf(
  'RAID0: the instance store disks become one RAID 0 array, which pods use as ephemeral storage.',
  ['RAID0'],
);
