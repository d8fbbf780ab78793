import { isAwaitingNode } from '../../model/pods/disruption-pods.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { isDaemon } from '../../model/pods/workload.ts';
import { SECOND_MS } from '../../model/time.ts';
import type { SimInstances } from '../cloud/instances.ts';
import type { PodStore } from '../control-plane/pod-store.ts';
import type { LedgerPoint, VirtualClock } from '../world.ts';

/**
 * The pending count changes hundreds of times a second during a rollout; a point per second is
 * enough for the chart.
 */
const PENDING_EVERY_MS = SECOND_MS;

export interface LedgerPoints {
  list(): readonly LedgerPoint[];
}

/** Records the cost curve at every change and the pending-pod curve once a second. */
export function createLedgerPoints(clock: VirtualClock, pods: PodStore, instances: SimInstances): LedgerPoints {
  const points: LedgerPoint[] = [];
  const running = { nodes: 0, onDemandHourlyUsd: 0, spotHourlyUsd: 0 };
  let pendingPods = 0;
  let isPointScheduled = false;

  instances.watch(({ before, after }) => {
    const isNew = after !== undefined && before === undefined;
    const hasEnded = after?.endedAt !== undefined && before?.endedAt === undefined;
    if (!isNew && !hasEnded) return;
    Object.assign(running, sumRunning(instances));
    recordPoint();
  });
  pods.watch(({ before, after }) => {
    const change = countPending(after) - countPending(before);
    if (change === 0) return;
    pendingPods += change;
    if (isPointScheduled) return;
    isPointScheduled = true;
    clock.schedule(clock.now() + PENDING_EVERY_MS, () => {
      isPointScheduled = false;
      recordPoint();
    });
  });

  function recordPoint(): void {
    if (points.at(-1)?.at === clock.now()) points.pop();
    points.push({ at: clock.now(), ...running, pendingPods });
  }

  recordPoint();
  return { list: () => points };
}

const countPending = (pod: Pod | undefined): number => (pod && isAwaitingNode(pod) && !isDaemon(pod) ? 1 : 0);

function sumRunning(instances: SimInstances): Omit<LedgerPoint, 'at' | 'pendingPods'> {
  const running = instances.list().filter(({ endedAt }) => endedAt === undefined);
  const isSpot = ({ launch }: { launch: { capacityType: string } }): boolean => launch.capacityType === 'spot';
  const hourly = (instances: typeof running): number =>
    instances.reduce((sum, { launch }) => sum + launch.hourlyUsd, 0);
  return {
    nodes: running.length,
    onDemandHourlyUsd: hourly(running.filter((instance) => !isSpot(instance))),
    spotHourlyUsd: hourly(running.filter(isSpot)),
  };
}
