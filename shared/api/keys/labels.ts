/** A label, with its purpose. */
export interface LabelEntry {
  readonly key: string;
  /** The values that it may have, or a description of them. */
  readonly values: string;
  readonly meaning: string;
  /** True if NodePools may require it and pods may select by it before there is a node. */
  readonly isWellKnown: boolean;
  /** Which component writes it, and when. */
  readonly writer: string;
}

const wellKnown = (key: string, values: string, meaning: string, writer = 'launch'): LabelEntry => ({
  key,
  values,
  meaning,
  isWellKnown: true,
  writer,
});

const marker = (key: string, values: string, meaning: string, writer: string): LabelEntry => ({
  key,
  values,
  meaning,
  isWellKnown: false,
  writer,
});

const aws = (name: string, values: string, meaning: string): LabelEntry =>
  wellKnown(`karpenter.k8s.aws/${name}`, values, meaning);

const CORE: readonly LabelEntry[] = [
  wellKnown('karpenter.sh/nodepool', 'name of a NodePool', 'the NodePool of the node'),
  wellKnown(
    'karpenter.sh/capacity-type',
    'spot, on-demand, reserved',
    'how the instance is paid; when a reservation ends, `reserved` becomes `on-demand`',
  ),
  wellKnown('topology.kubernetes.io/zone', 'us-west-2a', 'availability zone'),
  wellKnown('topology.kubernetes.io/region', 'us-west-2', 'region'),
  wellKnown('topology.k8s.aws/zone-id', 'usw2-az1', 'zone id, which is the same in every account'),
  wellKnown('node.kubernetes.io/instance-type', 'm7i.large', 'instance type'),
  wellKnown('node.kubernetes.io/windows-build', '10.0.17763, 10.0.20348, 10.0.26100', 'Windows 2019, 2022, 2025'),
  wellKnown('kubernetes.io/arch', 'amd64, arm64', 'processor architecture'),
  wellKnown('kubernetes.io/os', 'linux, windows', 'operating system'),
];

const OF_INSTANCE: readonly LabelEntry[] = [
  aws('instance-category', 'c, m, r, t, g, inf, …', 'the letters at the start of the type'),
  aws('instance-family', 'm7i, c6gn, u-6tb1', 'the part before the dot'),
  aws('instance-generation', 'whole number', 'digits of the family'),
  aws('instance-size', 'large, metal-24xl', 'the part after the dot'),
  aws('instance-cpu', 'whole number', 'vCPUs'),
  aws('instance-cpu-manufacturer', 'aws, intel, amd', 'manufacturer of the processor'),
  aws('instance-cpu-sustained-clock-speed-mhz', 'whole number', 'clock speed in MHz'),
  aws('instance-memory', 'whole number', 'memory in MiB'),
  aws('instance-ebs-bandwidth', 'whole number', 'maximum bandwidth to EBS in Mbps'),
  aws('instance-network-bandwidth', 'whole number', 'baseline network bandwidth in Mbps'),
  aws('instance-hypervisor', 'xen, nitro; bare metal has none', 'hypervisor'),
  aws('instance-encryption-in-transit-supported', 'true, false', 'traffic between instances is encrypted'),
  aws('nitro-sandbox', 'true, false', 'Nitro enclaves can run'),
  aws('instance-capability-flex', 'true, false', 'a flex type, whose baseline is below its size'),
  aws('instance-local-nvme', 'whole number', 'size of the local disks in GB; absent if there are none'),
  aws('instance-gpu-name', 't4, l40s', 'GPU'),
  aws('instance-gpu-manufacturer', 'nvidia, amd', 'manufacturer of the GPU'),
  aws('instance-gpu-count', 'whole number', 'GPUs'),
  aws('instance-gpu-memory', 'whole number', 'memory of a GPU in MiB'),
  aws('instance-accelerator-name', 'inferentia2, trainium', 'accelerator'),
  aws('instance-accelerator-manufacturer', 'aws', 'manufacturer of the accelerator'),
  aws('instance-accelerator-count', 'whole number', 'accelerators'),
  aws('instance-tenancy', 'default, dedicated', 'shared hardware or not'),
];

const OF_PLACE: readonly LabelEntry[] = [
  aws('capacity-reservation-id', 'cr-…', 'the reservation; only on reserved nodes'),
  aws('capacity-reservation-type', 'default, capacity-block', 'the type of the reservation'),
  aws('capacity-reservation-interruptible', 'true, false', 'true if the owner of the capacity may reclaim it'),
  aws('placement-group-id', 'pg-…', 'the placement group'),
  aws('placement-group-partition', 'whole number', 'the partition; empty until EC2 has chosen it'),
];

const MARKERS: readonly LabelEntry[] = [
  wellKnown(
    'karpenter.k8s.aws/ec2nodeclass',
    'name of an EC2NodeClass',
    'the EC2NodeClass of the node; a NodePool that requires this label is not Ready',
  ),
  marker('karpenter.sh/registered', 'true', 'the node has joined and has all labels and taints', 'registration'),
  marker('karpenter.sh/initialized', 'true', 'the node is ready for pods', 'initialization'),
  marker(
    'karpenter.sh/do-not-sync-taints',
    'true',
    'Mortise does not change the taints of the node at its registration',
    'start-up of the node',
  ),
  marker('kubernetes.io/hostname', 'name of the node', 'reserved: no NodePool may set it', 'kubelet'),
  marker(
    'node.kubernetes.io/exclude-from-external-load-balancers',
    'karpenter',
    'tells load balancers to remove the node; its instance ends when its pods have left, and no earlier than `mortise.sh/min-drain-duration` says',
    'termination',
  ),
  marker(
    'eks.amazonaws.com/compute-type',
    'auto, fargate, hybrid',
    'EKS manages the node; Mortise does not touch it',
    'EKS',
  ),
  marker(
    'eks.amazonaws.com/capacityType',
    'SPOT, ON_DEMAND',
    'how a node of a managed node group is paid; it counts for shares on demand',
    'EKS',
  ),
  marker(
    'eks.amazonaws.com/nodeclass',
    'name of a NodeClass of EKS Auto Mode',
    'EKS Auto Mode manages the node; Mortise does not touch it',
    'EKS',
  ),
];

/** Every label that the autoscaler reads or writes. */
export const LABELS: readonly LabelEntry[] = [...CORE, ...OF_INSTANCE, ...OF_PLACE, ...MARKERS];
