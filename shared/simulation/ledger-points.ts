import type { Pod } from '../model/pod.ts';
import { SECOND_MS } from '../model/time.ts';
import { isDaemon } from '../model/workload.ts';
import type { Machines } from './machine-room.ts';
import type { PodStore } from './pod-store.ts';
import { isActive } from './pod-store.ts';
import type { LedgerPoint, VirtualClock } from './world.ts';

/** Pending pods come and go by the hundred: a step a second shows them well enough. */
const PENDING_EVERY_MS = SECOND_MS;

export interface LedgerPoints {
  list(): readonly LedgerPoint[];
}

/** Steps of money exactly when they happen, steps of pending pods once a second. */
export function createLedgerPoints(
  clock: VirtualClock,
  pods: PodStore,
  machines: Machines,
): LedgerPoints {
  const points: LedgerPoint[] = [];
  const running = { nodes: 0, onDemandHourlyUsd: 0, spotHourlyUsd: 0 };
  let pendingPods = 0;
  let isDue = false;

  machines.watch(({ before, after }) => {
    const isNew = after !== undefined && before === undefined;
    const hasEnded = after?.endedAt !== undefined && before?.endedAt === undefined;
    if (!isNew && !hasEnded) return;
    Object.assign(running, sumOf(machines));
    note();
  });
  pods.watch(({ before, after }) => {
    const change = pendingOf(after) - pendingOf(before);
    if (change === 0) return;
    pendingPods += change;
    if (isDue) return;
    isDue = true;
    clock.schedule(clock.now() + PENDING_EVERY_MS, () => {
      isDue = false;
      note();
    });
  });

  function note(): void {
    if (points.at(-1)?.at === clock.now()) points.pop();
    points.push({ at: clock.now(), ...running, pendingPods });
  }

  note();
  return { list: () => points };
}

const pendingOf = (pod: Pod | undefined): number =>
  pod && pod.nodeName === undefined && isActive(pod) && !isDaemon(pod) ? 1 : 0;

function sumOf(machines: Machines): Omit<LedgerPoint, 'at' | 'pendingPods'> {
  const paid = machines.list().filter(({ endedAt }) => endedAt === undefined);
  const isSpot = ({ launch }: { launch: { capacityType: string } }): boolean =>
    launch.capacityType === 'spot';
  const hourly = (of: typeof paid): number =>
    of.reduce((sum, { launch }) => sum + launch.hourlyUsd, 0);
  return {
    nodes: paid.length,
    onDemandHourlyUsd: hourly(paid.filter((machine) => !isSpot(machine))),
    spotHourlyUsd: hourly(paid.filter(isSpot)),
  };
}
