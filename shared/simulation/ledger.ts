import { type Pod, type PodKey, podKey } from '../model/pod.ts';
import { type EpochMs, HOUR_MS } from '../model/time.ts';
import { isDaemon } from '../model/workload.ts';
import type { ApiServer } from './api-server.ts';
import { createLedgerPoints } from './ledger-points.ts';
import type { Machine, Machines } from './machine-room.ts';
import type { SimNodeClaims } from './node-claims.ts';
import { watchPodStatistics } from './pod-statistics.ts';
import { watchRequestedShare } from './requested-share.ts';
import type { Ledger, NodeStay, VirtualClock } from './world.ts';
import { isGoing } from './node-writes.ts';
import { isActive } from './pod-store.ts';

interface LedgerParts {
  readonly clock: VirtualClock;
  readonly api: ApiServer;
  readonly machines: Machines;
  readonly nodeClaims: SimNodeClaims;
}

interface SimLedger extends Ledger {
  evicted(pod: Pod): void;
}

/** Books money, waits and shares as they happen. */
export function createLedger({ clock, api, machines, nodeClaims }: LedgerParts): SimLedger {
  const stays = new Map<string, NodeStay>();
  const statistics = watchPodStatistics(api.pods, clock.now);
  const share = watchRequestedShare(api, clock.now);
  const points = createLedgerPoints(clock, api.pods, machines);
  const guests = watchGuests(api);
  let evictions = 0;

  machines.watch(({ before, after }) => {
    if (after && !before) stays.set(after.providerId, stayOf(after));
    if (after?.endedAt !== undefined && before?.endedAt === undefined) end(after, after.endedAt);
  });

  function end({ providerId }: Machine, removedAt: EpochMs): void {
    const open = stays.get(providerId);
    if (open) stays.set(providerId, { ...open, removedAt, pods: guests.whenItWent(providerId) });
  }

  function current(providerId: string, stay: NodeStay): NodeStay {
    // The record may name the reason after the instance is gone, a reclaimed one for example.
    const removal = nodeClaims.peek(stay.claim)?.claim.removal;
    if (stay.removedAt === undefined) return { ...stay, pods: guests.now(providerId) };
    return removal ? { ...stay, removal } : stay;
  }

  return {
    get stays() {
      return [...stays].map(([providerId, stay]) => current(providerId, stay));
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

/** The pods that nodes are there for; DaemonSet pods left out. */
interface Guests {
  /** On the instance's node now. */
  now(providerId: string): readonly PodKey[];
  /** On it when it was marked to go: at the very end they have all moved off. */
  whenItWent(providerId: string): readonly PodKey[];
}

function watchGuests(api: ApiServer): Guests {
  const nodeNames = new Map<string, string>();
  const atParting = new Map<string, readonly PodKey[]>();

  const onNode = (name: string): readonly PodKey[] => {
    const pods = [...api.pods.onNode(name).values()];
    return pods.filter((pod) => isActive(pod) && !isDaemon(pod)).map(podKey);
  };
  api.nodes.watch(({ before, after }) => {
    const providerId = after?.providerId;
    if (!after || providerId === undefined) return;
    nodeNames.set(providerId, after.name);
    if (!isGoing(after)) atParting.delete(providerId);
    else if (!(before && isGoing(before))) atParting.set(providerId, onNode(after.name));
  });

  const now = (providerId: string): readonly PodKey[] => {
    const name = nodeNames.get(providerId);
    return name === undefined ? [] : onNode(name);
  };
  return { now, whenItWent: (providerId) => atParting.get(providerId) ?? now(providerId) };
}
