import type { Role, Tally } from './stage.ts';

/** What a rule of topology asks of a host: how many of those it counts are in the host's domain. */
export interface Gate {
  readonly domainOf: Int32Array;
  readonly here: Int32Array;
  readonly atLeast: number;
  readonly atMost: number;
  /** Whether hosts without a domain pass. */
  readonly isOpenWithout: boolean;
}

/** How many pods each tally counts, by number of the tally, then of the domain. */
export interface Counts {
  readonly counts: readonly Int32Array[];
  readonly owners: readonly Int32Array[];
}

/** What spread, affinity and anti-affinity ask for the next pod of the role. */
export function gatesFor(role: Role, counts: Counts): readonly Gate[] {
  if (role.owned.length === 0 && role.barredBy.length === 0) return NONE;
  return [
    ...role.owned.map(({ tally, selectsSelf }) => ownGate(tally, selectsSelf, role, counts)),
    ...role.barredBy.map((tally) => freeOf(tally, counts.owners)),
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
const freeOf = ({ domainOf, number, counts }: Tally, amounts: readonly Int32Array[]): Gate => ({
  domainOf,
  here: amounts[number] ?? counts,
  atLeast: 0,
  atMost: 0,
  isOpenWithout: true,
});

function ownGate(tally: Tally, selectsSelf: boolean, { owned }: Role, { counts }: Counts): Gate {
  const { rule, domainOf, number } = tally;
  const here = counts[number] ?? tally.counts;
  const inDomain = { domainOf, here, isOpenWithout: false };
  switch (rule.kind) {
    case 'spread':
      return {
        ...inDomain,
        atLeast: 0,
        atMost: rule.maxSkew + leastCount(tally, here) - (selectsSelf ? 1 : 0),
      };
    case 'anti-affinity':
      return freeOf(tally, counts);
    case 'affinity': {
      const founds = !tally.elsewhere && selectsThemselves(owned) && here.every((one) => one === 0);
      return { ...inDomain, atLeast: founds ? 0 : 1, atMost: Infinity };
    }
  }
}

function leastCount({ present, rule }: Tally, here: Int32Array): number {
  if (present.length < Math.max(1, rule.minDomains)) return 0;
  let least = Infinity;
  for (const domain of present) least = Math.min(least, here[domain] ?? 0);
  return least;
}

const selectsThemselves = (owned: Role['owned']): boolean =>
  owned.every(({ tally, selectsSelf }) => tally.rule.kind !== 'affinity' || selectsSelf);
