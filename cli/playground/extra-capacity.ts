import type { ClusterManifests } from '../../shared/api/manifests/cluster-manifests.ts';
import type { Offering } from '../../shared/model/offerings/instance-type.ts';
import { ownValue } from '../../shared/model/own-value.ts';
import type { DecisionSettings } from '../../shared/model/settings.ts';
import { evaluateOverlays } from '../../shared/scheduling/instance-types/evaluate-overlays.ts';
import type { WorldOptions } from '../../shared/simulation/create-world.ts';
import type { SimCatalogue } from '../../shared/simulation/world.ts';

/**
 * Computes what NodeOverlays say that nodes have besides their instance type: a device plugin or a
 * kubelet setting offers it on a real node.
 *
 * @returns undefined if no overlay counts
 */
export function createExtraCapacity(
  { pools, overlays = [] }: Pick<ClusterManifests, 'pools' | 'overlays'>,
  catalogue: SimCatalogue,
  { gates }: Pick<DecisionSettings, 'gates'>,
): WorldOptions['extraCapacity'] {
  if (overlays.length === 0 || !gates.NodeOverlay) return undefined;
  const instanceTypes = Object.fromEntries(pools.map((pool) => [pool.name, catalogue.instanceTypesOf(pool)]));
  const names = new Set(Object.values(instanceTypes).flatMap((types) => types.map(({ name }) => name)));
  const offerings = [...names].flatMap((name) => listOfferings(name, catalogue));
  const evaluation = evaluateOverlays(overlays, { pools, instanceTypes, offerings });
  return ({ pool }, { instanceType }) =>
    ownValue(evaluation.instanceTypes, pool)?.find(({ name }) => name === instanceType)?.overlay?.capacity ?? {};
}

/** The prices do not matter here. */
const listOfferings = (instanceType: string, catalogue: SimCatalogue): readonly Offering[] =>
  catalogue.zonesOf(instanceType).flatMap((zone): readonly Offering[] => {
    const offering = { instanceType, zone, hourlyUsd: catalogue.onDemandUsd(instanceType) ?? 0 };
    return [
      { ...offering, capacityType: 'on-demand' },
      ...(catalogue.isSpot(instanceType) ? [{ ...offering, capacityType: 'spot' as const }] : []),
    ];
  });
