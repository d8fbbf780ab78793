import { HOSTNAME_LABEL } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import { allowsValue, EXISTS } from '../../model/requirements/requirement.ts';
import { findConflict, type Requirements } from '../../model/requirements/requirements.ts';
import { findUntoleratedTaint, type Taint } from '../../model/requirements/taints.ts';
import type { TopologyGroup } from '../topology/topology.ts';
import { addCount, type NodeFilter } from '../topology/topology-rules.ts';
import { computeAllowedDomains, type DomainQuestion } from './domain-rules.ts';
import type { MapIterationOrder } from './map-iteration-order.ts';
import type { PodRequirements } from './pod-requirements.ts';

/**
 * A possible target of a pod: a node that exists, or an in-flight claim whose requirements may
 * still narrow.
 */
export interface TopologyHost {
  readonly name: string;
  readonly requirements: Requirements;
  readonly taints: readonly Taint[];
}

/** Counts pods by topology rule and domain as Karpenter does during one run. */
export interface DomainCounts {
  /**
   * Finds the domains that topology rules leave to the host if the pod is placed on it, by topology
   * key; undefined if they forbid the host.
   */
  findAllowedDomains(pod: PodRequirements, host: TopologyHost): ReadonlyMap<string, readonly string[]> | undefined;
  /** Counts the pod in the domains of the host, as far as the requirements of the host fix them. */
  record(pod: PodRequirements, host: TopologyHost): void;
}

type Counts = Map<string, number>;

const NO_DOMAINS: ReadonlyMap<string, readonly string[]> = new Map();

export function createDomainCounts(mapOrder: MapIterationOrder): DomainCounts {
  const selected = copyCountsOnUse(({ counts }) => counts);
  const owners = copyCountsOnUse((group) => group.owners);

  return {
    findAllowedDomains(pod, host) {
      const appliedRules = [...listAppliedRules(pod, selected, owners)];
      if (appliedRules.length === 0) return NO_DOMAINS;
      const allowedDomains = new Map<string, readonly string[]>();
      for (const { group, counts, selectsSelf } of appliedRules) {
        const domains = computeAllowedDomains(toDomainQuestion(group, counts, selectsSelf, pod, host), mapOrder);
        const commonDomains = allowedDomains.get(group.key)?.filter((one) => domains.includes(one)) ?? domains;
        if (commonDomains.length === 0) return undefined;
        allowedDomains.set(group.key, commonDomains);
      }
      allowedDomains.delete(HOSTNAME_LABEL);
      return allowedDomains;
    },
    record({ rules }, host) {
      for (const group of rules.countedBy) {
        const domains = passesNodeFilter(group.filter, host) ? listPossibleDomains(host, group.key) : [];
        // Anti-affinity counts the pod in every domain where its node may end up.
        if (group.kind !== 'anti-affinity' && domains.length > 1) continue;
        for (const domain of domains) addCount(selected(group), domain, 1);
      }
      for (const { group } of rules.owned) {
        if (group.kind !== 'anti-affinity' || group.isSoft) continue;
        for (const domain of listPossibleDomains(host, group.key)) addCount(owners(group), domain, 1);
      }
    },
  };
}

/** Copies the counts of a rule on first use, so that each run starts from the pods that exist. */
function copyCountsOnUse(from: (group: TopologyGroup) => Counts): (group: TopologyGroup) => Counts {
  const counts = new Map<TopologyGroup, Counts>();
  return (group) => getOrCreate(counts, group, () => new Map(from(group)));
}

type CountsOfGroup = ReturnType<typeof copyCountsOnUse>;

interface AppliedRule {
  readonly group: TopologyGroup;
  readonly counts: Counts;
  readonly selectsSelf: boolean;
}

function* listAppliedRules(
  { rules }: PodRequirements,
  selected: CountsOfGroup,
  owners: CountsOfGroup,
): Generator<AppliedRule> {
  for (const { group, selectsSelf } of rules.owned) {
    yield { group, counts: selected(group), selectsSelf };
  }
  for (const group of rules.avoidedGroups) yield { group, counts: selected(group), selectsSelf: false };
  for (const group of rules.barredBy) yield { group, counts: owners(group), selectsSelf: false };
}

function toDomainQuestion(
  group: TopologyGroup,
  counts: Counts,
  selectsSelf: boolean,
  { relaxation }: PodRequirements,
  { name, requirements }: TopologyHost,
): DomainQuestion {
  const { key } = group;
  const podRequirement = relaxation.strict.get(key) ?? EXISTS;
  const ruleForPod = {
    group,
    counts,
    selectsSelf,
    isAllowedForPod: (one: string) => allowsValue(podRequirement, one),
  };
  if (key === HOSTNAME_LABEL) return { ...ruleForPod, isOnHost: (one) => one === name, hostDomain: name };
  const hostRequirement = requirements.get(key) ?? EXISTS;
  return { ...ruleForPod, isOnHost: (one) => allowsValue(hostRequirement, one) };
}

/** Lists the domains that the host's requirements name; none while they do not restrict the key. */
function listPossibleDomains({ name, requirements }: TopologyHost, key: string): readonly string[] {
  if (key === HOSTNAME_LABEL) return [name];
  const { complement, values } = requirements.get(key) ?? EXISTS;
  return complement ? [] : [...values];
}

/**
 * @see Karpenter: a label that a claim does not have yet counts as missing
 */
function passesNodeFilter(filter: NodeFilter | undefined, { requirements, taints }: TopologyHost): boolean {
  const { anyOf, tolerations } = filter ?? {};
  if (anyOf && !anyOf.some((term) => !findConflict(requirements, term))) return false;
  return !tolerations || !findUntoleratedTaint(taints, tolerations);
}
