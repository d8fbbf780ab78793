import { MINUTE_MS } from '../../model/time.ts';
import type { HookCalls, Installation, Installations, SetupOrders } from '../../ports/cluster-setup.ts';
import type { Telemetry } from '../../ports/ports.ts';
import { judgeHooks } from './circuit-breaker.ts';
import { keepPolling, type PollPorts } from './poll.ts';

export interface GuardPorts extends Pick<PollPorts, 'clock' | 'loop'> {
  readonly installations: Pick<Installations, 'find'>;
  readonly calls: HookCalls;
  readonly orders: SetupOrders;
  readonly telemetry: Telemetry;
}

/** Ten quiet minutes, and what EKS has not shown yet. */
const LOOK_BACK_MS = 15 * MINUTE_MS;

/** Every minute: takes hooks away from a cluster that pays for them, and polls in their place. */
export async function guardHooks(ports: GuardPorts): Promise<void> {
  const installation = await ports.installations.find();
  // The sweep begins after the cluster was set up: what says how was lost.
  if (!installation) return ports.orders.give({ action: 'keep' });
  await keepPolling(ports, isPolled(installation));
  if (installation.hooks.state === 'withdrawn') noteWithdrawn(ports);
  if (installation.eventSource !== 'hook') return;

  const now = ports.clock.now();
  const minutes = await ports.calls.since(now - LOOK_BACK_MS, now);
  const judged = judgeHooks({ now, installation, minutes });
  switch (judged.verdict) {
    case 'leave':
      return;
    case 'restore':
      return ports.orders.give({ action: 'restore-hooks' });
    case 'withdraw':
      await ports.orders.give({ action: 'withdraw-hooks', by: 'breaker', why: judged.why });
      // A minute earlier than by what will be known of it then.
      return keepPolling(ports, true);
  }
}

/** Only then: a series that is always 0 would cost as much. */
const noteWithdrawn = ({ telemetry }: GuardPorts): void =>
  telemetry.gauge('mortise_hooks_withdrawn', [{ labels: {}, value: 1 }]);

const isPolled = ({ eventSource, hooks }: Installation): boolean =>
  eventSource === 'poll' || (eventSource === 'hook' && hooks.state === 'withdrawn');
