import { HOSTNAME_LABEL } from '../../../model/labels.ts';
import { passes } from '../../topology/running-pod-counts.ts';
import type { TopologyRule } from '../../topology/topology-rules.ts';
import type { Cast, Counted, Liking, Part } from './pod-class-model.ts';
import type { Host } from './simulated-nodes.ts';

/** A topology rule on numbered hosts. */
export interface Tally {
  readonly rule: TopologyRule;
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

/** Hosts and rules, numbered once for every order in which pods may come. */
export interface Stage {
  readonly cast: Cast;
  readonly hosts: readonly Host[];
  /** By number of the rule. */
  readonly tallies: readonly Tally[];
  /** Rows of hosts, one for each part: those whose labels and taints suit it, with room first. */
  readonly suiting: Int32Array;
  /** By part: how many those are, and how many of them have room before any pod is bound. */
  readonly suitingCount: Int32Array;
  readonly roomyCount: Int32Array;
  /** Rows by host, one for each part: what its resources are worth then. */
  readonly opening: Int32Array;
  /** By part, then by host; absent where all are liked alike. */
  readonly liking: readonly (readonly Liking[] | undefined)[];
}

export function setStage(cast: Cast, hosts: readonly Host[]): Stage {
  const { parts, counted } = cast;
  const cells = parts.length * hosts.length;
  const stage = {
    ...{ cast, hosts },
    suiting: new Int32Array(cells),
    suitingCount: new Int32Array(parts.length),
    roomyCount: new Int32Array(parts.length),
    opening: new Int32Array(cells),
  };
  const domains = new Map<string, Domains>();
  const domainsOf = (key: string): Domains => {
    const known = domains.get(key) ?? newDomains(key, hosts);
    domains.set(key, known);
    return known;
  };
  return {
    ...stage,
    tallies: counted.map((one) => newTally(one, hosts, domainsOf(one.rule.key))),
    liking: parts.map((part) => look(part, stage)),
  };
}

/** The values of a label, numbered. */
interface Domains {
  readonly numbers: ReadonlyMap<string, number>;
  readonly domainOf: Int32Array;
}

function newDomains(key: string, hosts: readonly Host[]): Domains {
  const numbers = new Map<string, number>();
  const domainOf = Int32Array.from(hosts, ({ name, kind: { labels } }) => {
    const domain = labels[key] ?? (key === HOSTNAME_LABEL ? name : undefined);
    if (domain === undefined) return -1;
    const known = numbers.get(domain) ?? numbers.size;
    numbers.set(domain, known);
    return known;
  });
  return { numbers, domainOf };
}

function newTally(
  { rule, counts, owners }: Counted,
  hosts: readonly Host[],
  { numbers, domainOf }: Domains,
): Tally {
  const counted = new Uint8Array(hosts.length);
  const present = new Uint8Array(numbers.size);
  hosts.forEach(({ kind }, host) => {
    if (!passes(rule.filter, kind)) return;
    counted[host] = 1;
    const domain = domainOf[host] ?? -1;
    if (domain >= 0) present[domain] = 1;
  });
  return {
    ...{ rule, domainOf, counted },
    present: Int32Array.from(numbers.values()).filter((domain) => present[domain] === 1),
    counts: byNumber(counts, numbers),
    owners: byNumber(owners, numbers),
    elsewhere: [...counts].some(([domain, count]) => count > 0 && !numbers.has(domain)),
  };
}

function byNumber(
  amounts: ReadonlyMap<string, number>,
  numbers: ReadonlyMap<string, number>,
): Int32Array {
  const all = new Int32Array(numbers.size);
  for (const [domain, amount] of amounts) {
    const number = numbers.get(domain);
    if (number !== undefined) all[number] = amount;
  }
  return all;
}

/** Writes the part's rows. @returns what it likes, where it likes some hosts more than others */
function look(
  { number, judge }: Part,
  {
    hosts,
    suiting,
    suitingCount,
    roomyCount,
    opening,
  }: Pick<Stage, 'hosts' | 'suiting' | 'suitingCount' | 'roomyCount' | 'opening'>,
): readonly Liking[] | undefined {
  const row = number * hosts.length;
  let roomy = row;
  let full = row + hosts.length;
  let isPicky = false;
  for (let host = 0; host < hosts.length; host++) {
    const kind = hosts[host]?.kind;
    if (!kind) continue;
    const verdict = judge(kind);
    if (!verdict.suits) continue;
    isPicky ||= verdict.wished > 0 || verdict.disliked > 0;
    opening[row + host] = verdict.opening;
    if (verdict.opening < 0) suiting[--full] = host;
    else suiting[roomy++] = host;
  }
  suiting.copyWithin(roomy, full, row + hosts.length);
  roomyCount[number] = roomy - row;
  suitingCount[number] = roomy - row + (row + hosts.length - full);
  return isPicky ? hosts.map(({ kind }) => judge(kind)) : undefined;
}
