import type { Instance } from '@aws-sdk/client-ec2';
import { type Ec2Type, findEc2Type } from '../../../../shared/ec2/catalogue/ec2-types.ts';
import { LAB_VERSION } from './control-plane-binary.ts';
import type { NodeConfig } from './node-config.ts';

/** The build of the only Windows image of the lab. */
const WINDOWS_2022 = '10.0.20348';

/** The node name that the kubelet of an instance registers. */
export const nodeNameOf = ({ PrivateDnsName, InstanceId }: Instance): string => PrivateDnsName ?? InstanceId ?? '';

/**
 * Builds the Node as kubelet and cloud controller create it, from the instance and its user data
 * only.
 */
export function nodeManifest(instance: Instance, config: NodeConfig): object {
  const { InstanceId = '', InstanceType = '', Placement, Architecture } = instance;
  const zone = Placement?.AvailabilityZone ?? '';
  const region = zone.slice(0, -1);
  const arch = Architecture === 'arm64' ? 'arm64' : 'amd64';
  const name = nodeNameOf(instance);
  const system = config.isWindows ? 'windows' : 'linux';
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        ...config.labels,
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': system,
        'kubernetes.io/arch': arch,
        ...(config.isWindows && { 'node.kubernetes.io/windows-build': WINDOWS_2022 }),
        'node.kubernetes.io/instance-type': InstanceType,
        'topology.kubernetes.io/zone': zone,
        'topology.kubernetes.io/region': region,
        // Kubelet and cloud controller still set the deprecated names.
        'beta.kubernetes.io/os': system,
        'beta.kubernetes.io/arch': arch,
        'beta.kubernetes.io/instance-type': InstanceType,
        'failure-domain.beta.kubernetes.io/zone': zone,
        'failure-domain.beta.kubernetes.io/region': region,
        // The EBS CSI driver sets it.
        'topology.ebs.csi.aws.com/zone': zone,
      },
    },
    spec: {
      providerID: `aws:///${zone}/${InstanceId}`,
      ...(config.taints.length > 0 && { taints: config.taints }),
    },
  };
}

/**
 * Builds the status that the kubelet reports, first some seconds before the node is ready.
 *
 * @param bootId - differs after each boot of the instance
 */
export function nodeStatus(instance: Instance, config: NodeConfig, bootId: string, isReady: boolean): object {
  const at = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const ready = {
    type: 'Ready',
    status: isReady ? 'True' : 'False',
    reason: isReady ? 'KubeletReady' : 'KubeletNotReady',
    message: isReady ? 'kubelet is posting ready status' : 'container runtime network not ready',
    lastHeartbeatTime: at,
    lastTransitionTime: at,
  };
  return {
    status: {
      ...resourcesOf(instance.InstanceType ?? '', config),
      conditions: [ready],
      addresses: [{ type: 'InternalIP', address: instance.PrivateIpAddress }],
      nodeInfo: {
        architecture: instance.Architecture === 'arm64' ? 'arm64' : 'amd64',
        bootID: bootId,
        containerRuntimeVersion: 'lab://1',
        kernelVersion: '6.12',
        kubeProxyVersion: '',
        kubeletVersion: LAB_VERSION,
        machineID: instance.InstanceId,
        operatingSystem: config.isWindows ? 'windows' : 'linux',
        osImage: config.isWindows ? 'Windows Server 2022' : 'Linux',
        systemUUID: instance.InstanceId,
      },
    },
  };
}

/**
 * Share of the memory that remains after the operating system's part; real systems keep a little
 * less.
 */
const SEEN_BY_KERNEL = 0.935;
const EVICTION_MIB = 100;

/**
 * @see amazon-eks-ami, nodeadm: reserved resources depend on pods and CPUs
 */
function resourcesOf(typeName: string, config: NodeConfig): object {
  const type = findEc2Type(typeName);
  if (!type) throw new Error(`EC2 started a ${typeName}, which nobody knows`);
  const addresses = type.ipv4PerEni - 1;
  const pods = config.maxPods ?? (config.isWindows ? addresses : type.enis * addresses + 2);
  const memory = Math.floor(type.memoryMib * SEEN_BY_KERNEL);
  const reserved = 255 + 11 * pods + EVICTION_MIB;
  const { hugePagesMib = 0 } = config;
  const common = {
    pods: `${pods}`,
    'ephemeral-storage': '18Gi',
    // The VPC resource controller adds it.
    ...(config.isWindows && { 'vpc.amazonaws.com/PrivateIPv4Address': `${addresses}` }),
    ...(hugePagesMib > 0 && { 'hugepages-2Mi': `${hugePagesMib}Mi` }),
    ...devicesOf(type),
  };
  return {
    capacity: { ...common, cpu: `${type.cpu}`, memory: `${memory}Mi` },
    allocatable: {
      ...common,
      cpu: `${type.cpu * 1000 - reservedMilliCpu(type.cpu)}m`,
      memory: `${memory - reserved - hugePagesMib}Mi`,
    },
  };
}

const GPU_RESOURCES: Readonly<Record<string, string>> = {
  nvidia: 'nvidia.com/gpu',
  amd: 'amd.com/gpu',
  habana: 'habana.ai/gaudi',
};

/** The resources that device plugins and the VPC resource controller add, as if they ran on each node. */
function devicesOf({ gpus, neuron, efaInterfaces, branchEnis }: Ec2Type): Readonly<Record<string, string>> {
  const devices: readonly (readonly [name: string | undefined, count: number])[] = [
    ...gpus.map(({ manufacturer, count }) => [GPU_RESOURCES[manufacturer], count] as const),
    ['aws.amazon.com/neuron', neuron?.devices ?? 0],
    ['aws.amazon.com/neuroncore', neuron?.cores ?? 0],
    ['vpc.amazonaws.com/efa', efaInterfaces],
    ['vpc.amazonaws.com/pod-eni', branchEnis],
  ];
  return Object.fromEntries(
    devices.flatMap(([name, count]) => (name !== undefined && count > 0 ? [[name, `${count}`]] : [])),
  );
}

const reservedMilliCpu = (cpu: number): number =>
  60 + (cpu > 1 ? 10 : 0) + 5 * Math.max(0, Math.min(cpu, 4) - 2) + 2.5 * Math.max(0, cpu - 4);
