import type { Labels } from '../model/labels.ts';
import type { PodAffinityTerm } from '../model/pod.ts';
import { selects } from '../model/selectors.ts';
import type { NodeLoad } from './node-load.ts';
import type { PodClass } from './pod-class.ts';
import { perClass, withOwnValues } from './topology-spread.ts';

export type Namespaces = Readonly<Record<string, Labels>>;

/** The required pod affinity and anti-affinity that one class of pods meets at this moment. */
export interface AffinityRules {
  allows(load: NodeLoad): boolean;
  /** A pod of the class went to this node. */
  add(load: NodeLoad): void;
}

/** @see kube-scheduler, plugin InterPodAffinity */
export function createAffinityRules(
  podClass: PodClass,
  namespaces: Namespaces,
  loads: Iterable<NodeLoad>,
): AffinityRules | undefined {
  const all = [...loads];
  const wanted = podClass.spec.podAffinity;
  const refused = refusals(podClass, namespaces, all);
  if (wanted.length === 0 && refused.isIdle) return undefined;

  const company = wantedCompany(podClass, namespaces, all);
  return {
    allows: (load) => refused.allows(load) && company.allows(load),
    add(load) {
      refused.add(load);
      company.add(load);
    },
  };
}

/** `key=value` of a node's domain; absent where the node lacks the key. */
const domainOf = ({ node }: NodeLoad, key: string): string | undefined => {
  const value = node.labels[key];
  return value === undefined ? undefined : `${key}=${value}`;
};

/** Domains that a pod of the class must stay out of: by its own terms and by those of others. */
function refusals(podClass: PodClass, namespaces: Namespaces, loads: readonly NodeLoad[]) {
  const own = podClass.spec.podAntiAffinity.map((term) => ({
    key: term.key,
    meets: meetsTerm(term, podClass, namespaces),
  }));
  const theirKeys = perClassKeys(podClass, namespaces);
  const taken = new Set<string>();
  let isIdle = own.length === 0;

  const close = (load: NodeLoad, keys: readonly string[]): void => {
    for (const key of keys) taken.add(domainOf(load, key) ?? '');
  };
  for (const load of loads) {
    for (const other of load.classes.keys()) {
      close(load, keysMet(own, other));
      close(load, theirKeys(other));
    }
  }
  if (taken.size > 0 || theirKeys(podClass).length > 0) isIdle = false;
  const keys = new Set([...taken].map((domain) => domain.slice(0, domain.indexOf('='))));

  const selfKeys = [...keysMet(own, podClass), ...theirKeys(podClass)];
  return {
    isIdle,
    allows: (load: NodeLoad): boolean => {
      for (const key of [...keys, ...selfKeys]) {
        const domain = domainOf(load, key);
        if (domain !== undefined && taken.has(domain)) return false;
      }
      return true;
    },
    add: (load: NodeLoad): void => close(load, selfKeys),
  };
}

const keysMet = (
  terms: readonly { readonly key: string; readonly meets: (podClass: PodClass) => boolean }[],
  other: PodClass,
): readonly string[] => terms.filter(({ meets }) => meets(other)).map(({ key }) => key);

/** The keys of the anti-affinity terms of other classes that `podClass` meets. */
function perClassKeys(podClass: PodClass, namespaces: Namespaces) {
  const known = new Map<PodClass, readonly string[]>();
  return (other: PodClass): readonly string[] => {
    const present = known.get(other);
    if (present) return present;
    const keys = other.spec.podAntiAffinity
      .filter((term) => meetsTerm(term, other, namespaces)(podClass))
      .map(({ key }) => key);
    known.set(other, keys);
    return keys;
  };
}

/** Domains where pods run that satisfy all of the class's affinity terms at once. */
function wantedCompany(podClass: PodClass, namespaces: Namespaces, loads: readonly NodeLoad[]) {
  const terms = podClass.spec.podAffinity;
  const meets = terms.map((term) => meetsTerm(term, podClass, namespaces));
  const meetsAll = perClass((other) => meets.every((asks) => asks(other)));
  const present = new Set<string>();

  const add = (load: NodeLoad): void => {
    for (const { key } of terms) present.add(domainOf(load, key) ?? '');
  };
  for (const load of loads) {
    if (load.classes.keys().some(meetsAll)) add(load);
  }
  const isOwnCompany = terms.length > 0 && meetsAll(podClass);

  return {
    allows: (load: NodeLoad): boolean => {
      const domains = terms.map(({ key }) => domainOf(load, key));
      if (domains.includes(undefined)) return false;
      // The first of a group that wants itself may start anywhere.
      if (present.size === 0 && isOwnCompany) return true;
      return domains.every((domain) => present.has(domain ?? ''));
    },
    add: (load: NodeLoad): void => {
      if (isOwnCompany) add(load);
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
