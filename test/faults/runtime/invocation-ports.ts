import { withSingleWakeUps } from '../../../shared/controllers/support/hints.ts';
import { ApiThrottledError, ApiUnreachableError } from '../../../shared/kubernetes/client/api-errors.ts';
import { memoryOwnership, type OwnershipLeases } from '../../../shared/memory/ownership.ts';
import type { Owner } from '../../../shared/model/ownership.ts';
import type { EpochMs } from '../../../shared/model/time.ts';
import type { Clock, Ports } from '../../../shared/ports/ports.ts';
import type { Service } from '../model/history.ts';
import type { ConcurrentClock } from './concurrent-clock.ts';
import type { FaultPlan } from './fault-plan.ts';

/** One run of a function. */
export interface Invocation {
  readonly id: number;
  readonly topic: string;
  /** The functions, or the process. */
  readonly owner: Owner;
  readonly startedAt: EpochMs;
  /** How far its clock is ahead. */
  readonly skewMs: number;
  /** The process is frozen: none of its calls has an effect or an answer any more. */
  isDead: boolean;
  die(): void;
}

/** The injected failure of a call. */
export class InjectedError extends Error {
  override readonly name = 'InjectedError';
}

export const isInjected = (error: unknown): boolean =>
  error instanceof InjectedError ||
  error instanceof ApiThrottledError ||
  error instanceof ApiUnreachableError ||
  (error instanceof AggregateError && error.errors.every(isInjected));

/** A call that an invocation made, when its answer came or could not come any more. */
export interface PortCall {
  readonly invocation: Invocation;
  readonly method: string;
  readonly args: readonly unknown[];
  readonly outcome: 'answered' | 'failed' | 'injected failure' | 'died';
  readonly answer?: unknown;
}

export interface CallSettings {
  readonly clock: ConcurrentClock;
  readonly faults: FaultPlan;
  /** A number in [0, 1) for each call. */
  readonly random: () => number;
  readonly onCall: (call: PortCall) => void;
}

/**
 * The ports of one invocation: each call takes virtual time, so that other invocations run between
 * two calls, and may fail or be the last.
 */
export function createInvocationPorts(
  ports: Ports,
  invocation: Invocation,
  leases: OwnershipLeases,
  settings: CallSettings,
): Ports {
  const clock: Clock = { now: () => settings.clock.now() + invocation.skewMs };
  const own: Ports = {
    ...ports,
    clock,
    ownership: memoryOwnership(clock, leases, invocation.owner),
    queue: {
      // SQS gets a delay, not a time.
      send: (hint, at) => ports.queue.send(hint, at === undefined ? undefined : at - invocation.skewMs),
    },
  };
  const wrap = <T extends object>(port: T, service: Service): T => wrapCalls(port, service, invocation, settings);
  const wakeUps = wrap(own.wakeUps, 'table');
  return {
    ...own,
    cluster: wrap(own.cluster, 'api'),
    ownership: wrap(own.ownership, 'api'),
    cloud: wrap(own.cloud, 'ec2'),
    queue: withSingleWakeUps(wrap(own.queue, 'queue'), wakeUps, clock),
    decisionLog: wrap(own.decisionLog, 'log'),
    nodeClaims: wrap(own.nodeClaims, 'table'),
    leases: wrap(own.leases, 'table'),
    launches: wrap(own.launches, 'table'),
    commits: wrap(own.commits, 'table'),
    sweepState: wrap(own.sweepState, 'table'),
    planningState: wrap(own.planningState, 'table'),
    poolBackoffs: wrap(own.poolBackoffs, 'table'),
    rollouts: wrap(own.rollouts, 'table'),
    nodeClasses: wrap(own.nodeClasses, 'table'),
    commands: wrap(own.commands, 'table'),
    nominations: wrap(own.nominations, 'table'),
    unavailableOfferings: wrap(own.unavailableOfferings, 'table'),
    learnedSizes: wrap(own.learnedSizes, 'table'),
    wakeUps,
  };
}

const MIN_LATENCY_MS = 4;
const MAX_LATENCY_MS = 60;

function wrapCalls<T extends object>(
  port: T,
  service: Service,
  invocation: Invocation,
  { clock, faults, random, onCall }: CallSettings,
): T {
  const isOfService = (fault: { readonly service: Service }): boolean => fault.service === service;

  async function call(name: string, args: readonly unknown[], method: () => Promise<unknown>) {
    const report = (outcome: PortCall['outcome'], answer?: unknown): void =>
      onCall({ invocation, method: name, args, outcome, answer });
    const fail = (): never => {
      report('injected failure');
      throw toError(service);
    };
    /** The request was on its way, or is in a queue of the service. */
    const takeEffectLate = (): void => {
      const late = faults.strike('late-effect', isOfService);
      if (!late) return;
      clock.startAfter(1 + Math.floor(random() * late.ms), () => {
        void method().then(
          (answer) => report('died', answer),
          () => {},
        );
      });
    };
    const slowMs = faults.strike('slow', isOfService)?.ms ?? 0;
    const latencyMs = MIN_LATENCY_MS + Math.floor(random() * MAX_LATENCY_MS);
    // A slow call is slow on its way there or on its way back.
    const isSlowBack = slowMs > 0 && random() < 0.5;
    await clock.sleep(latencyMs + (isSlowBack ? 0 : slowMs));
    if (invocation.isDead || strikesDead('before')) {
      takeEffectLate();
      return never();
    }
    // The adapter of the decision log handles its failures itself.
    if (service !== 'log' && failsAt('before')) {
      takeEffectLate();
      return fail();
    }

    const answer = await method().catch((error: unknown) => {
      report('failed', error);
      throw error;
    });
    if (strikesDead('after')) {
      report('died', answer);
      return never();
    }
    if (isSlowBack) await clock.sleep(slowMs);
    report(invocation.isDead ? 'died' : 'answered', answer);
    if (invocation.isDead) return never();
    return service !== 'log' && failsAt('after') ? fail() : answer;
  }

  function strikesDead(moment: 'before' | 'after'): boolean {
    if (!faults.strike('crash', (fault) => fault.moment === moment)) return false;
    invocation.die();
    return true;
  }

  const failsAt = (moment: 'before' | 'after'): boolean =>
    faults.strike('error', (fault) => isOfService(fault) && fault.moment === moment) !== undefined;

  return new Proxy(port, {
    get(target, key) {
      const method: unknown = Reflect.get(target, key);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]): Promise<unknown> =>
        invocation.isDead
          ? never()
          : call(String(key), args, async (): Promise<unknown> => {
              const answer: unknown = await Reflect.apply(method, target, args);
              return answer;
            });
    },
  });
}

const never = (): Promise<never> => new Promise(() => {});

/** Errors as the adapters throw them, apart from their messages. */
const toError = (service: Service): Error =>
  service === 'api'
    ? new ApiThrottledError({ verb: 'list', resource: 'injected' }, 1_000)
    : new InjectedError(`injected failure of ${service}`);
