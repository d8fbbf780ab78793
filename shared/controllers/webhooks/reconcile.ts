import { MINUTE_MS } from '../../model/time.ts';
import type {
  HookCalls,
  Installation,
  Installations,
  SetupOrders,
} from '../../ports/cluster-setup.ts';
import type { Telemetry } from '../../ports/ports.ts';
import { decideHooks } from './circuit-breaker.ts';
import { reconcilePollLoop, type PollPorts } from './poll.ts';

export interface WebhookPorts extends Pick<PollPorts, 'clock' | 'loop'> {
  readonly installations: Pick<Installations, 'find'>;
  readonly calls: HookCalls;
  readonly orders: SetupOrders;
  readonly telemetry: Telemetry;
}

/** Ten quiet minutes, and what EKS has not shown yet. */
const MEASURED_PERIOD_MS = 15 * MINUTE_MS;

/** Every minute: takes hooks away from a cluster that pays for them, and polls in their place. */
export async function reconcileWebhooks(ports: WebhookPorts): Promise<void> {
  const installation = await ports.installations.find();
  // The sweep begins after the cluster was set up: what says how was lost.
  if (!installation) return ports.orders.give({ action: 'keep' });
  await reconcilePollLoop(ports, isPolled(installation));
  if (installation.hooks.state === 'withdrawn') gaugeWithdrawn(ports);
  if (installation.eventSource !== 'hook') return;

  const now = ports.clock.now();
  const minutes = await ports.calls.since(now - MEASURED_PERIOD_MS, now);
  const decision = decideHooks({ now, installation, minutes });
  switch (decision.verdict) {
    case 'leave':
      return;
    case 'restore':
      return ports.orders.give({ action: 'restore-hooks' });
    case 'withdraw':
      await ports.orders.give({ action: 'withdraw-hooks', by: 'breaker', why: decision.why });
      // A minute earlier than by what will be known of it then.
      return reconcilePollLoop(ports, true);
  }
}

/** Only then: a series that is always 0 would cost as much. */
const gaugeWithdrawn = ({ telemetry }: WebhookPorts): void =>
  telemetry.gauge('mortise_hooks_withdrawn', [{ labels: {}, value: 1 }]);

const isPolled = ({ eventSource, hooks }: Installation): boolean =>
  eventSource === 'poll' || (eventSource === 'hook' && hooks.state === 'withdrawn');
