import type { OwnershipLeases } from '../../../shared/memory/ownership.ts';
import { type EpochMs, SECOND_MS } from '../../../shared/model/time.ts';
import type { VirtualClock } from '../../../shared/simulation/world.ts';
import type { Incident } from '../model/history.ts';
import type { Surroundings } from './surroundings.ts';

const RENEWAL_MS = 10 * SECOND_MS;

interface OwnerParts {
  readonly clock: VirtualClock;
  readonly leases: OwnershipLeases;
  readonly standBys: Surroundings['standBys'];
}

/** Another owner takes the cluster, and gives it back at the end. */
export function takeCluster(
  { clock, leases, standBys }: OwnerParts,
  { owner, forMs }: Extract<Incident, { kind: 'owner' }>,
): void {
  const later = (ms: number, work: () => void): void => clock.schedule(clock.now() + ms, work);
  standBys.push({ from: clock.now(), until: clock.now() + forMs });
  if (owner === 'karpenter') renewKarpenter(clock.now() + forMs);
  else own(clock.now() + forMs);

  function renewKarpenter(until: EpochMs): void {
    if (clock.now() > until) return;
    leases.karpenterRenewedAt = clock.now();
    later(RENEWAL_MS, () => renewKarpenter(until));
  }

  /**
   * Another stack takes the lease over, renews it, and gives it back at the end. If two incidents
   * overlap, the later end counts.
   */
  function own(until: EpochMs): void {
    const isOver = clock.now() > until;
    if (isOver && standBys.some((one) => clock.now() <= one.until)) return;
    const { own: lease } = leases;
    leases.own = {
      holder: isOver ? '' : 'other/controller',
      acquiredAt: lease?.holder === 'other/controller' ? lease.acquiredAt : clock.now(),
      renewedAt: clock.now(),
      durationMs: 30 * SECOND_MS,
      transitions: (lease?.transitions ?? 0) + 1,
    };
    if (!isOver) later(RENEWAL_MS, () => own(until));
  }
}
