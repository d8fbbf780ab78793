import { HOSTNAME_LABEL, type Labels, ZONE_LABEL } from '../../model/labels.ts';
import type { PodAffinityTerm } from '../../model/pod.ts';
import { requiredAffinity } from '../topology/pod-rules.ts';
import { affinityRule, isSelected, type TopologyRule } from '../topology/topology-rules.ts';
import { isHeadroom } from '../pods/buffer-pods.ts';
import type { PodClass } from '../pods/pod-classes.ts';

/**
 * Room that is only kept comes last. Pods that must be near others are placed after those; pods
 * whose rules look at hosts before those that fit together; big pods before small ones. Among
 * equals, those that name their zone come before those that may choose: whoever chooses first may
 * bar the others.
 */
export function choosiestFirst(
  classes: readonly PodClass[],
  namespaces: Readonly<Record<string, Labels>>,
): PodClass[] {
  const ranks = affinityRanks(classes, namespaces);
  const waiting = classes.map((cls) => ({ cls, first: urgencyOf(cls, ranks.get(cls) ?? 0) }));
  return waiting.toSorted((a, b) => compareUrgency(a.first, b.first)).map(({ cls }) => cls);
}

/** Numbers of which the first that differs decides: the smaller comes first. */
type Urgency = readonly number[];

const urgencyOf = (cls: PodClass, affinityRank: number): Urgency => [
  Number(isHeadroom(cls.spec)),
  affinityRank,
  -Number(needsHosts(cls)),
  -(cls.spec.requests.cpu ?? 0),
  -(cls.spec.requests.memory ?? 0),
  -Number(namesZone(cls)),
];

function compareUrgency(a: Urgency, b: Urgency): number {
  for (let position = 0; position < a.length; position++) {
    const difference = (a[position] ?? 0) - (b[position] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

const needsHosts = ({ spec }: PodClass): boolean =>
  [...spec.topologySpread, ...spec.podAntiAffinity].some(({ key }) => key === HOSTNAME_LABEL);

const namesZone = ({ alternatives }: PodClass): boolean =>
  alternatives.every(({ strict }) => strict.has(ZONE_LABEL));

/**
 * 0 for pods that need nobody, 1 for those that may be their own company, and above that one more
 * than the last of those that they must join: affinity comes in chains.
 */
function affinityRanks(
  classes: readonly PodClass[],
  namespaces: Readonly<Record<string, Labels>>,
): Map<PodClass, number> {
  const affine = classes.filter(
    (cls) => cls.spec.podAffinity.length + preferredAffinity(cls).length > 0,
  );
  const needs = new Map(affine.map((cls) => [cls, othersNeeded(cls, namespaces)]));
  const ranks = new Map(affine.map((cls) => [cls, 1]));
  // Each round settles one more link of the longest chain; circles are never settled.
  for (let round = 0; round < affine.length; round++) {
    let isSettled = true;
    for (const [cls, rules] of needs) {
      if (rules.length === 0) continue;
      const joined = affine.filter((other) => rules.some((rule) => isSelected(rule, other)));
      const rank = 1 + Math.max(1, ...joined.map((other) => ranks.get(other) ?? 0));
      if (rank === ranks.get(cls)) continue;
      ranks.set(cls, rank);
      isSettled = false;
    }
    if (isSettled) break;
  }
  return ranks;
}

/** What is given up in the end is tried first. */
const preferredAffinity = ({ alternatives }: PodClass): readonly PodAffinityTerm[] =>
  alternatives[0]?.podAffinity ?? [];

/** The affinity of the class that its own pods do not satisfy. */
const othersNeeded = (
  cls: PodClass,
  namespaces: Readonly<Record<string, Labels>>,
): TopologyRule[] =>
  [
    ...requiredAffinity(cls, namespaces),
    ...preferredAffinity(cls).map((term) => affinityRule('affinity', term, cls, namespaces)),
  ].filter((rule) => !isSelected(rule, cls));
