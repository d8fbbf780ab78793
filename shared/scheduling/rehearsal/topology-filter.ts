import type { RehearsalState } from './rehearsal.ts';
import type { Role, Tally } from './stage.ts';

type HostFilter = (host: number) => boolean;

/** What spread, affinity and anti-affinity allow to the next pod of the role; undefined: any host. */
export function topologyFilter(state: RehearsalState, role: Role): HostFilter | undefined {
  const checks = [
    ...role.owned.map(({ tally, selectsSelf }) => ownRule(state, tally, selectsSelf, role)),
    ...role.barredBy.map((tally) => freeOf(tally, state.owners)),
  ];
  const [first, ...others] = checks;
  if (!first || others.length === 0) return first;
  return (host) => checks.every((check) => check(host));
}

/** Only domains, or hosts without any, that have none of those. */
function freeOf({ domainOf, number }: Tally, amounts: readonly Int32Array[]): HostFilter {
  const here = amounts[number];
  return (host) => {
    const domain = domainOf[host] ?? -1;
    return domain < 0 || (here?.[domain] ?? 0) === 0;
  };
}

function ownRule(
  { counts }: RehearsalState,
  tally: Tally,
  selectsSelf: boolean,
  { owned }: Role,
): HostFilter {
  const { rule, domainOf, number } = tally;
  const here = counts[number] ?? tally.counts;
  switch (rule.kind) {
    case 'spread': {
      const most = rule.maxSkew + leastCount(tally, here) - (selectsSelf ? 1 : 0);
      return (host) => {
        const domain = domainOf[host] ?? -1;
        return domain >= 0 && (here[domain] ?? 0) <= most;
      };
    }
    case 'anti-affinity':
      return freeOf(tally, counts);
    case 'affinity': {
      const founds = !tally.elsewhere && selectsThemselves(owned) && here.every((one) => one === 0);
      return (host) => {
        const domain = domainOf[host] ?? -1;
        return domain >= 0 && (founds || (here[domain] ?? 0) > 0);
      };
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
