import type { Labels } from '../../model/labels.ts';
import { ARCH_LABEL, INSTANCE_TYPE_LABEL, OS_LABEL, REGION_LABEL, WINDOWS_BUILD_LABEL } from '../../model/labels.ts';
import type { AmiFamily } from '../../model/nodes/node-class.ts';
import { AMI_FAMILIES } from './ami-families.ts';
import type { Ec2Type } from './ec2-types.ts';
import { BUNDLED_REGION } from './ec2-types.ts';

const PREFIX = 'karpenter.k8s.aws/instance-';

/** Both tenancies can be requested, so the label stays open until launch. */
export const TENANCIES: Readonly<Record<string, readonly string[]>> = {
  [`${PREFIX}tenancy`]: ['default', 'dedicated'],
};

/** `m7g.large` has category m and generation 7; `u-6tb1.metal` has u and 1. */
const CATEGORY_AND_GENERATION = /^([a-z]+)(?:-\d+tb)?(\d+).*\./;

/**
 * Builds the well-known labels that follow from the type alone; zone, capacity type and NodePool
 * come from the offering and the claim. Amounts are whole numbers: MiB, decimal GB, Mbit/s.
 */
export const buildTypeLabels = (type: Ec2Type, amiFamily: AmiFamily): Labels => ({
  [INSTANCE_TYPE_LABEL]: type.name,
  [ARCH_LABEL]: type.arch,
  [REGION_LABEL]: BUNDLED_REGION,
  ...toOsLabels(amiFamily),
  'karpenter.k8s.aws/nitro-sandbox': `${type.hasEnclaves}`,
  ...withPrefix({
    ...toNameLabels(type),
    cpu: type.cpu,
    'cpu-manufacturer': type.cpuManufacturer,
    'cpu-sustained-clock-speed-mhz': type.clockMhz,
    memory: type.memoryMib,
    'ebs-bandwidth': type.ebsMbps,
    'network-bandwidth': type.networkMbps,
    'local-nvme': type.hasNvme ? type.storageGb : undefined,
    hypervisor: type.hypervisor,
    'encryption-in-transit-supported': type.encryptsInTransit,
    ...toGpuLabels(type),
    ...toAcceleratorLabels(type),
  }),
});

type Values = Readonly<Record<string, string | number | boolean | undefined>>;

/** A loop, because every command that reads the bundled types runs it a thousand times. */
function withPrefix(values: Values): Labels {
  const labels: Record<string, string> = {};
  for (const name in values) {
    const value = values[name];
    if (value !== undefined) labels[PREFIX + name] = `${value}`;
  }
  return labels;
}

function toOsLabels(amiFamily: AmiFamily): Labels {
  const { os, windowsBuild } = AMI_FAMILIES[amiFamily];
  return { [OS_LABEL]: os, ...(windowsBuild && { [WINDOWS_BUILD_LABEL]: windowsBuild }) };
}

function toNameLabels({ name, family, size }: Ec2Type): Values {
  const [, category, generation] = CATEGORY_AND_GENERATION.exec(name) ?? [];
  return { category, generation, family, size, 'capability-flex': family.includes('-flex') };
}

// With two kinds of GPU no single name would be correct.
function toGpuLabels({ gpus: [gpu, ...others] }: Ec2Type): Values {
  if (!gpu || others.length > 0) return {};
  return {
    'gpu-name': gpu.name,
    'gpu-manufacturer': gpu.manufacturer,
    'gpu-count': gpu.count,
    'gpu-memory': gpu.memoryMib,
  };
}

function toAcceleratorLabels({ accelerators: [accelerator, ...others] }: Ec2Type): Values {
  if (!accelerator || others.length > 0) return {};
  return {
    'accelerator-name': accelerator.name,
    'accelerator-manufacturer': accelerator.manufacturer,
    'accelerator-count': accelerator.count,
  };
}
