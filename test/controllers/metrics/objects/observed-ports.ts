import { createObjectMetrics } from '../../../../shared/controllers/metrics/objects/object-metrics.ts';
import type { NodeClaim } from '../../../../shared/model/nodes/node-claim.ts';
import type { Cluster, ClusterObjects } from '../../../../shared/ports/cluster.ts';
import type { Clock, Telemetry } from '../../../../shared/ports/ports.ts';
import { aWorld } from '../../../simulation/support.ts';
import { NOON } from '../../../support/builders.ts';

const NO_OBJECTS: ClusterObjects = {
  pods: [],
  nodes: [],
  pools: [],
  daemonSets: [],
  podDisruptionBudgets: [],
  namespaces: {},
  nodeClaims: [],
};

/** Object metrics over a cluster whose objects a test sets. */
export function observedPorts(telemetry: Telemetry) {
  let objects = NO_OBJECTS;
  let claims: readonly NodeClaim[] = [];
  let now = NOON;
  const clock: Clock = { now: () => now };
  const { ports } = aWorld();
  const metrics = createObjectMetrics(telemetry, clock);
  const cluster: Cluster = {
    ...ports.cluster,
    observe: async () => objects,
    reportNodePool: async () => undefined,
  };
  const instrumented = metrics.instrument({
    ...ports,
    clock,
    cluster,
    nodeClaims: {
      ...ports.nodeClaims,
      list: async () => ({
        records: claims.map((claim) => ({ claim, version: 1 })),
        unreadable: [],
      }),
    },
  });

  return {
    metrics,
    ports: instrumented,
    /** Lets the controllers read these objects `seconds` after noon. */
    async observe(seconds: number, over: Partial<ClusterObjects>, listed: readonly NodeClaim[] = []): Promise<void> {
      now = NOON + seconds * 1000;
      objects = { ...NO_OBJECTS, ...over };
      claims = listed;
      await instrumented.cluster.observe();
      await instrumented.nodeClaims.list();
    },
    /** Scrapes `seconds` after noon. */
    scrape(seconds: number): void {
      now = NOON + seconds * 1000;
      metrics.gauge();
    },
  };
}
