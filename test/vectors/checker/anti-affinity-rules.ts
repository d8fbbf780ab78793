import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { getOrCreate } from '../../../shared/model/memo.ts';
import { type Pod, podKey } from '../../../shared/model/pods/pod.ts';
import { type FinalNode, isCountedInDomain } from './final-nodes.ts';
import { type PodSelector, toAffinityPodSelector } from './pod-rules.ts';
import { listPossibleDomains } from './topology-rules.ts';

interface Resident {
  readonly pod: Pod;
  readonly node: FinalNode;
  readonly isNew: boolean;
}

/**
 * Finds pairs of pods with anti-affinity that may share a domain, whatever is launched. Pairs that
 * shared it before the plan are ignored.
 */
export function findAntiAffinityViolations({ namespaces }: ClusterSnapshot, nodes: readonly FinalNode[]): string[] {
  const residents = nodes.flatMap((node): Resident[] => [
    ...node.bound.filter(isCountedInDomain).map((pod) => ({ pod, node, isNew: false })),
    ...node.arriving.map((pod) => ({ pod, node, isNew: true })),
  ]);
  const rules = new Map<string, { readonly audience: PodSelector; readonly owners: Resident[] }>();
  for (const resident of residents) {
    for (const term of resident.pod.spec.podAntiAffinity) {
      const audience = toAffinityPodSelector(term, resident.pod, namespaces);
      const rule = getOrCreate(rules, audience.id, () => ({ audience, owners: [] }));
      rule.owners.push(resident);
    }
  }
  return [...rules.values()].flatMap(({ audience, owners }) => findMeetings(audience, owners, residents));
}

function findMeetings(audience: PodSelector, owners: readonly Resident[], residents: readonly Resident[]): string[] {
  const refused = new Map<string, Resident[]>();
  for (const resident of residents) {
    if (!audience.includes(resident.pod)) continue;
    for (const domain of listPossibleDomains(resident.node, audience.key)) {
      const there = getOrCreate(refused, domain, () => []);
      there.push(resident);
    }
  }
  return owners.flatMap((owner) =>
    [...listPossibleDomains(owner.node, audience.key)].flatMap((domain) =>
      (refused.get(domain) ?? [])
        .filter((other) => other.pod !== owner.pod && (other.isNew || owner.isNew))
        .map(({ pod }) => `${podKey(owner.pod)} may meet ${podKey(pod)} in ${domain}`),
    ),
  );
}
