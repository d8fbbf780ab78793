import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { ProvisioningPlan } from '../../model/plans.ts';
import { SECOND_MS } from '../../model/time.ts';
import type { Ports } from '../../ports/ports.ts';
import { DEFAULT_CAPS, type LaunchCaps, withinCaps } from './launch-caps.ts';

/** Caps are full for longer than a moment, and somebody may raise them. */
const RETRY_AFTER_MS = 30 * SECOND_MS;

/** The plan as far as the cluster's caps allow; the rest is planned again, and somebody is told. */
export async function cappedPlan(
  { queue, journal }: Pick<Ports, 'queue' | 'journal'>,
  { claims, takenAt }: ClusterSnapshot,
  plan: ProvisioningPlan,
  caps: LaunchCaps = DEFAULT_CAPS,
): Promise<ProvisioningPlan> {
  const { allowed, held } = withinCaps(plan.claims, claims, caps, takenAt);
  if (held.length === 0) return plan;

  await journal.happened({ kind: 'capped', at: takenAt, nodes: held.length, ...caps });
  await queue.send({ topic: 'plan' }, takenAt + RETRY_AFTER_MS);
  const hourlyUsd = allowed.reduce((sum, { cheapest }) => sum + cheapest.hourlyUsd, 0);
  return { ...plan, claims: allowed, hourlyUsd };
}
