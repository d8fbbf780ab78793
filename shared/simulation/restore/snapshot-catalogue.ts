import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { REGION_LABEL, ZONE_LABEL } from '../../model/labels.ts';
import type { Offering } from '../../model/offerings/instance-type.ts';
import { ownValue } from '../../model/own-value.ts';
import type { SimCatalogue } from '../world.ts';

/** The types, zones and prices of a snapshot. Reserved capacity is not simulated. */
export function createSnapshotCatalogue(snapshot: ClusterSnapshot): SimCatalogue {
  const { instanceTypes, offerings, zones: zonesByPool } = snapshot;
  const byType = Map.groupBy(offerings, ({ instanceType }) => instanceType);
  const find = (instanceType: string, matches: (offering: Offering) => boolean): Offering | undefined =>
    byType.get(instanceType)?.find(matches);
  const isSpotIn = (zone: string) => (offering: Offering) => offering.capacityType === 'spot' && offering.zone === zone;

  return {
    region: findRegion(snapshot),
    zones: [...new Set(offerings.map(({ zone }) => zone))].toSorted(),
    ...(zonesByPool && { zonesByPool }),
    ...(snapshot.unpriced && { unpriced: snapshot.unpriced }),
    instanceTypesOf: ({ name }) => ownValue(instanceTypes, name) ?? [],
    onDemandUsd: (type) => find(type, ({ capacityType }) => capacityType === 'on-demand')?.hourlyUsd,
    spotUsd: (type, zone) => find(type, isSpotIn(zone))?.hourlyUsd,
    zonesOf: (type) => [...new Set((byType.get(type) ?? []).map(({ zone }) => zone))].toSorted(),
    isSpot: (type) => find(type, ({ capacityType }) => capacityType === 'spot') !== undefined,
  };
}

/** @returns an empty text if the snapshot has neither nodes nor offerings */
export function findRegion({ nodes, offerings }: ClusterSnapshot): string {
  const [node] = nodes;
  const zone = node?.labels[ZONE_LABEL] ?? offerings[0]?.zone ?? '';
  return node?.labels[REGION_LABEL] ?? zone.replace(/[a-z]$/, '');
}
