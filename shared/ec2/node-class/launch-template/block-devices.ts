import type { WrittenEC2NodeClass } from '../../../api/stored-objects/ec2-node-class.ts';
import type { EC2NodeClass } from '../../../model/nodes/node-class.ts';
import { amountOf, parseQuantity } from '../../../model/quantity.ts';
import { EPHEMERAL_STORAGE, GIB } from '../../../model/resources.ts';

type Spec = WrittenEC2NodeClass['spec'];
type Written = NonNullable<Spec['blockDeviceMappings']>[number];

/** A volume of a new instance. */
export interface BlockDevice {
  readonly deviceName?: string;
  readonly ebs?: {
    /** Rounded up, because EC2 takes whole gibibytes. */
    readonly sizeGib?: number;
    readonly type?: NonNullable<Written['ebs']>['volumeType'];
    readonly snapshotId?: string;
    readonly encrypted?: boolean;
    readonly deleteOnTermination?: boolean;
    readonly iops?: number;
    readonly throughput?: number;
    readonly initializationRate?: number;
    readonly kmsKeyId?: string;
  };
}

const volume = (deviceName: string, sizeGib: number): BlockDevice => ({
  deviceName,
  ebs: { sizeGib, type: 'gp3', encrypted: true },
});

const AMAZON_LINUX = [volume('/dev/xvda', 20)];
const WINDOWS = [volume('/dev/sda1', 50)];

const DEFAULTS: Readonly<Record<EC2NodeClass['amiFamily'], readonly BlockDevice[]>> = {
  AL2: AMAZON_LINUX,
  AL2023: AMAZON_LINUX,
  // The volume of the system, and the one for images and pods.
  Bottlerocket: [volume('/dev/xvda', 4), volume('/dev/xvdb', 20)],
  Windows2019: WINDOWS,
  Windows2022: WINDOWS,
  Windows2025: WINDOWS,
  // The image defines its own volumes.
  Custom: [],
};

export const listBlockDevices = (
  { blockDeviceMappings }: Spec,
  family: EC2NodeClass['amiFamily'],
): readonly BlockDevice[] => blockDeviceMappings?.map(toBlockDevice) ?? DEFAULTS[family];

function toBlockDevice({ deviceName, ebs }: Written): BlockDevice {
  return {
    ...(deviceName !== undefined && { deviceName }),
    ...(ebs && { ebs: toVolume(ebs) }),
  };
}

function toVolume(ebs: NonNullable<Written['ebs']>): NonNullable<BlockDevice['ebs']> {
  const { volumeSize, volumeType, snapshotID, kmsKeyID } = ebs;
  const { encrypted, deleteOnTermination, iops, throughput, volumeInitializationRate } = ebs;
  const sizeGib = volumeSize === undefined ? undefined : toGib(volumeSize);
  return {
    ...(sizeGib !== undefined && { sizeGib }),
    ...(volumeType && { type: volumeType }),
    ...(snapshotID && { snapshotId: snapshotID }),
    ...(encrypted !== undefined && { encrypted }),
    ...(deleteOnTermination !== undefined && { deleteOnTermination }),
    ...(iops && { iops }),
    ...(throughput && { throughput }),
    ...(volumeInitializationRate && { initializationRate: volumeInitializationRate }),
    ...(kmsKeyID && { kmsKeyId: kmsKeyID }),
  };
}

function toGib(size: string): number | undefined {
  const quantity = parseQuantity(size);
  return quantity && Math.ceil(amountOf(EPHEMERAL_STORAGE, quantity) / GIB);
}
