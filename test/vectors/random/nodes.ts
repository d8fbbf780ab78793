import { CAPACITY_TYPE, HOSTNAME, type Written, ZONE } from './workloads.ts';

/** An instance type of a catalogue, as far as nodes are made from it. */
export interface CatalogType {
  readonly name: string;
  readonly requirements: Readonly<Record<string, readonly string[]>>;
  readonly capacity: Readonly<Record<string, string>>;
}

export const INSTANCE = 'karpenter.k8s.aws/instance';
export const NODE_CLASS = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };

/** Share of a node's capacity that neither kubelet nor pods get. */
const RESERVED_MIB = 674;
const RESERVED_MILLICORES = 80;

export interface NodeOptions {
  readonly name: string;
  readonly pool: string;
  readonly type: CatalogType;
  readonly zone: string;
  readonly capacityType: string;
}

/** A running node of a NodePool, and what its pods can request. */
export interface CreatedNode {
  readonly name: string;
  readonly capacityType: string;
  readonly allocatable: { readonly millicores: number; readonly mib: number };
  readonly node: Written;
  readonly nodeClaim: Written;
}

export function createNode({ name, pool, type, zone, capacityType }: NodeOptions): CreatedNode {
  const labels = {
    ...Object.fromEntries(Object.entries(type.requirements).map(([key, [value]]) => [key, value])),
    [CAPACITY_TYPE]: capacityType,
    [ZONE]: zone,
    'karpenter.sh/nodepool': pool,
    'node.kubernetes.io/instance-type': type.name,
  };
  const providerID = `aws:///${zone}/i-${name}`;
  const millicores = Number(type.capacity.cpu) * 1000 - RESERVED_MILLICORES;
  const mib = Number.parseInt(type.capacity.memory ?? '0', 10) - RESERVED_MIB;
  const allocatable = { ...type.capacity, cpu: `${millicores}m`, memory: `${mib}Mi` };
  const resources = { allocatable, capacity: type.capacity };
  const conditions = ['Launched', 'Registered', 'Initialized', 'Consolidatable'].map((condition) => ({
    type: condition,
    status: 'True',
  }));
  const started = { 'karpenter.sh/initialized': 'true', 'karpenter.sh/registered': 'true' };
  return {
    name,
    capacityType,
    allocatable: { millicores, mib },
    node: {
      metadata: { name, labels: { ...labels, ...started, [HOSTNAME]: name } },
      spec: { providerID },
      status: resources,
    },
    nodeClaim: {
      metadata: { name, labels },
      spec: { nodeClassRef: NODE_CLASS, requirements: [] },
      status: { ...resources, conditions, nodeName: name, providerID },
    },
  };
}
