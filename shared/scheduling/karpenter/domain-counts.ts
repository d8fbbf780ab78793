import { HOSTNAME_LABEL } from '../../model/labels.ts';
import { allowsValue, EXISTS } from '../../model/requirement.ts';
import { findConflict, type Requirements } from '../../model/requirements.ts';
import { type Taint, untoleratedTaint } from '../../model/taints.ts';
import type { TopologyGroup } from '../topology/topology.ts';
import { bump, type NodeFilter } from '../topology/topology-rules.ts';
import { type DomainQuestion, domainsLeft } from './domain-rules.ts';
import type { Luck } from './luck.ts';
import type { Wish } from './wishes.ts';

/** Where a pod would go: a node that runs, or a claim that is still open in much. */
export interface Host {
  readonly name: string;
  readonly requirements: Requirements;
  readonly taints: readonly Taint[];
}

/** How many pods each rule has seen in each domain, as far as Karpenter knows domains. */
export interface DomainCounts {
  /**
   * The domains that the pod's neighbours leave to the host if the pod goes there, by key; undefined
   * if they keep it out.
   */
  domainsFor(wish: Wish, host: Host): ReadonlyMap<string, readonly string[]> | undefined;
  /** Counts the pod where the host is, as far as that is settled. */
  record(wish: Wish, host: Host): void;
}

type Counts = Map<string, number>;

const NOTHING: ReadonlyMap<string, readonly string[]> = new Map();

export function domainCounts(luck: Luck): DomainCounts {
  const selected = ledger(({ counts }) => counts);
  const owners = ledger((group) => group.owners);

  return {
    domainsFor(wish, host) {
      const asked = [...asksOf(wish, selected, owners)];
      if (asked.length === 0) return NOTHING;
      const left = new Map<string, readonly string[]>();
      for (const { group, counts, selectsSelf } of asked) {
        const domains = domainsLeft(questionOf(group, counts, selectsSelf, wish, host), luck);
        const both = left.get(group.key)?.filter((one) => domains.includes(one)) ?? domains;
        if (both.length === 0) return undefined;
        left.set(group.key, both);
      }
      left.delete(HOSTNAME_LABEL);
      return left;
    },
    record({ rules }, host) {
      for (const group of rules.countedBy) {
        const domains = passes(group.filter, host) ? domainsOf(host, group.key) : [];
        // Whoever must keep away has to know every domain where the pod may end up.
        if (group.kind !== 'anti-affinity' && domains.length > 1) continue;
        for (const domain of domains) bump(selected(group), domain, 1);
      }
      for (const { group } of rules.owned) {
        if (group.kind !== 'anti-affinity' || group.isSoft) continue;
        for (const domain of domainsOf(host, group.key)) bump(owners(group), domain, 1);
      }
    },
  };
}

/** Counts of this run, which begin as those of the pods that run. */
function ledger(from: (group: TopologyGroup) => Counts): (group: TopologyGroup) => Counts {
  const counts = new Map<TopologyGroup, Counts>();
  return (group) => {
    const known = counts.get(group) ?? new Map(from(group));
    counts.set(group, known);
    return known;
  };
}

type Ledger = ReturnType<typeof ledger>;

interface Ask {
  readonly group: TopologyGroup;
  readonly counts: Counts;
  readonly selectsSelf: boolean;
}

function* asksOf({ rules }: Wish, selected: Ledger, owners: Ledger): Generator<Ask> {
  for (const { group, selectsSelf } of rules.owned) {
    yield { group, counts: selected(group), selectsSelf };
  }
  for (const group of rules.avoided) yield { group, counts: selected(group), selectsSelf: false };
  for (const group of rules.barredBy) yield { group, counts: owners(group), selectsSelf: false };
}

function questionOf(
  group: TopologyGroup,
  counts: Counts,
  selectsSelf: boolean,
  { alternative }: Wish,
  { name, requirements }: Host,
): DomainQuestion {
  const { key } = group;
  const wanted = alternative.strict.get(key) ?? EXISTS;
  const asked = { group, counts, selectsSelf, isForPod: (one: string) => allowsValue(wanted, one) };
  if (key === HOSTNAME_LABEL) return { ...asked, isHere: (one) => one === name, here: name };
  const given = requirements.get(key) ?? EXISTS;
  return { ...asked, isHere: (one) => allowsValue(given, one) };
}

/** Where the host may end up; nowhere in particular while nothing is said about the key. */
function domainsOf({ name, requirements }: Host, key: string): readonly string[] {
  if (key === HOSTNAME_LABEL) return [name];
  const { complement, values } = requirements.get(key) ?? EXISTS;
  return complement ? [] : [...values];
}

/** @see Karpenter: a label that a claim does not have yet counts as missing here */
function passes(filter: NodeFilter | undefined, { requirements, taints }: Host): boolean {
  const { anyOf, tolerations } = filter ?? {};
  if (anyOf && !anyOf.some((term) => !findConflict(requirements, term))) return false;
  return !tolerations || !untoleratedTaint(taints, tolerations);
}
