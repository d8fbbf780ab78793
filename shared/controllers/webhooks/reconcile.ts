import { MINUTE_MS } from '../../model/time.ts';
import type { HookCalls, HooksRequests, Installation, Installations } from '../../ports/cluster-setup.ts';
import type { Telemetry } from '../../ports/ports.ts';
import { decideHooks } from './circuit-breaker.ts';
import { type PollPorts, reconcilePollLoop } from './poll.ts';

export interface WebhookPorts extends Pick<PollPorts, 'clock' | 'loop'> {
  readonly installations: Pick<Installations, 'find'>;
  readonly calls: HookCalls;
  readonly hooksRequests: HooksRequests;
  readonly telemetry: Telemetry;
}

/** Ten quiet minutes plus the delay of EKS metrics. */
const MEASURED_PERIOD_MS = 15 * MINUTE_MS;

/**
 * Runs every minute: withdraws webhooks that slow the API server down and polls in their place, or
 * restores them.
 */
export async function reconcileWebhooks(ports: WebhookPorts): Promise<void> {
  const installation = await ports.installations.find();
  // Sweeps start after the cluster setup, so a missing record was lost: `keep` writes it again.
  if (!installation) return ports.hooksRequests.send({ action: 'keep' });
  await reconcilePollLoop(ports, isPolled(installation));
  if (installation.hooks.state === 'withdrawn') gaugeWithdrawn(ports);
  if (installation.eventSource !== 'hook') return;

  const now = ports.clock.now();
  const minutes = await ports.calls.since(now - MEASURED_PERIOD_MS, now);
  const decision = decideHooks({ now, installation, minutes });
  switch (decision.verdict) {
    case 'leave':
      return;
    case 'probe':
      return ports.hooksRequests.send({ action: 'probe-hooks' });
    case 'restore':
      return ports.hooksRequests.send({ action: 'restore-hooks' });
    case 'withdraw':
      await ports.hooksRequests.send({
        action: 'withdraw-hooks',
        by: 'breaker',
        why: decision.why,
      });
      // Start polling now; the record will show the withdrawal a minute later.
      return reconcilePollLoop(ports, true);
  }
}

/** Gauged only while withdrawn, because a constant 0 would be billed as well. */
const gaugeWithdrawn = ({ telemetry }: WebhookPorts): void =>
  telemetry.gauge('mortise_hooks_withdrawn', [{ labels: {}, value: 1 }]);

const isPolled = ({ eventSource, hooks }: Installation): boolean =>
  eventSource === 'poll' || (eventSource === 'hook' && hooks.state === 'withdrawn');
