import type { Pod } from '../model/pod.ts';
import { podKey } from '../model/pod.ts';
import type { EpochMs } from '../model/time.ts';
import { HOUR_MS } from '../model/time.ts';
import { isDaemon } from '../model/workload.ts';
import type { ApiServer } from './api-server.ts';
import { createLedgerPoints } from './ledger-points.ts';
import type { Machine, Machines } from './machine.ts';
import type { SimNodeClaims } from './node-claims.ts';
import { watchPodStatistics } from './pod-statistics.ts';
import { watchRequestedShare } from './requested-share.ts';
import type { Ledger, NodeStay, VirtualClock } from './world.ts';

export interface LedgerParts {
  readonly clock: VirtualClock;
  readonly api: ApiServer;
  readonly machines: Machines;
  readonly nodeClaims: SimNodeClaims;
}

export interface SimLedger extends Ledger {
  evicted(pod: Pod): void;
}

/** Books money, waits and shares as they happen. */
export function createLedger({ clock, api, machines, nodeClaims }: LedgerParts): SimLedger {
  const stays = new Map<string, NodeStay>();
  const statistics = watchPodStatistics(api.pods, clock.now);
  const share = watchRequestedShare(api, clock.now);
  const points = createLedgerPoints(clock, api.pods, machines);
  let evictions = 0;

  machines.watch(({ before, after }) => {
    if (after && !before) stays.set(after.claim.name, stayOf(after));
    if (after?.endedAt !== undefined && before?.endedAt === undefined) close(after, after.endedAt);
  });

  function close({ claim }: Machine, removedAt: EpochMs): void {
    const open = stays.get(claim.name);
    if (!open) return;
    const removal = nodeClaims.peek(claim.name)?.claim.removal;
    const pods = podsOf(open);
    stays.set(claim.name, { ...open, removedAt, pods, ...(removal ? { removal } : {}) });
  }

  const podsOf = ({ claim }: NodeStay): readonly string[] => {
    const nodeName = nodeClaims.peek(claim)?.claim.nodeName;
    const pods = nodeName === undefined ? [] : [...api.pods.onNode(nodeName).values()];
    return pods.filter((pod) => !isDaemon(pod)).map(podKey);
  };

  return {
    get stays() {
      return [...stays.values()].map((stay) =>
        stay.removedAt === undefined ? { ...stay, pods: podsOf(stay) } : stay,
      );
    },
    get points() {
      return points.list();
    },
    costUsd(at) {
      let sum = 0;
      for (const stay of stays.values()) sum += costOf(stay, Math.min(at, stay.removedAt ?? at));
      return sum;
    },
    get waitsMs() {
      return statistics.waitsMs();
    },
    requestedShare: share.until,
    get evictions() {
      return evictions;
    },
    podDays: statistics.podDays,
    get finishedPods() {
      return statistics.finished();
    },
    get createdPods() {
      return statistics.created();
    },
    evicted(pod) {
      if (!isDaemon(pod)) evictions += 1;
    },
  };
}

const stayOf = ({ claim, launch }: Machine): NodeStay => ({
  claim: claim.name,
  pool: claim.pool,
  instanceType: launch.instanceType,
  zone: launch.zone,
  capacityType: launch.capacityType,
  hourlyUsd: launch.hourlyUsd,
  launchedAt: launch.at,
  pods: [],
});

/** Nothing before the launch. */
const costOf = ({ hourlyUsd, launchedAt }: NodeStay, until: EpochMs): number =>
  (hourlyUsd * Math.max(0, until - launchedAt)) / HOUR_MS;
