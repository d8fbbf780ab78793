import {
  CAPACITY_TYPE_LABEL,
  HOSTNAME_LABEL,
  INITIALIZED_LABEL,
  NODEPOOL_LABEL,
  REGISTERED_LABEL,
  ZONE_LABEL,
} from '../../../shared/model/labels.ts';
import type { Node } from '../../../shared/model/nodes/node.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import type { InstanceType } from '../../../shared/model/offerings/instance-type.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { aLaunch, aNode, anInitializedClaim, aRunningPod, ZONES } from '../../support/builders.ts';

/** A node with its NodeClaim. */
export interface BenchmarkNode {
  readonly node: Node;
  readonly claim: NodeClaim;
}

/** Creates a node of the NodePool with this type, in one of the three zones. */
export function createRunningNode(pool: NodePool, type: InstanceType, index: number): BenchmarkNode {
  const name = `node-${index}`;
  const zone = ZONES[index % ZONES.length] ?? ZONES[0];
  const providerId = `aws:///${zone}/i-${name}`;
  const { capacity, allocatable } = type;
  const labels = {
    ...type.labels,
    ...pool.labels,
    [NODEPOOL_LABEL]: pool.name,
    [ZONE_LABEL]: zone,
    [CAPACITY_TYPE_LABEL]: 'on-demand',
    [HOSTNAME_LABEL]: name,
    [REGISTERED_LABEL]: 'true',
    [INITIALIZED_LABEL]: 'true',
  };
  return {
    node: aNode({ name, providerId, labels, capacity, allocatable, taints: pool.taints }),
    claim: anInitializedClaim(name, {
      name: `claim-${index}`,
      pool: pool.name,
      labels: { ...pool.labels, [NODEPOOL_LABEL]: pool.name },
      taints: pool.taints,
      instanceTypes: [type.name],
      launch: aLaunch({
        providerId,
        instanceType: type.name,
        zone,
        labels,
        capacity,
        allocatable,
      }),
    }),
  };
}

/** Creates a running pod of a template. */
export const createRunningPod = (
  template: Pick<Pod, 'labels' | 'annotations' | 'spec'>,
  nodeName: string,
  name: string,
): Pod => aRunningPod(nodeName, { ...template, name });
