import { HOSTNAME_LABEL, type Labels, ZONE_LABEL } from '../../model/labels.ts';
import type { PodAffinityTerm } from '../../model/pods/pod.ts';
import { isBufferPodSpec } from '../pods/buffer-pods.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import { createRequiredAffinityRules } from '../topology/pod-rules.ts';
import { createAffinityRule, isSelected, type TopologyRule } from '../topology/topology-rules.ts';

/**
 * Sorts classes in the order in which they are placed. Pods with affinity follow the pods that they
 * must join, pods with hostname rules precede others, and large pods precede small pods. Among
 * equals, pods that require a zone precede pods that may choose, because a free choice could bar
 * the others. Buffer pods come last.
 */
export function sortForPlacement(
  classes: readonly PodClass[],
  namespaces: Readonly<Record<string, Labels>>,
): PodClass[] {
  const ranks = computeAffinityRanks(classes, namespaces);
  const keyed = classes.map((cls) => ({ cls, key: toPlacementKey(cls, ranks.get(cls) ?? 0) }));
  return keyed.toSorted((a, b) => comparePlacementKeys(a.key, b.key)).map(({ cls }) => cls);
}

/** Numbers that are compared one after the other; the smaller key is placed first. */
type PlacementKey = readonly number[];

const toPlacementKey = (cls: PodClass, affinityRank: number): PlacementKey => [
  Number(isBufferPodSpec(cls.spec)),
  affinityRank,
  -Number(hasHostRules(cls)),
  -(cls.spec.requests.cpu ?? 0),
  -(cls.spec.requests.memory ?? 0),
  -Number(namesZone(cls)),
];

function comparePlacementKeys(a: PlacementKey, b: PlacementKey): number {
  for (let position = 0; position < a.length; position++) {
    const difference = (a[position] ?? 0) - (b[position] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

const hasHostRules = ({ spec }: PodClass): boolean =>
  [...spec.topologySpread, ...spec.podAntiAffinity].some(({ key }) => key === HOSTNAME_LABEL);

const namesZone = ({ relaxations }: PodClass): boolean =>
  relaxations.every(({ strict }) => strict.has(ZONE_LABEL));

/**
 * Computes 0 for pods without affinity, 1 for pods that can satisfy their own affinity, and
 * otherwise one more than the highest rank among the classes that they must join.
 */
function computeAffinityRanks(
  classes: readonly PodClass[],
  namespaces: Readonly<Record<string, Labels>>,
): Map<PodClass, number> {
  const affinityClasses = classes.filter(
    (cls) => cls.spec.podAffinity.length + listPreferredAffinity(cls).length > 0,
  );
  const othersByClass = new Map(
    affinityClasses.map((cls) => [cls, listRulesForOthers(cls, namespaces)]),
  );
  const ranks = new Map(affinityClasses.map((cls) => [cls, 1]));
  // Each round fixes one more link of the longest chain. Cyclic affinity never becomes stable, so
  // the rounds are limited.
  for (let round = 0; round < affinityClasses.length; round++) {
    let isStable = true;
    for (const [cls, rules] of othersByClass) {
      if (rules.length === 0) continue;
      const joinedClasses = affinityClasses.filter((other) =>
        rules.some((rule) => isSelected(rule, other)),
      );
      const rank = 1 + Math.max(1, ...joinedClasses.map((other) => ranks.get(other) ?? 0));
      if (rank === ranks.get(cls)) continue;
      ranks.set(cls, rank);
      isStable = false;
    }
    if (isStable) break;
  }
  return ranks;
}

/** Preferred affinity counts here because it is tried first, before it is given up. */
const listPreferredAffinity = ({ relaxations }: PodClass): readonly PodAffinityTerm[] =>
  relaxations[0]?.podAffinity ?? [];

/** Lists the affinity rules of the class that its own pods do not satisfy. */
const listRulesForOthers = (
  cls: PodClass,
  namespaces: Readonly<Record<string, Labels>>,
): TopologyRule[] =>
  [
    ...createRequiredAffinityRules(cls, namespaces),
    ...listPreferredAffinity(cls).map((term) =>
      createAffinityRule('affinity', term, cls, namespaces),
    ),
  ].filter((rule) => !isSelected(rule, cls));
