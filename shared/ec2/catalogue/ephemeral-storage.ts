import type { EC2NodeClass } from '../../model/node-class.ts';
import { GIB } from '../../model/resources.ts';
import { AMI_FAMILIES } from './ami-families.ts';
import type { Ec2Type } from './ec2-types.ts';

const DECIMAL_GB = 1e9;

/** Bytes of the disk that holds pods' writable layers, logs and emptyDirs. */
export function ephemeralStorageBytes(
  { storageGb }: Ec2Type,
  { amiFamily, instanceStorePolicy, rootVolumeBytes }: EC2NodeClass,
): number {
  // EC2 sells disks by the decimal gigabyte, volumes by the binary one.
  if (instanceStorePolicy === 'RAID0' && storageGb) return storageGb * DECIMAL_GB;
  return rootVolumeBytes ?? AMI_FAMILIES[amiFamily].rootVolumeGib * GIB;
}
