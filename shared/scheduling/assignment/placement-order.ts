import { HOSTNAME_LABEL, type Labels, ZONE_LABEL } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { PodAffinityTerm } from '../../model/pods/pod.ts';
import { isBufferPodSpec } from '../pods/buffer-pods.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import { createRequiredAffinityRules } from '../topology/pod-rules.ts';
import { createAffinityRule, createRuleIndex, isSelected, type TopologyRule } from '../topology/topology-rules.ts';

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

const namesZone = ({ relaxations }: PodClass): boolean => relaxations.every(({ strict }) => strict.has(ZONE_LABEL));

/**
 * Computes 0 for pods without affinity, 1 for pods that can satisfy their own affinity, and
 * otherwise one more than the highest rank among the classes that they must join.
 */
function computeAffinityRanks(
  classes: readonly PodClass[],
  namespaces: Readonly<Record<string, Labels>>,
): Map<PodClass, number> {
  const affinityClasses = classes.filter((cls) => cls.spec.podAffinity.length + listPreferredAffinity(cls).length > 0);
  const ranks = new Map(affinityClasses.map((cls) => [cls, 1]));
  const links = listAffinityLinks(affinityClasses, namespaces);
  const linkCount = links.reduce((total, { joined }) => total + joined.length, 0);
  // Each round fixes one more link of the longest chain. Cyclic affinity never becomes stable, so
  // the rounds are limited.
  const maxRounds = Math.min(affinityClasses.length, 1 + MAX_LINKS_VISITED / (linkCount + 1));
  for (let round = 0; round < maxRounds; round++) {
    let isStable = true;
    for (const { cls, joined } of links) {
      let rank = 2;
      for (const other of joined) rank = Math.max(rank, 1 + (ranks.get(other) ?? 0));
      if (rank === ranks.get(cls)) continue;
      ranks.set(cls, rank);
      isStable = false;
    }
    if (isStable) break;
  }
  return ranks;
}

/** Limits the work for long cycles. The order of their classes then ignores the last links. */
const MAX_LINKS_VISITED = 5_000_000;

/** A class and the classes that its affinity selects. */
interface AffinityLinks {
  readonly cls: PodClass;
  readonly joined: readonly PodClass[];
}

/** Lists the classes whose affinity rules their own pods do not satisfy. */
function listAffinityLinks(
  classes: readonly PodClass[],
  namespaces: Readonly<Record<string, Labels>>,
): readonly AffinityLinks[] {
  const rulesByClass = new Map(classes.map((cls) => [cls, listRulesForOthers(cls, namespaces)]));
  const rules = new Map([...rulesByClass.values()].flat().map((rule) => [rule.id, rule]));
  const index = createRuleIndex(rules.values());
  const selected = new Map<string, PodClass[]>();
  for (const cls of classes) {
    for (const { id } of index.findSelecting(cls)) getOrCreate(selected, id, () => []).push(cls);
  }
  return [...rulesByClass].flatMap(([cls, own]) => {
    if (own.length === 0) return [];
    return [{ cls, joined: [...new Set(own.flatMap(({ id }) => selected.get(id) ?? []))] }];
  });
}

/** Preferred affinity counts here because it is tried first, before it is given up. */
const listPreferredAffinity = ({ relaxations }: PodClass): readonly PodAffinityTerm[] =>
  relaxations[0]?.podAffinity ?? [];

/** Lists the affinity rules of the class that its own pods do not satisfy. */
const listRulesForOthers = (cls: PodClass, namespaces: Readonly<Record<string, Labels>>): TopologyRule[] =>
  [
    ...createRequiredAffinityRules(cls, namespaces),
    ...listPreferredAffinity(cls).map((term) => createAffinityRule('affinity', term, cls, namespaces)),
  ].filter((rule) => !isSelected(rule, cls));
