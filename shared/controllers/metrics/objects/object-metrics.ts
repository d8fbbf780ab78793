import type { NodeClaim } from '../../../model/nodes/node-claim.ts';
import type { ClusterObjects } from '../../../ports/cluster.ts';
import type { DisruptionInput } from '../../../ports/decision-log.ts';
import type { ClassPorts, Ports, Telemetry } from '../../../ports/ports.ts';
import { withChangeListener } from '../../support/claim-decorators.ts';
import { gaugeAllowedDisruptions, gaugeEligibleNodes } from './disruption-gauges.ts';
import { gaugeClaimConditions, recordClaimTransitions } from './node-claim-conditions.ts';
import { createNodeConditions } from './node-conditions.ts';
import { gaugeNodes } from './node-gauges.ts';
import { gaugePods } from './pod-gauges.ts';
import { createPodStartups } from './pod-startup.ts';
import { createPoolAndClassConditions } from './pool-and-class-conditions.ts';

type ObservedPorts = Pick<Ports, 'clock' | 'cluster' | 'nodeClaims' | 'decisionLog' | 'classes'>;

/**
 * Metrics with a series for each node, pod, NodePool or other object: for one process that serves
 * them, not for functions, because CloudWatch bills every series.
 */
export interface ObjectMetrics {
  /** Wraps ports so that what controllers read and write is remembered. */
  instrument<P extends ObservedPorts>(ports: P): P;
  /** Gauges all objects as of the last observation. Computed for a scrape, not for each decision. */
  gauge(): void;
  /** Drops all objects, because another process observes the cluster now. */
  clear(): void;
}

export function createObjectMetrics(telemetry: Telemetry, clock: Pick<Ports['clock'], 'now'>): ObjectMetrics {
  const startups = createPodStartups(telemetry);
  const nodeConditions = createNodeConditions(telemetry);
  const otherConditions = createPoolAndClassConditions(telemetry);
  let objects: Pick<ClusterObjects, 'nodes' | 'pods' | 'pools'> = NOTHING;
  let claims: readonly NodeClaim[] = [];
  let decision: DisruptionInput | undefined;

  function observe(observed: ClusterObjects): void {
    const now = clock.now();
    objects = observed;
    startups.observe(observed.pods, now);
    nodeConditions.observe(observed.nodes, now);
    otherConditions.keepPools(observed.pools.map(({ name }) => name));
  }

  const instrumentClasses = ({ objects: classObjects, ...others }: ClassPorts): ClassPorts => ({
    ...others,
    objects: {
      ...classObjects,
      async list() {
        const listed = await classObjects.list();
        otherConditions.observeClasses(listed, clock.now());
        return listed;
      },
    },
  });

  return {
    instrument: (ports) => ({
      ...ports,
      cluster: {
        ...ports.cluster,
        async observe(options) {
          const observed = await ports.cluster.observe(options);
          observe(observed);
          return observed;
        },
        async reportNodePool(status) {
          await ports.cluster.reportNodePool(status);
          otherConditions.recordPool(status, clock.now());
        },
      },
      nodeClaims: withListListener(
        withChangeListener(ports.nodeClaims, (before, after) => recordClaimTransitions(telemetry, before, after)),
        (listed) => {
          claims = listed;
        },
      ),
      decisionLog: {
        ...ports.decisionLog,
        async recordDecision(made) {
          if (made.kind === 'provisioning') startups.recordPlan(made.plan, made.at + (made.tookMs ?? 0));
          else decision = made.input;
          await ports.decisionLog.recordDecision(made);
        },
      },
      ...(ports.classes && { classes: instrumentClasses(ports.classes) }),
    }),
    gauge() {
      const now = clock.now();
      gaugeNodes(telemetry, objects, now);
      gaugePods(telemetry, objects);
      startups.gauge(now);
      gaugeClaimConditions(telemetry, claims, now);
      nodeConditions.gauge(now);
      otherConditions.gauge(now);
      gaugeAllowedDisruptions(telemetry, { ...objects, claims }, now);
      gaugeEligibleNodes(telemetry, decision);
    },
    clear() {
      [objects, claims, decision] = [NOTHING, [], undefined];
      startups.clear();
      nodeConditions.clear();
      otherConditions.clear();
    },
  };
}

const NOTHING = { nodes: [], pods: [], pools: [] };

const withListListener = (
  nodeClaims: Ports['nodeClaims'],
  onList: (claims: readonly NodeClaim[]) => void,
): Ports['nodeClaims'] => ({
  ...nodeClaims,
  async list(options) {
    const all = await nodeClaims.list(options);
    onList(all.records.map(({ claim }) => claim));
    return all;
  },
});
