import { HOSTNAME_LABEL, type Labels, ZONE_LABEL } from '../../model/labels.ts';
import type { PodAffinityTerm } from '../../model/pods/pod.ts';
import { isHeadroomSpec } from '../pods/buffer-pods.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import { createRequiredAffinityRules } from '../topology/pod-rules.ts';
import { createAffinityRule, isSelected, type TopologyRule } from '../topology/topology-rules.ts';

/**
 * Room that is only kept comes last. Pods that must be near others are placed after those; pods
 * whose rules look at hosts before those that fit together; big pods before small ones. Among
 * equals, those that name their zone come before those that may choose: whoever chooses first may
 * bar the others.
 */
export function sortForPlacement(
  classes: readonly PodClass[],
  namespaces: Readonly<Record<string, Labels>>,
): PodClass[] {
  const ranks = computeAffinityRanks(classes, namespaces);
  const keyed = classes.map((cls) => ({ cls, key: toPlacementKey(cls, ranks.get(cls) ?? 0) }));
  return keyed.toSorted((a, b) => comparePlacementKeys(a.key, b.key)).map(({ cls }) => cls);
}

/** Numbers of which the first that differs decides: the smaller comes first. */
type PlacementKey = readonly number[];

const toPlacementKey = (cls: PodClass, affinityRank: number): PlacementKey => [
  Number(isHeadroomSpec(cls.spec)),
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
 * 0 for pods that need nobody, 1 for those that may be their own company, and above that one more
 * than the last of those that they must join: affinity comes in chains.
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
  // Each round settles one more link of the longest chain; circles are never settled.
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

/** What is given up in the end is tried first. */
const listPreferredAffinity = ({ relaxations }: PodClass): readonly PodAffinityTerm[] =>
  relaxations[0]?.podAffinity ?? [];

/** The affinity of the class that its own pods do not satisfy. */
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
