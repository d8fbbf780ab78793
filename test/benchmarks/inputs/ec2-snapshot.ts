import { createBundledCatalogue } from '../../../shared/ec2/catalogue/bundled-catalogue.ts';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { ARCH_LABEL, CAPACITY_TYPE_LABEL, OS_LABEL } from '../../../shared/model/labels.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import type { Offering } from '../../../shared/model/offerings/instance-type.ts';
import { aNodeClass, aNodePool, aSnapshot } from '../../support/builders.ts';

const catalogue = createBundledCatalogue(() => aNodeClass());

/** All types that EC2 offers in us-east-1 and that the default images support. */
export const ALL_EC2_TYPES = catalogue.instanceTypesOf(aNodePool());

export const ALL_EC2_OFFERINGS: readonly Offering[] = ALL_EC2_TYPES.flatMap(({ name: instanceType }) =>
  catalogue.zonesOf(instanceType).flatMap((zone): Offering[] => {
    const onDemandUsd = catalogue.onDemandUsd(instanceType);
    const spotUsd = catalogue.spotUsd(instanceType, zone);
    return [
      ...(onDemandUsd === undefined
        ? []
        : [{ instanceType, zone, capacityType: 'on-demand' as const, hourlyUsd: onDemandUsd }]),
      ...(spotUsd === undefined ? [] : [{ instanceType, zone, capacityType: 'spot' as const, hourlyUsd: spotUsd }]),
    ];
  }),
);

/** A typical first NodePool: Linux, all sizes and families without accelerators. */
export const aTypicalPool = (over: Partial<NodePool> = {}): NodePool =>
  aNodePool({
    requirements: [
      { key: OS_LABEL, operator: 'In', values: ['linux'] },
      { key: ARCH_LABEL, operator: 'In', values: ['amd64'] },
      { key: CAPACITY_TYPE_LABEL, operator: 'In', values: ['on-demand'] },
      { key: 'karpenter.k8s.aws/instance-category', operator: 'In', values: ['c', 'm', 'r'] },
    ],
    ...over,
  });

/** A snapshot in which every NodePool may use every EC2 type. */
export const createEc2Snapshot = (over: Partial<ClusterSnapshot>): ClusterSnapshot => {
  const { pools = [aTypicalPool()] } = over;
  return aSnapshot({
    offerings: ALL_EC2_OFFERINGS,
    ...over,
    pools,
    instanceTypes: Object.fromEntries(pools.map(({ name }) => [name, ALL_EC2_TYPES])),
  });
};
