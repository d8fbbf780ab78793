import { SECOND_MS } from '../../model/time.ts';
import type { PoolBackoffs } from '../../ports/learned-state.ts';
import type { Ports, Telemetry } from '../../ports/ports.ts';

/** The same record, which counts how often drift lets go of a pool, and tells for how long it still does. */
export const measuredBackoffs = (
  { driftBackoffs, clock }: Pick<Ports, 'driftBackoffs' | 'clock'>,
  telemetry: Telemetry,
): PoolBackoffs => ({
  ...driftBackoffs,
  async list() {
    const all = await driftBackoffs.list();
    const now = clock.now();
    telemetry.gauge(
      'karpenter_nodepools_drift_backoff_seconds',
      all
        .filter(({ until }) => until > now)
        .map(({ pool: nodepool, until }) => ({
          labels: { nodepool },
          value: (until - now) / SECOND_MS,
        })),
    );
    return all;
  },
  async save(backoff) {
    await driftBackoffs.save(backoff);
    const labels = { nodepool: backoff.pool };
    telemetry.count('karpenter_voluntary_disruption_drift_backoffs_total', labels);
  },
});
