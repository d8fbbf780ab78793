import type { Log } from '../aws/log.ts';
import type { KubernetesEventsParts } from '../kubernetes/events/kubernetes-events.ts';
import type { Telemetry } from '../ports/ports.ts';

/** Counts each Kubernetes Event that was not written, for the alarm, and logs why. */
export const reportDroppedEvents =
  (telemetry: Pick<Telemetry, 'count'>, log: Log): NonNullable<KubernetesEventsParts['onDropped']> =>
  (reason, error) => {
    telemetry.count('mortise_events_dropped_total', { reason });
    log({
      level: 'warn',
      message: 'a Kubernetes Event was not written',
      fields: { reason, error },
    });
  };
