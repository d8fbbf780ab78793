import {
  ARCH_LABEL,
  CAPACITY_TYPE_LABEL,
  INSTANCE_TYPE_LABEL,
  NODEPOOL_LABEL,
  ZONE_LABEL,
} from '../../../model/labels.ts';
import type { MetricLabels } from '../../../model/metrics/metrics.ts';
import { listClaimConditions } from '../../../model/nodes/claim-conditions.ts';
import { isManagedNode, type Node } from '../../../model/nodes/node.ts';
import type { NodeClaim } from '../../../model/nodes/node-claim.ts';
import { ownValue } from '../../../model/own-value.ts';
import type { Pod } from '../../../model/pods/pod.ts';
import type { EpochMs } from '../../../model/time.ts';
import type { ClusterObjects } from '../../../ports/cluster.ts';
import type { DisruptionInput } from '../../../ports/decision-log.ts';
import type { ClassPorts, Ports, Telemetry } from '../../../ports/ports.ts';
import { withChangeListener } from '../../support/claim-decorators.ts';
import { toAges, toCounts, toSeconds } from './condition-samples.ts';
import { gaugeAllowedDisruptions, gaugeEligibleNodes } from './disruption-gauges.ts';
import { createNodeConditions } from './node-conditions.ts';
import { gaugeNodes } from './node-gauges.ts';
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

/** Gauges the conditions of claims that are not terminated; their times come from the records. */
function gaugeClaimConditions(telemetry: Telemetry, claims: readonly NodeClaim[], now: EpochMs): void {
  const conditions = claims.flatMap((claim) =>
    listClaimConditions(claim).map((condition) => ({
      condition: { ...condition, name: claim.name },
      labels: toClaimLabels(claim),
    })),
  );
  telemetry.gauge('operator_nodeclaim_status_condition_count', toCounts(conditions));
  telemetry.gauge('operator_nodeclaim_status_condition_current_status_seconds', toAges(conditions, now));
  telemetry.gauge(
    'operator_nodeclaim_termination_current_time_seconds',
    claims.flatMap((claim) =>
      claim.deletingAt === undefined
        ? []
        : [
            {
              labels: { name: claim.name, ...toClaimLabels(claim) },
              value: toSeconds(claim.deletingAt, now),
            },
          ],
    ),
  );
}

/** Counts the conditions that one write changed. Call it after a successful write only. */
export function recordClaimTransitions(telemetry: Telemetry, before: NodeClaim | undefined, after: NodeClaim): void {
  const earlier = new Map((before ? listClaimConditions(before) : []).map((condition) => [condition.type, condition]));
  const labels = toClaimLabels(after);
  for (const { type, status, reason, since } of listClaimConditions(after)) {
    const last = earlier.get(type);
    if (last?.status === status) continue;
    telemetry.count('operator_nodeclaim_status_condition_transitions_total', {
      ...{ type, status, reason },
      ...labels,
    });
    if (!last) continue;
    telemetry.observe(
      'operator_nodeclaim_status_condition_transition_seconds',
      { type, status: last.status, to_status: status, ...labels },
      toSeconds(last.since, since),
    );
  }
  const { deletingAt, terminatedAt } = after;
  if (before?.terminatedAt !== undefined || terminatedAt === undefined) return;
  if (deletingAt === undefined) return;
  telemetry.observe('operator_nodeclaim_termination_duration_seconds', labels, toSeconds(deletingAt, terminatedAt));
}

const toClaimLabels = ({ pool, nodeClass }: NodeClaim) => ({
  karpenter_sh_nodepool: pool,
  karpenter_k8s_aws_ec2nodeclass: nodeClass.name,
});

/** Gauges one series for each pod, with its node. */
function gaugePods(telemetry: Telemetry, { nodes, pods }: Pick<ClusterObjects, 'nodes' | 'pods'>): void {
  const labelsOfNodes = new Map(nodes.map((node) => [node.name, toNodeLabels(node)]));
  telemetry.gauge(
    'karpenter_pods_state',
    pods.map((pod) => {
      const nodeLabels = labelsOfNodes.get(pod.nodeName ?? '') ?? NO_NODE;
      return { labels: { ...toPodLabels(pod), ...nodeLabels }, value: 1 };
    }),
  );
}

type StateLabels = MetricLabels<'karpenter_pods_state'>;
type NodePart = 'nodepool' | 'zone' | 'arch' | 'capacity_type' | 'instance_type' | 'managed';

const toPodLabels = (pod: Pod): Omit<StateLabels, NodePart> => ({
  name: pod.name,
  namespace: pod.namespace,
  owner: pod.owner ? `${pod.owner.kind}/${pod.owner.name}` : '',
  node: pod.nodeName ?? '',
  scheduled: `${pod.nodeName !== undefined}`,
  phase: pod.phase,
  ready: `${pod.ready}`,
});

function toNodeLabels(node: Node): Pick<StateLabels, NodePart> {
  const read = (key: string): string => ownValue(node.labels, key) ?? '';
  return {
    nodepool: read(NODEPOOL_LABEL),
    zone: read(ZONE_LABEL),
    arch: read(ARCH_LABEL),
    capacity_type: read(CAPACITY_TYPE_LABEL),
    instance_type: read(INSTANCE_TYPE_LABEL),
    managed: `${isManagedNode(node)}`,
  };
}

const NO_NODE: Pick<StateLabels, NodePart> = {
  nodepool: '',
  zone: '',
  arch: '',
  capacity_type: '',
  instance_type: '',
  managed: 'false',
};
