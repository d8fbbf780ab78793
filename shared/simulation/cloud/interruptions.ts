import { drawFor, drawMs } from '../../model/random.ts';
import { HOUR_MS, MINUTE_MS } from '../../model/time.ts';
import type { InterruptionNotice } from '../../ports/work-queue.ts';
import type { SimWorkQueue } from '../work-queue.ts';
import type { VirtualClock } from '../world.ts';
import type { SimEc2 } from './ec2.ts';
import { isPoweredOn, type SimInstance, type SimInstances } from './instances.ts';

/** Time between EC2's interruption notice and the end of the instance. */
const NOTICE_MS = 2 * MINUTE_MS;
/** Share of interruptions that a rebalance recommendation precedes. */
const REBALANCE_SHARE = 0.5;

export interface InterruptionParts {
  readonly seed: number;
  readonly clock: VirtualClock;
  readonly instances: SimInstances;
  readonly ec2: SimEc2;
  readonly queue: SimWorkQueue;
  /** Interruption probability of a spot instance per hour. */
  readonly hourlyOdds: number;
}

export interface Interruptions {
  notify(providerId: string, kind: InterruptionNotice['kind']): void;
}

/** Interrupts spot instances at random, and on request. */
export function startInterruptions(parts: InterruptionParts): Interruptions {
  const { seed, clock, instances, ec2, queue, hourlyOdds } = parts;

  instances.watch(({ before, after }) => {
    if (after && !before && after.launch.capacityType === 'spot' && hourlyOdds > 0) scheduleInterruption(after);
  });

  /** Draws the time of the interruption at launch, from an exponential distribution. */
  function scheduleInterruption({ providerId, claim }: SimInstance): void {
    const draw = 1 - drawFor(seed, `interruption ${claim.name}`);
    const at = clock.now() + Math.round((-Math.log(draw) / hourlyOdds) * HOUR_MS);
    clock.schedule(at, () => notify(providerId, 'spot-interruption'));
    if (drawFor(seed, `advice ${claim.name}`) >= REBALANCE_SHARE) return;
    const leadMs = drawMs(seed, `advance ${claim.name}`, 5 * MINUTE_MS, 15 * MINUTE_MS);
    clock.schedule(at - leadMs, () => notify(providerId, 'rebalance-recommendation'));
  }

  function notify(providerId: string, kind: InterruptionNotice['kind']): void {
    if (!isPoweredOn(instances.get(providerId))) return;
    queue.put({ topic: 'interruption', notice: { kind, providerId, at: clock.now() } });
    if (kind === 'rebalance-recommendation') return;
    clock.schedule(clock.now() + NOTICE_MS, () => ec2.reclaim(providerId));
  }

  return { notify };
}
