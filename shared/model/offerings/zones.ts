import { ZONE_ID_LABEL, ZONE_LABEL } from '../labels.ts';
import type { NodePool } from '../nodes/node-pool.ts';
import type { Pod, PodSpec } from '../pods/pod.ts';
import type { RequirementSpec } from '../requirements/requirement-specs.ts';
import type { EpochMs } from '../time.ts';

/** Ids by the names that zones have in one account: `use1-az4` by `us-east-1a`. */
export type ZoneIds = Readonly<Record<string, string>>;

/**
 * What asks for a zone by its id asks for it by its name: the id is the same zone in every account, but
 * offerings and subnets are told apart by names.
 *
 * @returns the same lists, where nothing asks for an id
 */
export function resolveZoneIds<
  T extends { readonly pods: readonly Pod[]; readonly pools: readonly NodePool[] },
>(objects: T, zoneIds: ZoneIds = {}): T {
  if (Object.keys(zoneIds).length === 0) return objects;
  const pools = mapUnlessSame(objects.pools, (pool) => resolveInPool(pool, zoneIds));
  const pods = mapUnlessSame(objects.pods, (pod) => resolveInPod(pod, zoneIds));
  return pools === objects.pools && pods === objects.pods ? objects : { ...objects, pools, pods };
}

/** The list itself, if no item became another. */
function mapUnlessSame<T>(items: readonly T[], change: (item: T) => T): readonly T[] {
  let isChanged = false;
  const changed = items.map((item) => {
    const next = change(item);
    isChanged ||= next !== item;
    return next;
  });
  return isChanged ? changed : items;
}

function resolveInPool(pool: NodePool, zoneIds: ZoneIds): NodePool {
  const { [ZONE_ID_LABEL]: labelled, ...labels } = pool.labels;
  if (labelled === undefined && !pool.requirements.some(isZoneIdRequirement)) return pool;
  const requirements = [...pool.requirements, ...toZoneIdRequirements(labelled)];
  return {
    ...pool,
    labels,
    requirements: requirements.map((one) => resolveRequirement(one, zoneIds)),
  };
}

// What is worked out for a spec is kept by the spec, so equal ones must stay one object.
const specs = new WeakMap<PodSpec, { readonly of: string; readonly spec: PodSpec }>();

function resolveInPod(pod: Pod, zoneIds: ZoneIds): Pod {
  if (!usesZoneId(pod.spec)) return pod;
  const of = JSON.stringify(zoneIds);
  const known = specs.get(pod.spec);
  const entry = known?.of === of ? known : { of, spec: resolveInSpec(pod.spec, zoneIds) };
  specs.set(pod.spec, entry);
  return { ...pod, spec: entry.spec };
}

const usesZoneId = ({ nodeSelector, requiredNodeTerms }: PodSpec): boolean =>
  Object.hasOwn(nodeSelector, ZONE_ID_LABEL) ||
  requiredNodeTerms.some((term) => term.some(isZoneIdRequirement));

function resolveInSpec(spec: PodSpec, zoneIds: ZoneIds): PodSpec {
  const { [ZONE_ID_LABEL]: selected, ...nodeSelector } = spec.nodeSelector;
  const terms = spec.requiredNodeTerms.length > 0 ? spec.requiredNodeTerms : [[]];
  return {
    ...spec,
    nodeSelector,
    requiredNodeTerms: terms.map((term) =>
      [...term, ...toZoneIdRequirements(selected)].map((one) => resolveRequirement(one, zoneIds)),
    ),
  };
}

const toZoneIdRequirements = (id: string | undefined): readonly RequirementSpec[] =>
  id === undefined ? [] : [{ key: ZONE_ID_LABEL, operator: 'In', values: [id] }];

const isZoneIdRequirement = ({ key }: RequirementSpec): boolean => key === ZONE_ID_LABEL;

/** An id that is no zone of ours leaves none. */
function resolveRequirement(requirement: RequirementSpec, zoneIds: ZoneIds): RequirementSpec {
  if (!isZoneIdRequirement(requirement)) return requirement;
  const { values, ...rest } = requirement;
  const names = Object.entries(zoneIds).flatMap(([name, id]) =>
    values?.includes(id) ? [name] : [],
  );
  return { ...rest, key: ZONE_LABEL, ...(values && { values: names.toSorted() }) };
}

/** Traffic and capacity are led away from a zone, by AWS or by who runs the cluster. */
export interface ZonalShift {
  /** The same zone in every account: `use1-az1`. */
  readonly zoneId: string;
  readonly until: EpochMs;
}

/** A shift away from a zone that this cluster has something in, or may have. */
export interface ShiftedZone extends ZonalShift {
  /** As this account calls it: `us-east-1a`. */
  readonly zone: string;
}

/** Where an instance is. @param providerId - `aws:///<zone>/<instance id>`; events leave the zone empty */
export const zoneOf = (providerId = ''): string | undefined =>
  /^aws:\/\/\/([^/]+)\//.exec(providerId)?.[1];
