import type { Labels } from '../../model/labels.ts';
import { ownValue } from '../../model/own-value.ts';
import type { PodAffinityTerm } from '../../model/pods/pod.ts';
import { selects } from '../../model/requirements/selectors.ts';
import type { SimPodClass } from '../control-plane/pod-store.ts';
import type { NodeLoad, NodeLoads } from './node-load.ts';
import { withMatchLabelKeys } from './topology-spread.ts';

export type Namespaces = Readonly<Record<string, Labels>>;

/** The required pod affinity or anti-affinity rules of a class, given the pods bound now. */
export interface AffinityRules {
  allows(load: NodeLoad): boolean;
  /** Counts a pod of the class that was bound to the node. */
  add(load: NodeLoad): void;
}

/**
 * @returns an empty list if neither the class nor a bound pod has a term that applies
 * @see kube-scheduler, plugin InterPodAffinity
 */
export function createAffinityRules(
  podClass: SimPodClass,
  namespaces: Namespaces,
  loads: NodeLoads,
): readonly AffinityRules[] {
  const { podAffinity, podAntiAffinity } = podClass.spec;
  const others = [...loads.classes()];
  const conflicts = others.map((other) => ({
    other,
    keys: listConflictingKeys(podClass, other, namespaces),
  }));
  const hasNoConflict = podAntiAffinity.length === 0 && conflicts.every(({ keys }) => keys.length === 0);
  return [
    ...(hasNoConflict
      ? []
      : [createAntiAffinityRule(conflicts, listConflictingKeys(podClass, podClass, namespaces), loads)]),
    ...(podAffinity.length === 0 ? [] : [createAffinityRule(podClass, namespaces, others, loads)]),
  ];
}

/** `key=value` of the node's domain; `undefined` if the node lacks the key. */
const domainOf = ({ node }: NodeLoad, key: string): string | undefined => {
  const value = ownValue(node.labels, key);
  return value === undefined ? undefined : `${key}=${value}`;
};

/** Adds the node's domains for `keys`; a node without a key is in no domain for it. */
function addDomains(domains: Set<string>, load: NodeLoad, keys: readonly string[]): void {
  for (const key of keys) {
    const domain = domainOf(load, key);
    if (domain !== undefined) domains.add(domain);
  }
}

/**
 * Topology keys for which anti-affinity keeps `podClass` away from `other`, whichever of the two
 * has the term.
 */
const listConflictingKeys = (podClass: SimPodClass, other: SimPodClass, namespaces: Namespaces): readonly string[] => [
  ...listMatchingKeys(podClass, other, namespaces),
  ...(other === podClass ? [] : listMatchingKeys(other, podClass, namespaces)),
];

const listMatchingKeys = (owner: SimPodClass, target: SimPodClass, namespaces: Namespaces): readonly string[] =>
  owner.spec.podAntiAffinity.filter((term) => matchesTerm(term, owner, namespaces)(target)).map(({ key }) => key);

function createAntiAffinityRule(
  conflicts: readonly { readonly other: SimPodClass; readonly keys: readonly string[] }[],
  selfKeys: readonly string[],
  loads: NodeLoads,
): AffinityRules {
  const keys = new Set([...conflicts.flatMap((entry) => entry.keys), ...selfKeys]);
  const occupiedDomains = new Set<string>();
  const occupy = (load: NodeLoad, conflictingKeys: readonly string[]): void =>
    addDomains(occupiedDomains, load, conflictingKeys);
  for (const { other, keys: conflictingKeys } of conflicts) {
    if (conflictingKeys.length === 0) continue;
    for (const load of loads.countsOf(other).keys()) occupy(load, conflictingKeys);
  }

  return {
    allows(load) {
      for (const key of keys) {
        const domain = domainOf(load, key);
        if (domain !== undefined && occupiedDomains.has(domain)) return false;
      }
      return true;
    },
    add: (load) => occupy(load, selfKeys),
  };
}

/** Allows domains with pods that satisfy all affinity terms of the class at once. */
function createAffinityRule(
  podClass: SimPodClass,
  namespaces: Namespaces,
  others: readonly SimPodClass[],
  loads: NodeLoads,
): AffinityRules {
  const terms = podClass.spec.podAffinity;
  const matchers = terms.map((term) => matchesTerm(term, podClass, namespaces));
  const matchesAll = (other: SimPodClass): boolean => matchers.every((matches) => matches(other));
  const matchingDomains = new Set<string>();
  const keys = terms.map(({ key }) => key);
  const join = (load: NodeLoad): void => addDomains(matchingDomains, load, keys);
  for (const other of others.filter(matchesAll)) {
    for (const load of loads.countsOf(other).keys()) join(load);
  }
  const matchesItself = matchesAll(podClass);

  return {
    allows(load) {
      const domains = keys.map((key) => domainOf(load, key));
      if (domains.includes(undefined)) return false;
      // The first pod of a group that selects itself may run anywhere.
      if (matchingDomains.size === 0 && matchesItself) return true;
      return domains.every((domain) => matchingDomains.has(domain ?? ''));
    },
    add(load) {
      if (matchesItself) join(load);
    },
  };
}

/** Returns a test for the pods that an affinity term of `owner` selects. */
export function matchesTerm(
  term: PodAffinityTerm,
  owner: SimPodClass,
  namespaces: Namespaces,
): (podClass: SimPodClass) => boolean {
  const selector = withMatchLabelKeys(term.selector, term.matchLabelKeys, owner.labels);
  const isOwnNamespace = term.namespaces.length === 0 && !term.namespaceSelector;
  return ({ namespace, labels }) => {
    const isNamespaceMatch = isOwnNamespace
      ? namespace === owner.namespace
      : term.namespaces.includes(namespace) || selects(term.namespaceSelector, ownValue(namespaces, namespace) ?? {});
    return isNamespaceMatch && selects(selector, labels);
  };
}
