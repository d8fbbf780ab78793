import { quoteUnlessName } from '../../shared/api/finding.ts';
import type { ClusterManifests } from '../../shared/api/manifests/cluster-manifests.ts';
import { findAssumedZone, findRegionOfZone, isRegion } from '../../shared/ec2/regions.ts';
import { type Labels, normaliseLabelKey, REGION_LABEL, ZONE_ID_LABEL, ZONE_LABEL } from '../../shared/model/labels.ts';
import type { ZoneIds } from '../../shared/model/offerings/zones.ts';
import type { RequirementSpec } from '../../shared/model/requirements/requirement-specs.ts';

/** A region, or a zone of it, that an object of the manifests names. */
export interface NamedLocation {
  readonly region: string;
  /** Undefined if only the region is named. */
  readonly zone?: string;
  /** `NodePool general`. */
  readonly object: string;
}

/** Lists the zones and regions that NodePools, volumes, pods and Nodes name, in this order. */
export const listNamedLocations = (manifests: ClusterManifests): readonly NamedLocation[] =>
  [
    ...listRequirements(manifests).flatMap(({ object, requirements }) =>
      requirements.flatMap(listLocationValues).map((name) => ({ object, name })),
    ),
    ...manifests.skipped.flatMap(({ kind, name: node, location }) =>
      location === undefined ? [] : [{ object: `${kind} ${node}`, name: location }],
    ),
  ].flatMap(({ object, name }) => {
    if (isRegion(name)) return [{ object, region: name }];
    const region = findRegionOfZone(name);
    return region === undefined ? [] : [{ object, region, zone: name }];
  });

/** Lists the zones that stand for the zone ids that NodePools and pods name. */
export const listNamedZoneIds = (manifests: ClusterManifests): readonly NamedLocation[] =>
  listZoneIds(manifests).flatMap((id) => {
    const assumed = findAssumedZone(id);
    return assumed ? [{ ...assumed, object: id }] : [];
  });

/** Returns the region of the first zone or region that the requirements name. */
export const findRequiredRegion = (requirements: readonly RequirementSpec[]): string | undefined =>
  requirements
    .flatMap(listLocationValues)
    .map((name) => (isRegion(name) ? name : findRegionOfZone(name)))
    .find((named) => named !== undefined);

/** Warns that no account says which zone has which id. */
export function listZoneIdWarnings(
  manifests: ClusterManifests,
  { region, zoneIds }: { readonly region: string; readonly zoneIds: ZoneIds },
): string[] {
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

const listZoneIds = (manifests: ClusterManifests): readonly string[] => {
  const named = listRequirements(manifests).flatMap(({ requirements }) =>
    requirements.flatMap(({ key, values = [] }) => (key === ZONE_ID_LABEL ? values : [])),
  );
  return [...new Set(named)].toSorted();
};

interface WrittenRequirements {
  readonly object: string;
  readonly requirements: readonly RequirementSpec[];
}

const listRequirements = (manifests: ClusterManifests): readonly WrittenRequirements[] => [
  ...manifests.pools.map(({ name, requirements, labels }) => ({
    object: `NodePool ${name}`,
    requirements: [...requirements, ...toEqualities(labels)],
  })),
  ...(manifests.storage?.volumes ?? []).map(({ name, nodeTerms }) => ({
    object: `PersistentVolume ${name}`,
    requirements: nodeTerms.flat(),
  })),
  ...(manifests.storage?.classes ?? []).map(({ name, nodeTerms }) => ({
    object: `StorageClass ${name}`,
    requirements: nodeTerms.flat(),
  })),
  ...manifests.workloads.map(({ kind, name, template }) => ({
    object: `${kind} ${name}`,
    requirements: listPodRequirements(template),
  })),
  ...manifests.pods.map((pod) => ({
    object: `Pod ${pod.name}`,
    requirements: listPodRequirements(pod),
  })),
];

const listPodRequirements = ({ spec }: Pick<ClusterManifests['pods'][number], 'spec'>): readonly RequirementSpec[] => [
  ...toEqualities(spec.nodeSelector),
  ...spec.requiredNodeTerms.flat(),
];

/** Returns what a node selector, or the labels of a NodePool, demand of a node. */
export const toEqualities = (labels: Labels): readonly RequirementSpec[] =>
  Object.entries(labels).map(([key, value]) => ({ key, operator: 'In', values: [value] }));

const listLocationValues = ({ key, operator, values = [] }: RequirementSpec): readonly string[] =>
  operator === 'In' && [ZONE_LABEL, REGION_LABEL].includes(normaliseLabelKey(key)) ? values : [];
