import { type EpochMs, MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import type { CallMinute, HookCalls, HooksRequests, Installation, Installations } from '../../ports/cluster-setup.ts';
import { gaugeOne, type Telemetry } from '../../ports/ports.ts';
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
const gaugeWithdrawn = ({ telemetry }: WebhookPorts): void => gaugeOne(telemetry, 'mortise_hooks_withdrawn', 1);

const isPolled = ({ eventSource, hooks }: Installation): boolean =>
  eventSource === 'poll' || (eventSource === 'hook' && hooks.state === 'withdrawn');

export type HooksDecision =
  | { readonly verdict: 'leave' }
  | { readonly verdict: 'withdraw'; readonly why: string }
  | { readonly verdict: 'probe' }
  | { readonly verdict: 'restore' };

interface CircuitBreakerInput {
  readonly now: EpochMs;
  readonly installation: Installation;
  /** In ascending order of time. */
  readonly minutes: readonly CallMinute[];
}

/** The API server waits one second for a webhook; close to that, writers notice the delay. */
const SLOW_MS = 0.8 * SECOND_MS;
const BAD_MINUTES = 3;
const QUIET_MS = 10 * MINUTE_MS;
/** CloudWatch shows EKS metrics some minutes late. Older minutes are ignored. */
const FRESH_MS = 8 * MINUTE_MS;
/** With fewer calls, a loss is chance. */
const MIN_CALLS = 5;

const LEAVE: HooksDecision = { verdict: 'leave' };

/**
 * Decides whether the webhooks slow the API server down: then they are withdrawn, and restored
 * after ten quiet minutes. If our endpoint fails they are withdrawn after a minute. One minute in which
 * they were slow or calls were lost may be chance: a probe decides.
 */
export function decideHooks({ now, installation, minutes }: CircuitBreakerInput): HooksDecision {
  const { hooks } = installation;
  const since = (from: EpochMs) => minutes.filter(({ at }) => at >= from);
  switch (hooks.state) {
    case 'none':
      return LEAVE;
    case 'placed':
      return decidePlaced(since(Math.max(hooks.since, now - FRESH_MS)), installation);
    case 'withdrawn': {
      if (hooks.by === 'operator') return LEAVE;
      // Calls that were under way at the withdrawal end within a minute.
      const quietFrom = Math.max(hooks.since + MINUTE_MS, now - QUIET_MS);
      const isQuiet = now >= hooks.since + QUIET_MS && !since(quietFrom).some(isSlow);
      return isQuiet ? { verdict: 'restore' } : LEAVE;
    }
  }
}

function decidePlaced(minutes: readonly CallMinute[], installation: Installation): HooksDecision {
  const { isEgressRouted, hasOtherHooks } = installation;
  const egress = isEgressRouted
    ? "; they leave through the cluster's VPC (egress mode CUSTOMER_ROUTED): look for a route to the hooks' address"
    : '';
  const slow = findLatestConsecutive(minutes.filter(({ p99Ms }) => p99Ms !== undefined));
  if (slow.length === BAD_MINUTES && slow.every(isSlow)) {
    const worstMs = Math.max(...slow.map(({ p99Ms = 0 }) => p99Ms));
    return {
      verdict: 'withdraw',
      why: `calls of hooks took up to ${Math.round(worstMs)} ms for ${BAD_MINUTES} minutes${egress}`,
    };
  }
  const failed = minutes.find(isFailing);
  if (failed) {
    return {
      verdict: 'withdraw',
      why: `the intake failed to answer ${failed.failed} of ${countArrived(failed)} calls in a minute`,
    };
  }
  const newest = minutes.findLast(({ p99Ms, counted }) => p99Ms ?? counted);
  const isDoubtful = newest !== undefined && (isSlow(newest) || (!hasOtherHooks && isLossy(newest)));
  const otherwise: HooksDecision = isDoubtful ? { verdict: 'probe' } : LEAVE;

  // EKS counts the calls of all webhooks together, so other webhooks hide our share.
  if (hasOtherHooks) return otherwise;
  const lossy = findLatestConsecutive(minutes.filter(({ counted }) => counted !== undefined));
  const counted = sumCalls(lossy, 'counted');
  if (lossy.length === BAD_MINUTES && lossy.every(isLossy) && counted >= MIN_CALLS) {
    const received = sumCalls(lossy, 'received');
    return {
      verdict: 'withdraw',
      why: `of ${counted} calls in ${BAD_MINUTES} minutes ${received} came in${egress}`,
    };
  }
  return otherwise;
}

/** The latest minutes, if they are consecutive; else none. */
function findLatestConsecutive(minutes: readonly CallMinute[]): readonly CallMinute[] {
  const newest = minutes.slice(-BAD_MINUTES);
  const [first, last] = [newest[0], newest.at(-1)];
  const isRow = first && last && last.at - first.at === (newest.length - 1) * MINUTE_MS;
  return isRow ? newest : [];
}

const isSlow = ({ p99Ms = 0 }: CallMinute): boolean => p99Ms > SLOW_MS;

/** Most of the calls that arrived got no answer. */
const isFailing = (minute: CallMinute): boolean =>
  countArrived(minute) >= MIN_CALLS && 2 * (minute.failed ?? 0) > countArrived(minute);

/** A throttled call is no invocation, so a minute may have more failures than calls received. */
const countArrived = ({ received = 0, failed = 0 }: CallMinute): number => Math.max(received, failed);

/** EKS counted over 1.5 times as many calls as we received. */
const isLossy = ({ counted = 0, received = 0 }: CallMinute): boolean => counted > 1.5 * received;

const sumCalls = (minutes: readonly CallMinute[], field: 'counted' | 'received'): number =>
  minutes.reduce((sum, minute) => sum + (minute[field] ?? 0), 0);
