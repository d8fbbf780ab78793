/**
 * A value of a bundled instance type that differs from the published table, with the reason. A test
 * fails for an entry that no longer deviates, and for a deviation without an entry.
 */
interface Deviation {
  readonly of: 'label' | 'allocatable';
  /** After `karpenter.k8s.aws/instance-` for a label; a resource name for allocatable. */
  readonly key: string;
  /**
   * `newer record`: the published value was correct in its time. `stale reference`: it never was.
   */
  readonly kind: 'newer record' | 'stale reference';
  readonly why: string;
  /** By the name of a type, or of a family for all its sizes: the published value and ours. */
  readonly values: Readonly<Record<string, readonly [published: string | null, ours: string]>>;
}

/** Types whose branch interfaces the published table lacks, by their number. */
const BRANCH_INTERFACES: Readonly<Record<string, readonly string[]>> = {
  '4': ['c9g.medium', 'c9gd.medium'],
  '9': ['c9g.large', 'c9gd.large', 'i4i.large'],
  '18': ['c9g.xlarge', 'c9gd.xlarge'],
  '38': ['c9g.2xlarge', 'c9gd.2xlarge'],
  '50': ['c9g.12xlarge', 'c9gd.12xlarge'],
  '52': ['c9g.8xlarge', 'c9gd.8xlarge'],
  '54': ['c9g.4xlarge', 'c9gd.4xlarge'],
  '98': [
    ...sizes(['c9g', 'c9gd'], ['24xlarge', '48xlarge', 'metal-48xl']),
    ...sizes(['c8gb', 'c8gn', 'm8gb', 'm8gn', 'r8gb', 'r8gn'], ['metal-24xl', 'metal-48xl']),
    ...sizes(['c8ib', 'm8ib', 'm8idb', 'm8idn', 'm8in'], ['metal-48xl', 'metal-96xl']),
    ...sizes(['r8ib', 'r8idb', 'r8idn', 'r8in'], ['metal-48xl', 'metal-96xl']),
  ],
  '106': ['c9g.16xlarge', 'c9gd.16xlarge'],
  '118': ['hpc7g.4xlarge', 'hpc7g.8xlarge', 'hpc7g.16xlarge'],
};

export const DEVIATIONS: readonly Deviation[] = [
  {
    of: 'allocatable',
    key: 'vpc.amazonaws.com/pod-eni',
    kind: 'stale reference',
    why:
      'The published table was made from an older list of the VPC CNI, which lacked these types. Its ' +
      'present list has their branch interfaces, and the CNI is what hands them out.',
    values: Object.fromEntries(
      Object.entries(BRANCH_INTERFACES).flatMap(([count, types]) =>
        types.map((type) => [type, [null, count] as const] as const),
      ),
    ),
  },
  {
    of: 'label',
    key: 'cpu-sustained-clock-speed-mhz',
    kind: 'newer record',
    why: 'EC2 has corrected the clock speed that DescribeInstanceTypes gives for these families.',
    values: {
      c9g: ['2800', '3300'],
      c9gd: ['2800', '3300'],
      m9g: ['2800', '3300'],
      m9gd: ['2800', '3300'],
      i7i: ['2400', '3200'],
      i7ie: ['3600', '3200'],
    },
  },
  {
    of: 'label',
    key: 'network-bandwidth',
    kind: 'newer record',
    why:
      'AWS has revised the baseline of the smaller sizes of g7. Ours is what its list says now, and ' +
      'what DescribeInstanceTypes says.',
    values: {
      'g7.2xlarge': ['60000', '40000'],
      'g7.4xlarge': ['60000', '80000'],
      'g7.8xlarge': ['80000', '100000'],
    },
  },
];

function sizes(families: readonly string[], each: readonly string[]): readonly string[] {
  return families.flatMap((family) => each.map((size) => `${family}.${size}`));
}
