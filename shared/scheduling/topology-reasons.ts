import { HOSTNAME_LABEL } from '../model/labels.ts';
import type { Reason } from '../model/reasons.ts';
import { formatSelector } from '../model/selectors.ts';
import type { Alternative } from './alternatives.ts';
import { leastCount } from './domain-choice.ts';
import type { ClassTopology, TopologyGroup } from './topology.ts';

/** All else is met: a rule about where pods may be together is what holds the pod. */
export function topologyReason(
  pool: string,
  rules: ClassTopology,
  alternative: Alternative,
): Reason {
  for (const { group } of rules.owned) {
    if (group.kind === 'affinity') {
      const fields = { pool, key: group.key, selector: formatSelector(group.selector) };
      return { code: 'pod-affinity', fields };
    }
    if (group.kind === 'anti-affinity' && group.key !== HOSTNAME_LABEL) {
      return antiAffinityReason(pool, group, group.counts);
    }
    if (group.kind === 'spread') return spreadReason(pool, group, alternative);
  }
  const barring = rules.barredBy[0];
  if (barring) return antiAffinityReason(pool, barring, barring.owners);
  return {
    code: 'pod-not-considered',
    fields: { pool, why: 'other pods of this batch came first' },
  };
}

function antiAffinityReason(
  pool: string,
  { key, selector, domains }: TopologyGroup,
  counts: ReadonlyMap<string, number>,
): Reason {
  const taken = domains.filter((domain) => (counts.get(domain) ?? 0) > 0);
  const fields = { pool, key, other: formatSelector(selector), domains: taken.join(', ') };
  return { code: 'pod-anti-affinity', fields };
}

function spreadReason(pool: string, group: TopologyGroup, alternative: Alternative): Reason {
  const counts = group.domains.map((domain) => `${domain} ${group.counts.get(domain) ?? 0}`);
  const least = leastCount(group, alternative);
  const emptiest = group.domains.filter((domain) => (group.counts.get(domain) ?? 0) <= least);
  const fields = {
    pool,
    key: group.key,
    maxSkew: `${group.maxSkew}`,
    counts: counts.slice(0, 25).join(', '),
    domain: emptiest.join(', '),
  };
  return { code: 'topology-spread', fields };
}
