import { NODEPOOL_LABEL } from '../../../shared/model/labels.ts';
import type { Node } from '../../../shared/model/nodes/node.ts';
import type { InstanceType } from '../../../shared/model/offerings/instance-type.ts';
import type { Device, Devices } from '../../../shared/model/pods/devices.ts';
import { aNode, nodeLabels } from '../../support/builders.ts';
import { aSliceOf, someDevices } from '../../support/devices.ts';
import { HOSTNAME, TYPE, Z1, ZONE } from '../support/fixture.ts';

/**
 * A node of the NodePool `default` in the first zone, with room for as many pods as its type has.
 */
export const aNodeOf = (name: string, type: InstanceType, over: Partial<Node> = {}): Node =>
  aNode({
    name,
    providerId: `aws:///${Z1}/i-${name}`,
    labels: nodeLabels({
      ...type.labels,
      [TYPE]: type.name,
      [NODEPOOL_LABEL]: 'default',
      [HOSTNAME]: name,
      [ZONE]: Z1,
    }),
    capacity: type.capacity,
    allocatable: type.allocatable,
    ...over,
  });

/** A full node that only shows the devices of its type. */
export const aFullNode = (name: string, type: InstanceType): Node =>
  aNodeOf(name, type, { allocatable: { ...type.allocatable, pods: 0 } });

/** The devices that full nodes of some types show, one node per type. */
export const observedDevices = (
  byType: readonly (readonly [type: InstanceType, devices: readonly Device[]])[],
  over: Partial<Devices> = {},
): { readonly nodes: readonly Node[]; readonly devices: Devices } => ({
  nodes: byType.map(([type]) => aFullNode(`shows-${type.name}`, type)),
  devices: someDevices({
    ...over,
    slices: [...byType.map(([type, devices]) => aSliceOf(`shows-${type.name}`, devices)), ...(over.slices ?? [])],
  }),
});
