import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { HOSTNAME_LABEL, normaliseLabelKey } from '../../../shared/model/labels.ts';
import { getOrCreate } from '../../../shared/model/memo.ts';
import { ownValue } from '../../../shared/model/own-value.ts';
import type { Pod, TopologySpreadConstraint } from '../../../shared/model/pods/pod.ts';
import { allowsValue } from '../../../shared/model/requirements/requirement.ts';
import { toRequirements } from '../../../shared/model/requirements/requirements.ts';
import { findUntoleratedTaint, type Taint } from '../../../shared/model/requirements/taints.ts';
import type { FinalNode } from './final-nodes.ts';
import { isUsable, listLaunchableDomains } from './launchable-nodes.ts';
import { meetsAffinity } from './node-rules.ts';
import { listAffinityPodSelectors, type PodSelector, toSpreadPodSelector } from './pod-rules.ts';

/** Returns why the pod cannot be bound to the node now; undefined if it can. */
export type BindingCondition = (node: FinalNode) => string | undefined;

/** The bound pods that a selector matches, by domain. */
export interface BoundPodCounts {
  readonly audience: PodSelector;
  /** Only nodes for which this is true are counted. */
  readonly isEligible: (node: FinalNode) => boolean;
  readonly counts: Map<string, number>;
}

export function createBindingConditions(
  pod: Pod,
  snapshot: ClusterSnapshot,
  nodes: readonly FinalNode[],
  counters: Map<string, BoundPodCounts>,
): BindingCondition[] {
  return [
    ...pod.spec.topologySpread
      .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule')
      .map((constraint) => createSpreadCondition(constraint, pod, snapshot, nodes, counters)),
    ...listAffinityPodSelectors(pod, snapshot.namespaces).map((audience) =>
      createAffinityCondition(audience, pod, counters),
    ),
  ];
}

function createSpreadCondition(
  constraint: TopologySpreadConstraint,
  pod: Pod,
  snapshot: ClusterSnapshot,
  nodes: readonly FinalNode[],
  counters: Map<string, BoundPodCounts>,
): BindingCondition {
  const { maxSkew, minDomains = 0, nodeAffinityPolicy, nodeTaintsPolicy } = constraint;
  const { nodeSelector, requiredNodeTerms, tolerations } = pod.spec;
  const honorsAffinity = nodeAffinityPolicy === 'Honor';
  const honorsTaints = nodeTaintsPolicy === 'Honor';
  const audience = toSpreadPodSelector(constraint, pod);
  const { key } = audience;
  const filter = [honorsAffinity && [nodeSelector, requiredNodeTerms], honorsTaints && tolerations];
  const counts = createDomainCounts(counters, audience, JSON.stringify(filter), (node) =>
    isEligible(node, pod, honorsAffinity, honorsTaints),
  );
  const domains = new Set([
    ...nodes
      // Nodes of static NodePools are for no pods; the next plan counts them.
      .filter((node) => !node.leaving && !isOfStaticPool(node) && counts.isEligible(node))
      .flatMap((node) => findDecidedDomain(node, key) ?? []),
    ...snapshot.pools
      .filter(isUsable)
      .filter(({ taints }) => !honorsTaints || !findUntoleratedTaint(hard(taints), tolerations))
      .flatMap((pool) => [...listLaunchableDomains(snapshot, pool, key)]),
  ]);
  const reachable = [...domains].filter((domain) => mayBeIn(pod, key, domain));
  const itself = audience.includes(pod) ? 1 : 0;
  const isShort = key === HOSTNAME_LABEL || reachable.length < Math.max(minDomains, 1);
  const countOf = (domain: string): number => counts.counts.get(domain) ?? 0;

  return (node) => {
    const domain = findDecidedDomain(node, key);
    if (domain === undefined) return `${key} of ${node.name} is open`;
    const min = isShort ? 0 : Math.min(...reachable.map(countOf));
    const skew = countOf(domain) + itself - min;
    return skew > maxSkew ? `${key} skew ${skew} over ${maxSkew}` : undefined;
  };
}

const isOfStaticPool = ({ planned, arriving }: FinalNode): boolean => planned !== undefined && arriving.length === 0;

function createAffinityCondition(
  audience: PodSelector,
  pod: Pod,
  counters: Map<string, BoundPodCounts>,
): BindingCondition {
  const { counts } = createDomainCounts(counters, audience, '', () => true);
  return (node) => {
    const domain = getDomain(node, audience.key);
    if (domain !== undefined && (counts.get(domain) ?? 0) > 0) return undefined;
    const elsewhere = [...counts.keys()].some((one) => mayBeIn(pod, audience.key, one));
    const isFirst = audience.includes(pod) && !elsewhere;
    return isFirst && domain !== undefined ? undefined : `nobody to join in ${audience.key}`;
  };
}

function createDomainCounts(
  counters: Map<string, BoundPodCounts>,
  audience: PodSelector,
  filter: string,
  eligible: (node: FinalNode) => boolean,
): BoundPodCounts {
  const id = `${audience.id} ${filter}`;
  const judged = new Map<FinalNode, boolean>();
  const isKnown = (node: FinalNode): boolean => {
    return getOrCreate(judged, node, () => eligible(node));
  };
  return getOrCreate(counters, id, () => ({ audience, isEligible: isKnown, counts: new Map() }));
}

const isEligible = (node: FinalNode, pod: Pod, affinity: boolean, taints: boolean): boolean =>
  (!affinity || node.variants.some(({ labels }) => meetsAffinity(pod.spec, labels))) &&
  (!taints || !findUntoleratedTaint(hard(node.taints), pod.spec.tolerations));

const hard = (taints: readonly Taint[]): Taint[] => taints.filter(({ effect }) => effect !== 'PreferNoSchedule');

function findDecidedDomain(node: FinalNode, key: string): string | undefined {
  const values = listPossibleDomains(node, key);
  const [only] = values;
  return values.size > 1 ? undefined : only;
}

/** If the launch decides the domain, the node counts as a domain of its own. */
export const getDomain = (node: FinalNode, key: string): string | undefined =>
  listPossibleDomains(node, key).size > 1 ? `?${node.name}` : findDecidedDomain(node, key);

const domainSets = new WeakMap<FinalNode, Map<string, ReadonlySet<string>>>();

/** Lists every value that the node's label may get. */
export function listPossibleDomains(node: FinalNode, key: string): ReadonlySet<string> {
  if (key === HOSTNAME_LABEL && node.planned) return new Set([node.name]);
  const existing = getOrCreate(domainSets, node, () => new Map());
  return getOrCreate(existing, key, () => new Set(node.variants.flatMap(({ labels }) => ownValue(labels, key) ?? [])));
}

/** True if the pod's own node affinity allows the domain. */
const mayBeIn = ({ spec }: Pod, key: string, domain: string): boolean => {
  const selected = Object.entries(spec.nodeSelector).every(
    ([own, value]) => normaliseLabelKey(own) !== key || value === domain,
  );
  const terms = spec.requiredNodeTerms;
  return (
    selected &&
    (terms.length === 0 ||
      terms.some((term) => {
        const requirement = toRequirements(term).get(key);
        return requirement === undefined || allowsValue(requirement, domain);
      }))
  );
};
