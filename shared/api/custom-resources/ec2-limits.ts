export type Range = readonly [min: number, max: number];

/**
 * Limits of EC2 that its API checks and our CRDs do not, as of 2026-11.
 *
 * @see Amazon EBS User Guide, "Amazon EBS volume types": gp3 grew to 80,000 IOPS and 2,000 MiB/s in
 *   September 2025, io2 has 256,000 IOPS as Block Express
 */

/** I/O operations per second by volume type. */
export const EBS_IOPS: Readonly<Record<string, Range>> & { readonly gp3: Range } = {
  gp3: [3_000, 80_000],
  io1: [100, 64_000],
  io2: [100, 256_000],
};

/** I/O operations per second for each GiB of the volume, by volume type. */
export const EBS_IOPS_PER_GIB: Readonly<Record<string, number>> = { gp3: 500, io1: 50, io2: 1_000 };

/** MiB per second by volume type. */
export const EBS_THROUGHPUT: Readonly<Record<string, Range>> = { gp3: [125, 2_000] };

/** A volume of gp3 needs this many operations per second for each MiB per second. */
export const IOPS_PER_MIB_OF_THROUGHPUT = 4;

/** `gp3 3000 to 80000, io1 100 to 64000`. */
export const describeRanges = (ranges: Readonly<Record<string, Range>>): string =>
  Object.entries(ranges)
    .map(([type, [min, max]]) => `${type} ${min} to ${max}`)
    .join(', ');
