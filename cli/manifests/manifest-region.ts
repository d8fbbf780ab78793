import { quoteUnlessName } from '../../shared/api/finding.ts';
import type { ClusterManifests } from '../../shared/api/manifests/cluster-manifests.ts';
import { BUNDLED_REGION } from '../../shared/ec2/catalogue/ec2-types.ts';
import {
  assumeZoneId,
  findAssumedZone,
  findRegionOfZone,
  isRegion,
} from '../../shared/ec2/regions.ts';
import {
  type Labels,
  normaliseLabelKey,
  REGION_LABEL,
  ZONE_ID_LABEL,
  ZONE_LABEL,
} from '../../shared/model/labels.ts';
import type { ZoneIds } from '../../shared/model/offerings/zones.ts';
import type { RequirementSpec } from '../../shared/model/requirements/requirement-specs.ts';

export interface ManifestRegion {
  readonly region: string;
  readonly zones: readonly string[];
  readonly zoneIds: ZoneIds;
}

/** Zones of the bundled region; another region gets the same letters. */
export const BUNDLED_ZONES = ['a', 'b', 'c', 'd', 'e', 'f'].map(
  (letter) => `${BUNDLED_REGION}${letter}`,
);

const ZONE = /^([a-z]{2}(?:-[a-z]+)+-\d)[a-z]$/;

/**
 * Finds the region of the manifests: the region of the first zone or region that a NodePool, a volume or
 * a pod names, else the bundled one. Its zones are a, b and c, and those that are named.
 */
export function findManifestRegion(manifests: ClusterManifests): ManifestRegion {
  const named = listNamedPlaces(manifests);
  const assumed = listZoneIds(manifests).flatMap((id) => findAssumedZone(id) ?? []);
  const region = findNamedRegion(manifests) ?? assumed[0]?.region ?? BUNDLED_REGION;
  const inRegion = named.filter((zone) => toRegion(zone) === region && ZONE.test(zone));
  const byId = assumed.filter((one) => one.region === region).map(({ zone }) => zone);
  const usual = ['a', 'b', 'c'].map((letter) => `${region}${letter}`);
  const zones = [...new Set([...usual, ...inRegion, ...byId])].toSorted();
  const zoneIds = Object.fromEntries(zones.map((zone) => [zone, assumeZoneId(region, zone)]));
  return { region, zones, zoneIds };
}

/** The zone ids that NodePools and pods name. */
const listZoneIds = (manifests: ClusterManifests): readonly string[] => {
  const named = [...listPoolRequirements(manifests), ...listPodRequirements(manifests)].flatMap(
    ({ key, values = [] }) => (key === ZONE_ID_LABEL ? values : []),
  );
  return [...new Set(named)].toSorted();
};

/** Warns that no account says which zone has which id. */
export function listZoneIdWarnings(manifests: ClusterManifests): string[] {
  const { region, zoneIds } = findManifestRegion(manifests);
  const ids = listZoneIds(manifests);
  const taken = Object.entries(zoneIds).filter(([, id]) => ids.includes(id));
  const unknown = ids.filter((id) => !taken.some(([, assumed]) => assumed === id));
  return [
    ...(taken.length === 0
      ? []
      : [
          `${ZONE_ID_LABEL}: ${taken.map(([zone, id]) => `${id} is taken as ${zone}`).join(', ')}; the zone of an id differs from account to account`,
        ]),
    ...(unknown.length === 0
      ? []
      : [
          `${ZONE_ID_LABEL}: ${unknown.map(quoteUnlessName).join(', ')} is no zone of ${region}, so nothing runs there`,
        ]),
  ];
}

/** Returns the region of the first zone or region that a NodePool, a volume or a pod names. */
export const findNamedRegion = (manifests: ClusterManifests): string | undefined =>
  listNamedPlaces(manifests)
    .map(toRegion)
    .find((named) => named !== undefined);

/** Returns the region of the first zone or region that the requirements name. */
export const findRequiredRegion = (requirements: readonly RequirementSpec[]): string | undefined =>
  requirements
    .flatMap(listPlaceValues)
    .map(toRegion)
    .find((named) => named !== undefined);

const listNamedPlaces = (manifests: ClusterManifests): readonly string[] =>
  [
    ...listPoolRequirements(manifests),
    ...listStorageRequirements(manifests),
    ...listPodRequirements(manifests),
  ].flatMap(listPlaceValues);

const listPoolRequirements = ({ pools }: ClusterManifests): readonly RequirementSpec[] =>
  pools.flatMap(({ requirements, labels }) => [...requirements, ...toEqualities(labels)]);

const listStorageRequirements = ({ storage }: ClusterManifests): readonly RequirementSpec[] =>
  [...(storage?.volumes ?? []), ...(storage?.classes ?? [])].flatMap(({ nodeTerms }) =>
    nodeTerms.flat(),
  );

const listPodRequirements = ({ workloads, pods }: ClusterManifests): readonly RequirementSpec[] =>
  [...workloads.map(({ template }) => template), ...pods].flatMap(({ spec }) => [
    ...toEqualities(spec.nodeSelector),
    ...spec.requiredNodeTerms.flat(),
  ]);

const toEqualities = (labels: Labels): readonly RequirementSpec[] =>
  Object.entries(labels).map(([key, value]) => ({ key, operator: 'In', values: [value] }));

const listPlaceValues = ({ key, operator, values = [] }: RequirementSpec): readonly string[] =>
  operator === 'In' && [ZONE_LABEL, REGION_LABEL].includes(normaliseLabelKey(key)) ? values : [];

const toRegion = (name: string): string | undefined =>
  isRegion(name) ? name : findRegionOfZone(name);

/** Warns that figures for other regions are those of the bundled one. */
export const listRegionWarnings = (manifests: ClusterManifests): string[] => {
  const { region } = findManifestRegion(manifests);
  return region === BUNDLED_REGION
    ? []
    : [`instance types and prices are those of ${BUNDLED_REGION}: they stand in for ${region}`];
};
