import { HOUR_MS, MINUTE_MS } from '../model/time.ts';
import type { InterruptionNotice } from '../ports/work-queue.ts';
import type { SimEc2 } from './ec2.ts';
import { isAlive, type Machine, type Machines } from './machine-room.ts';
import { drawMs, drawOf } from './random.ts';
import type { SimWorkQueue } from './work-queue.ts';
import type { VirtualClock } from './world.ts';

/** EC2 warns so long before it takes a spot instance back. */
const NOTICE_MS = 2 * MINUTE_MS;
/** How often a rebalance recommendation comes before the notice. */
const ADVISED_SHARE = 0.5;

export interface InterruptionParts {
  readonly seed: number;
  readonly clock: VirtualClock;
  readonly machines: Machines;
  readonly ec2: SimEc2;
  readonly queue: SimWorkQueue;
  /** Of a spot instance, per hour. */
  readonly hourlyOdds: number;
}

export interface Interruptions {
  notify(providerId: string, kind: InterruptionNotice['kind']): void;
}

/** Takes spot instances back now and then. */
export function startInterruptions(parts: InterruptionParts): Interruptions {
  const { seed, clock, machines, ec2, queue, hourlyOdds } = parts;

  machines.watch(({ before, after }) => {
    if (after && !before && after.launch.capacityType === 'spot' && hourlyOdds > 0) foretell(after);
  });

  /** When EC2 will want it back is settled at launch: exponentially distributed, as if by chance. */
  function foretell({ providerId, claim }: Machine): void {
    const draw = 1 - drawOf(seed, `interruption ${claim.name}`);
    const at = clock.now() + Math.round((-Math.log(draw) / hourlyOdds) * HOUR_MS);
    clock.schedule(at, () => notify(providerId, 'spot-interruption'));
    if (drawOf(seed, `advice ${claim.name}`) >= ADVISED_SHARE) return;
    const ahead = drawMs(seed, `advance ${claim.name}`, 5 * MINUTE_MS, 15 * MINUTE_MS);
    clock.schedule(at - ahead, () => notify(providerId, 'rebalance-recommendation'));
  }

  function notify(providerId: string, kind: InterruptionNotice['kind']): void {
    if (!isAlive(machines.get(providerId))) return;
    queue.put({ topic: 'interruption', notice: { kind, providerId, at: clock.now() } });
    if (kind === 'rebalance-recommendation') return;
    clock.schedule(clock.now() + NOTICE_MS, () => ec2.reclaim(providerId));
  }

  return { notify };
}
