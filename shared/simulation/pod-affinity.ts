import type { Labels } from '../model/labels.ts';
import type { PodAffinityTerm } from '../model/pod.ts';
import { selects } from '../model/selectors.ts';
import type { NodeLoad, NodeLoads } from './node-load.ts';
import type { PodClass } from './pod-store.ts';
import { withOwnValues } from './topology-spread.ts';

export type Namespaces = Readonly<Record<string, Labels>>;

/** The required pod affinity and anti-affinity that one class of pods meets at this moment. */
export interface AffinityRules {
  allows(load: NodeLoad): boolean;
  /** A pod of the class went to this node. */
  add(load: NodeLoad): void;
}

/**
 * @returns nothing where there is neither a term of the class nor one that speaks of it
 * @see kube-scheduler, plugin InterPodAffinity
 */
export function affinityRules(
  podClass: PodClass,
  namespaces: Namespaces,
  loads: NodeLoads,
): readonly AffinityRules[] {
  const { podAffinity, podAntiAffinity } = podClass.spec;
  const others = [...loads.classes()];
  const closed = others.map((other) => ({ other, keys: closedBy(podClass, other, namespaces) }));
  const isFree = podAntiAffinity.length === 0 && closed.every(({ keys }) => keys.length === 0);
  return [
    ...(isFree ? [] : [keptApart(closed, closedBy(podClass, podClass, namespaces), loads)]),
    ...(podAffinity.length === 0 ? [] : [inCompany(podClass, namespaces, others, loads)]),
  ];
}

/** `key=value` of a node's domain; absent where the node lacks the key. */
const domainOf = ({ node }: NodeLoad, key: string): string | undefined => {
  const value = node.labels[key];
  return value === undefined ? undefined : `${key}=${value}`;
};

/** A node without the key is in no domain. */
function addDomains(domains: Set<string>, load: NodeLoad, keys: readonly string[]): void {
  for (const key of keys) {
    const domain = domainOf(load, key);
    if (domain !== undefined) domains.add(domain);
  }
}

/** The keys whose domains `other` closes to `podClass`: by the terms of the one or of the other. */
const closedBy = (
  podClass: PodClass,
  other: PodClass,
  namespaces: Namespaces,
): readonly string[] => [
  ...keysMeant(podClass, other, namespaces),
  ...(other === podClass ? [] : keysMeant(other, podClass, namespaces)),
];

const keysMeant = (owner: PodClass, meant: PodClass, namespaces: Namespaces): readonly string[] =>
  owner.spec.podAntiAffinity
    .filter((term) => meetsTerm(term, owner, namespaces)(meant))
    .map(({ key }) => key);

function keptApart(
  closed: readonly { readonly other: PodClass; readonly keys: readonly string[] }[],
  selfKeys: readonly string[],
  loads: NodeLoads,
): AffinityRules {
  const keys = new Set([...closed.flatMap((entry) => entry.keys), ...selfKeys]);
  const taken = new Set<string>();
  const close = (load: NodeLoad, closedKeys: readonly string[]): void =>
    addDomains(taken, load, closedKeys);
  for (const { other, keys: closedKeys } of closed) {
    if (closedKeys.length === 0) continue;
    for (const load of loads.countsOf(other).keys()) close(load, closedKeys);
  }

  return {
    allows(load) {
      for (const key of keys) {
        const domain = domainOf(load, key);
        if (domain !== undefined && taken.has(domain)) return false;
      }
      return true;
    },
    add: (load) => close(load, selfKeys),
  };
}

/** In domains where pods run that satisfy all of the class's affinity terms at once. */
function inCompany(
  podClass: PodClass,
  namespaces: Namespaces,
  others: readonly PodClass[],
  loads: NodeLoads,
): AffinityRules {
  const terms = podClass.spec.podAffinity;
  const meets = terms.map((term) => meetsTerm(term, podClass, namespaces));
  const meetsAll = (other: PodClass): boolean => meets.every((asks) => asks(other));
  const present = new Set<string>();
  const keys = terms.map(({ key }) => key);
  const join = (load: NodeLoad): void => addDomains(present, load, keys);
  for (const other of others.filter(meetsAll)) {
    for (const load of loads.countsOf(other).keys()) join(load);
  }
  const isOwnCompany = meetsAll(podClass);

  return {
    allows(load) {
      const domains = keys.map((key) => domainOf(load, key));
      if (domains.includes(undefined)) return false;
      // The first of a group that wants itself may start anywhere.
      if (present.size === 0 && isOwnCompany) return true;
      return domains.every((domain) => present.has(domain ?? ''));
    },
    add(load) {
      if (isOwnCompany) join(load);
    },
  };
}

/** Whether a pod is one that the term, written by a pod of class `owner`, speaks of. */
export function meetsTerm(
  term: PodAffinityTerm,
  owner: PodClass,
  namespaces: Namespaces,
): (podClass: PodClass) => boolean {
  const selector = withOwnValues(term.selector, term.matchLabelKeys, owner.labels);
  const isOwnNamespace = term.namespaces.length === 0 && !term.namespaceSelector;
  return ({ namespace, labels }) => {
    const isMeant = isOwnNamespace
      ? namespace === owner.namespace
      : term.namespaces.includes(namespace) ||
        selects(term.namespaceSelector, namespaces[namespace] ?? {});
    return isMeant && selects(selector, labels);
  };
}
