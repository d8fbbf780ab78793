import { ZONE_ID_LABEL, ZONE_LABEL } from '../labels.ts';
import type { NodePool } from '../nodes/node-pool.ts';
import type { Pod, PodSpec } from '../pods/pod.ts';
import type { RequirementSpec } from '../requirements/requirement-specs.ts';
import type { EpochMs } from '../time.ts';

/** Zone ids by the zone names of this account: `use1-az4` by `us-east-1a`. */
export type ZoneIds = Readonly<Record<string, string>>;

/**
 * Replaces requirements on zone ids by requirements on zone names. A zone id is the same in every
 * account, but offerings and subnets have zone names.
 *
 * @returns the same lists if nothing uses a zone id
 */
export function resolveZoneIds<T extends { readonly pods: readonly Pod[]; readonly pools: readonly NodePool[] }>(
  objects: T,
  zoneIds: ZoneIds = {},
): T {
  if (Object.keys(zoneIds).length === 0) return objects;
  const pools = mapUnlessSame(objects.pools, (pool) => resolveInPool(pool, zoneIds));
  const pods = mapUnlessSame(objects.pods, (pod) => resolveInPod(pod, zoneIds));
  return pools === objects.pools && pods === objects.pods ? objects : { ...objects, pools, pods };
}

/** Maps the items. Returns the list itself if every item stayed the same object. */
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

// Results are cached by the spec object, so equal specs must stay one object.
const specs = new WeakMap<PodSpec, { readonly of: string; readonly spec: PodSpec }>();

function resolveInPod(pod: Pod, zoneIds: ZoneIds): Pod {
  if (!usesZoneId(pod.spec)) return pod;
  const of = JSON.stringify(zoneIds);
  const cached = specs.get(pod.spec);
  const entry = cached?.of === of ? cached : { of, spec: resolveInSpec(pod.spec, zoneIds) };
  specs.set(pod.spec, entry);
  return { ...pod, spec: entry.spec };
}

const usesZoneId = ({ nodeSelector, requiredNodeTerms }: PodSpec): boolean =>
  Object.hasOwn(nodeSelector, ZONE_ID_LABEL) || requiredNodeTerms.some((term) => term.some(isZoneIdRequirement));

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

/** A zone id of another region matches no zone. */
function resolveRequirement(requirement: RequirementSpec, zoneIds: ZoneIds): RequirementSpec {
  if (!isZoneIdRequirement(requirement)) return requirement;
  const { values, ...rest } = requirement;
  const names = Object.entries(zoneIds).flatMap(([name, id]) => (values?.includes(id) ? [name] : []));
  return { ...rest, key: ZONE_LABEL, ...(values && { values: names.toSorted() }) };
}

/** AWS or the operator has shifted traffic and capacity away from a zone. */
export interface ZonalShift {
  /** The zone id, for example `use1-az1`: the same in every account. */
  readonly zoneId: string;
  readonly until: EpochMs;
}

/** A zonal shift in a zone that this cluster uses or may use. */
export interface ShiftedZone extends ZonalShift {
  /** The zone name in this account, for example `us-east-1a`. */
  readonly zone: string;
}

/**
 * Returns the zone of an instance.
 *
 * @param providerId - `aws:///<zone>/<instance id>`; EC2's events leave the zone empty
 */
export const zoneOf = (providerId = ''): string | undefined => /^aws:\/\/\/([^/]+)\//.exec(providerId)?.[1];
