import type { Pod } from '../../../shared/model/pods/pod.ts';
import type { EpochMs } from '../../../shared/model/time.ts';
import type { Cluster } from '../../../shared/ports/cluster.ts';
import type { Ports } from '../../../shared/ports/ports.ts';
import type { WorkQueue } from '../../../shared/ports/work-queue.ts';
import type { FakeWorld } from '../../controllers/support/fake-ports.ts';
import type { Timeline } from '../../support/limits/timeline.ts';

/** Typical answer times within a region. */
const API_MS = 10;
const FLEET_MS = 1_200;

/** A request for instances. */
export interface FleetCall {
  readonly at: EpochMs;
  readonly instances: number;
}

/** The times at which the functions acted on the cluster and on EC2. */
export interface ActivityLog {
  readonly fleetCalls: FleetCall[];
  readonly evictions: EpochMs[];
  /** The reads of the whole cluster. */
  readonly observations: EpochMs[];
}

export const createActivityLog = (): ActivityLog => ({
  fleetCalls: [],
  evictions: [],
  observations: [],
});

interface LatencyParts {
  readonly timeline: Timeline;
  readonly activity: ActivityLog;
  readonly queue: WorkQueue;
}

/**
 * The cluster and EC2 of a fake world, with the time that their answers take. A pod that is evicted is
 * created again by its owner, and kube-scheduler's Event about it requests a plan.
 */
export function withLatency(
  world: FakeWorld,
  { timeline, activity, queue }: LatencyParts,
): Pick<Ports, 'cluster' | 'cloud'> {
  const { cluster, cloud } = world.ports;
  const afterRequest = async <T>(work: () => Promise<T>): Promise<T> => {
    await timeline.sleep(API_MS);
    return work();
  };

  function replace({ nodeName: _, startedAt: __, ...template }: Pod): void {
    const now = timeline.now();
    const name = `${template.name}-${activity.evictions.length}`;
    const times = { createdAt: now, unschedulableSince: now };
    const pod: Pod = { ...template, ...times, name, uid: name, phase: 'Pending', ready: false };
    world.objects = { ...world.objects, pods: [...world.objects.pods, pod] };
  }

  const slowCluster: Cluster = {
    ...cluster,
    observe() {
      activity.observations.push(timeline.now());
      return afterRequest(() => cluster.observe());
    },
    observeClaim: (query) => afterRequest(async () => selectObjects(world, query)),
    projectNodeClaim: (claim, read) => afterRequest(() => cluster.projectNodeClaim(claim, read)),
    changeNode: (node, change) => afterRequest(() => cluster.changeNode(node, change)),
    deleteNode: (node) => afterRequest(() => cluster.deleteNode(node)),
    evict: (pod) =>
      afterRequest(async () => {
        activity.evictions.push(timeline.now());
        const result = await cluster.evict(pod);
        if (result.outcome === 'evicted') {
          replace(pod);
          await queue.send({ topic: 'plan' });
        }
        return result;
      }),
  };
  return {
    cluster: slowCluster,
    cloud: {
      ...cloud,
      async launch(request) {
        activity.fleetCalls.push({ at: timeline.now(), instances: request.claims.length });
        await timeline.sleep(FLEET_MS);
        return cloud.launch(request);
      },
    },
  };
}

function selectObjects(
  { objects, claimObjects }: FakeWorld,
  { claim, instance }: Parameters<NonNullable<Cluster['observeClaim']>>[0],
): Awaited<ReturnType<NonNullable<Cluster['observeClaim']>>> {
  const nodes = objects.nodes.filter(({ providerId }) => providerId === instance?.providerId);
  const names = new Set(nodes.map(({ name }) => name));
  const pods = objects.pods.filter(({ nodeName }) => nodeName !== undefined && names.has(nodeName));
  const object = claimObjects.get(claim);
  return { ...objects, nodes, pods, nodeClaims: object ? [object] : [] };
}
