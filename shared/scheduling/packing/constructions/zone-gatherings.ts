import { ZONE_LABEL } from '../../../model/labels.ts';
import type { PodGroup, PoolOption } from '../../assignment/pod-groups.ts';
import { intersection, isEmptyBitset } from '../../data-structures/bitset.ts';
import type { Problem } from '../../input/problem.ts';

/**
 * Lists variants of the pod groups: unchanged, and with the pods that may use any zone restricted
 * to a zone to which other pods are bound by affinity. kube-scheduler lets the first of such pods
 * choose the zone, and all others must find room there. If the nodes are in one zone, no choice is
 * wrong.
 */
export function listZoneGatherings(problem: Problem, podGroups: readonly PodGroup[]): (readonly PodGroup[])[] {
  const zones = new Set(
    podGroups.filter(hasZoneAffinity).flatMap(({ options }) => options.map(({ where }) => where.zones)),
  );
  return [podGroups, ...[...zones].map((zone) => podGroups.map((podGroup) => restrictToZone(podGroup, zone, problem)))];
}

const hasZoneAffinity = ({ topology }: PodGroup): boolean =>
  topology.owned.some(({ group }) => group.kind === 'affinity' && group.key === ZONE_LABEL);

function restrictToZone(podGroup: PodGroup, zones: number, { offerings }: Problem): PodGroup {
  if (podGroup.domainKey !== '') return podGroup;
  const options = podGroup.options.flatMap((option): PoolOption[] => {
    const where = { ...option.where, zones: option.where.zones & zones };
    const types = intersection(option.types, offerings.offered(where));
    return isEmptyBitset(types) ? [] : [{ ...option, where, types }];
  });
  // A zone that only a lighter pool offers is not used.
  return findMaxWeight(options) === findMaxWeight(podGroup.options) ? { ...podGroup, options } : podGroup;
}

const findMaxWeight = ([first]: readonly PoolOption[]): number | undefined => first?.template.pool.weight;
