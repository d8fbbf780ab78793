import { HOSTNAME_LABEL } from '../../model/labels.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import { passes } from '../topology/running-pods.ts';
import type { TopologyRule } from '../topology/topology-rules.ts';
import type { Counted, Leaning, Part } from './cast.ts';
import type { Host, HostKind } from './hosts.ts';

/** A topology rule on numbered hosts. */
export interface Tally {
  readonly rule: TopologyRule;
  /** Its place among the tallies of the stage. */
  readonly number: number;
  /** Per host: the number of its domain; -1 where it has none. */
  readonly domainOf: Int32Array;
  /** Per host: whether pods there count, and the domain with them. */
  readonly counted: Uint8Array;
  /** Numbers of the domains that some counted host has. */
  readonly present: Int32Array;
  /** Running pods that the rule selects, by domain. */
  readonly counts: Int32Array;
  /** Running pods that carry the rule, by domain. */
  readonly owners: Int32Array;
  /** Whether any run where no host is. */
  readonly elsewhere: boolean;
}

/** A part on numbered hosts. */
export interface Role extends Pick<Part, 'cls' | 'request' | 'asked'> {
  /** Numbers of the hosts whose labels and taints suit it, those with room first. */
  readonly hosts: Int32Array;
  /** How many of them have room before any pod is bound. */
  readonly roomy: number;
  /** By host: what its resources are worth then. */
  readonly opening: Int32Array;
  /** By host; absent where all are liked alike. */
  readonly liking?: readonly Liking[];
  /** Who once found no host will find none, whatever is bound meanwhile. */
  readonly isPlain: boolean;
  readonly owned: readonly { readonly tally: Tally; readonly selectsSelf: boolean }[];
  readonly barredBy: readonly Tally[];
  /** Rules that count its pods, and rules that its pods carry where others look for the owners. */
  readonly countedBy: readonly Tally[];
  readonly carries: readonly Tally[];
  readonly softSpreads: readonly Tally[];
  readonly near: readonly (Omit<Leaning, 'counted'> & { readonly tally: Tally })[];
}

interface Liking {
  /** Weight of the preferred node terms that the host meets. */
  readonly wished: number;
  /** Taints that are not tolerated, but only ask pods to stay away. */
  readonly disliked: number;
}

/** Hosts, rules and classes, numbered once for every order in which pods may come. */
export interface Stage {
  readonly hosts: readonly Host[];
  readonly tallies: readonly Tally[];
  readonly roles: ReadonlyMap<PodClass, Role>;
}

export function setStage(cast: readonly Part[], hosts: readonly Host[]): Stage {
  const groups = hostsByKind(hosts);
  const tallies = new Map<string, Tally>();
  const tallyOf = (counted: Counted): Tally => {
    const { id } = counted.rule;
    const known = tallies.get(id) ?? newTally(counted, hosts, tallies.size);
    tallies.set(id, known);
    return known;
  };
  const roles = cast.map((part): [PodClass, Role] => {
    const { cls, request, asked, owned, barredBy, countedBy, carries, softSpreads, near } = part;
    const role = {
      ...{ cls, request, asked },
      ...suitableHosts(part, groups, hosts.length),
      owned: owned.map(({ counted, selectsSelf }) => ({ tally: tallyOf(counted), selectsSelf })),
      barredBy: barredBy.map(tallyOf),
      countedBy: countedBy.map(tallyOf),
      carries: carries.map(tallyOf),
      softSpreads: softSpreads.map(tallyOf),
      isPlain: owned.length === 0,
      near: near.map(({ counted, ...rest }) => ({ ...rest, tally: tallyOf(counted) })),
    };
    return [cls, role];
  });
  return {
    hosts,
    tallies: [...tallies.values()],
    roles: new Map(roles),
  };
}

type HostGroups = ReadonlyMap<HostKind, readonly number[]>;

const hostsByKind = (hosts: readonly Host[]): HostGroups =>
  Map.groupBy(hosts.keys(), (number) => hosts[number]?.kind) as HostGroups;

function newTally(
  { rule, counts, owners }: Counted,
  hosts: readonly Host[],
  number: number,
): Tally {
  const numbers = new Map<string, number>();
  const domainOf = Int32Array.from(hosts, ({ name, kind: { labels } }) => {
    const domain = labels[rule.key] ?? (rule.key === HOSTNAME_LABEL ? name : undefined);
    if (domain === undefined) return -1;
    const known = numbers.get(domain) ?? numbers.size;
    numbers.set(domain, known);
    return known;
  });
  const counted = Uint8Array.from(hosts, ({ kind }) => (passes(rule.filter, kind) ? 1 : 0));
  const present = new Set<number>();
  domainOf.forEach((domain, host) => {
    if (domain >= 0 && counted[host]) present.add(domain);
  });
  const byNumber = (amounts: ReadonlyMap<string, number>) =>
    Int32Array.from(numbers.keys(), (domain) => amounts.get(domain) ?? 0);
  return {
    rule,
    number,
    domainOf,
    counted,
    present: Int32Array.from(present),
    counts: byNumber(counts),
    owners: byNumber(owners),
    elsewhere: [...counts].some(([domain, count]) => count > 0 && !numbers.has(domain)),
  };
}

function suitableHosts(
  part: Part,
  groups: HostGroups,
  most: number,
): Pick<Role, 'hosts' | 'roomy' | 'opening' | 'liking'> {
  const opening = new Int32Array(most);
  const liking = Array.from({ length: most }, () => INDIFFERENT);
  const roomy: number[] = [];
  const full: number[] = [];
  let isPicky = false;
  for (const [kind, numbers] of groups) {
    const { suits, opening: worth, ...liked } = part.judge(kind);
    if (!suits) continue;
    isPicky ||= liked.wished > 0 || liked.disliked > 0;
    for (const number of numbers) {
      opening[number] = worth;
      liking[number] = liked;
      if (worth < 0) full.push(number);
      else roomy.push(number);
    }
  }
  const hosts = Int32Array.of(...roomy.toSorted((a, b) => a - b), ...full);
  return { hosts, roomy: roomy.length, opening, ...(isPicky ? { liking } : {}) };
}

const INDIFFERENT: Liking = { wished: 0, disliked: 0 };
