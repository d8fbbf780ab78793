import type { Counted, Part } from './pod-class-model.ts';
import type { Tally } from './simulated-cluster.ts';

/** What a rule of topology asks of a host: how many of those it counts are in the host's domain. */
export interface Gate {
  readonly domainOf: Int32Array;
  readonly here: Int32Array;
  readonly atLeast: number;
  readonly atMost: number;
  /** Whether hosts without a domain pass. */
  readonly isOpenWithout: boolean;
}

/** How many pods each rule counts, by number of the rule, then of the domain. */
export interface Counts {
  readonly tallies: readonly Tally[];
  readonly counts: readonly Int32Array[];
  readonly owners: readonly Int32Array[];
}

/** What spread, affinity and anti-affinity ask for the next pod of the part. */
export function gatesFor(part: Part, counts: Counts): readonly Gate[] {
  if (part.owned.length === 0 && part.barredBy.length === 0) return NONE;
  return [
    ...part.owned.flatMap(({ counted, selectsSelf }) =>
      ownGate(counted, selectsSelf, part, counts),
    ),
    ...part.barredBy.flatMap((counted) => freeOf(counted, counts, 'owners')),
  ];
}

const NONE: readonly Gate[] = [];

export function isOpen(gates: readonly Gate[], host: number): boolean {
  for (const { domainOf, here, atLeast, atMost, isOpenWithout } of gates) {
    const domain = domainOf[host] ?? -1;
    if (domain < 0) {
      if (!isOpenWithout) return false;
      continue;
    }
    const count = here[domain] ?? 0;
    if (count < atLeast || count > atMost) return false;
  }
  return true;
}

/** Only domains, or hosts without any, that have none of those. */
function freeOf({ number }: Counted, counts: Counts, whom: 'counts' | 'owners'): Gate[] {
  const domainOf = counts.tallies[number]?.domainOf;
  const here = counts[whom][number];
  if (!domainOf || !here) return [];
  return [{ domainOf, here, atLeast: 0, atMost: 0, isOpenWithout: true }];
}

function ownGate(counted: Counted, selectsSelf: boolean, { owned }: Part, counts: Counts): Gate[] {
  const { rule, number } = counted;
  const tally = counts.tallies[number];
  const here = counts.counts[number];
  if (!tally || !here) return [];
  const inDomain = { domainOf: tally.domainOf, here, isOpenWithout: false };
  switch (rule.kind) {
    case 'spread': {
      const atMost = rule.maxSkew + leastCount(tally, here) - (selectsSelf ? 1 : 0);
      return [{ ...inDomain, atLeast: 0, atMost }];
    }
    case 'anti-affinity':
      return freeOf(counted, counts, 'counts');
    case 'affinity': {
      const founds = !tally.elsewhere && selectsThemselves(owned) && here.every((one) => one === 0);
      return [{ ...inDomain, atLeast: founds ? 0 : 1, atMost: Infinity }];
    }
  }
}

function leastCount({ present, rule }: Tally, here: Int32Array): number {
  if (present.length < Math.max(1, rule.minDomains)) return 0;
  let least = Infinity;
  for (const domain of present) least = Math.min(least, here[domain] ?? 0);
  return least;
}

const selectsThemselves = (owned: Part['owned']): boolean =>
  owned.every(({ counted, selectsSelf }) => counted.rule.kind !== 'affinity' || selectsSelf);
