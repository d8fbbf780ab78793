import {
  ON_SURPLUS_NODE_ANNOTATION,
  POD_DELETION_COST_ANNOTATION,
  RESTART_WHEN_BLOCKED_ANNOTATION,
} from '../../../shared/model/labels.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import { isWaitingForEviction } from '../../../shared/model/pods/disruption-pods.ts';
import { type Pod, podKey } from '../../../shared/model/pods/pod.ts';
import { isDaemon } from '../../../shared/model/pods/workload.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { Cloud, LaunchRequest } from '../../../shared/ports/cloud.ts';
import type { Cluster } from '../../../shared/ports/cluster.ts';
import type { OpenWorld } from '../../../shared/simulation/create-world.ts';
import type { Surroundings } from '../cluster/surroundings.ts';
import type { ViolationLog } from './violations.ts';

export interface WatchedParts {
  readonly open: OpenWorld;
  readonly surroundings: Surroundings;
  readonly foreignNodes: ReadonlySet<string>;
  readonly log: ViolationLog;
  readonly maxSkewMs: number;
  /** All records, by claim name, terminated ones included. */
  readonly claims: ReadonlyMap<string, NodeClaim>;
}

const OUR_FINALIZER = 'karpenter.sh/termination';
const OUR_TAINTS: readonly string[] = [
  'karpenter.sh/unregistered',
  'karpenter.sh/disrupted',
  'mortise.sh/surplus',
];
/** EC2 gives a notice of two minutes, within which protected pods are deleted in turn. */
const NOTICE_MS = 2 * MINUTE_MS;

/** Checks each change that the controllers make in the cluster, at the moment when it takes effect. */
export function watchCluster(parts: WatchedParts): Cluster {
  const { surroundings, foreignNodes, log } = parts;
  const { cluster } = surroundings;

  function checkForeign(what: string, node: string | undefined): void {
    if (node !== undefined && foreignNodes.has(node))
      log.report('foreign-object', `${what} node ${node}, which belongs to another tool`);
  }

  return {
    ...cluster,
    async changeNode(node, change) {
      checkForeign('changed', node.name);
      const kept = new Set(change.finalizers ?? node.finalizers);
      for (const finalizer of node.finalizers) {
        if (finalizer !== OUR_FINALIZER && !kept.has(finalizer))
          log.report('foreign-finalizer', `removed ${finalizer} from node ${node.name}`);
      }
      const keys = new Set((change.taints ?? node.taints).map(({ key }) => key));
      for (const { key } of node.taints) {
        if (!OUR_TAINTS.includes(key) && !keys.has(key))
          log.report('foreign-taint', `removed the taint ${key} from node ${node.name}`);
      }
      await cluster.changeNode(node, change);
    },
    async deleteNode(name) {
      checkForeign('deleted', name);
      const claim = findClaimOfNode(parts, name);
      if (claim && claim.deletingAt === undefined)
        log.report('instance-in-use', `deleted node ${name} of ${claim.name}, which stays`);
      await cluster.deleteNode(name);
    },
    async evict(pod) {
      checkEviction(parts, pod, 'evicted');
      checkForeign(`evicted ${podKey(pod)} from`, pod.nodeName);
      return cluster.evict(pod);
    },
    async restartOwner(pod) {
      checkEviction(parts, pod, 'restarted the owner of');
      if (pod.annotations[RESTART_WHEN_BLOCKED_ANNOTATION] !== 'true')
        log.report('eviction-reason', `restarted the owner of ${podKey(pod)} without permission`);
      return cluster.restartOwner(pod);
    },
    async setPodDeletionCost(pod, cost) {
      checkForeign(`changed ${podKey(pod)} on`, pod.nodeName);
      const { [POD_DELETION_COST_ANNOTATION]: present, [ON_SURPLUS_NODE_ANNOTATION]: ours } =
        pod.annotations;
      if (present !== undefined && ours !== 'true')
        log.report('foreign-annotation', `changed the deletion cost ${present} of ${podKey(pod)}`);
      return cluster.setPodDeletionCost(pod, cost);
    },
    async deletePod(pod, gracePeriodMs) {
      checkEviction(parts, pod, 'deleted');
      checkForeign(`deleted ${podKey(pod)} on`, pod.nodeName);
      checkForcedDeletion(parts, pod);
      await cluster.deletePod(pod, gracePeriodMs);
    },
  };
}

/** Pods leave only nodes whose record says why they leave. */
function checkEviction(parts: WatchedParts, pod: Pod, what: string): void {
  const claim = findClaimOfNode(parts, pod.nodeName);
  if (claim && claim.deletingAt !== undefined && claim.removal !== undefined) return;
  const why = claim ? `${claim.name} has no reason to be removed` : 'its node has no claim';
  // The pod may have left the node since.
  if (parts.open.api.pods.get(podKey(pod))?.uid === pod.uid)
    parts.log.report('eviction-reason', `${what} ${podKey(pod)}, but ${why}`);
}

/** Only a deadline permits deletion past the eviction API, shortly before it or after it. */
function checkForcedDeletion(parts: WatchedParts, pod: Pod): void {
  const { open, log, maxSkewMs } = parts;
  const claim = findClaimOfNode(parts, pod.nodeName);
  const deadline = claim?.drainDeadline;
  const leadMs = Math.max(pod.spec.terminationGracePeriodMs, NOTICE_MS);
  if (deadline === undefined) {
    log.report('pod-disruption-budget', `deleted ${podKey(pod)} without a deadline`);
  } else if (open.world.clock.now() + maxSkewMs < deadline - leadMs) {
    log.report('pod-disruption-budget', `deleted ${podKey(pod)} long before its deadline`);
  }
}

/** Lists the instances that EC2 shows for this request and that no claim has got. */
async function listUnassigned(cloud: Cloud, request: LaunchRequest): Promise<readonly string[]> {
  const instances = await cloud.instances();
  return instances
    .filter(({ launchId, state }) => launchId === request.id && state !== 'shutting-down')
    .map(({ providerId }) => providerId)
    .filter((providerId) => !request.existingInstances.includes(providerId))
    .slice(0, request.claims.length);
}

/** Checks each launch and each termination. */
export function watchCloud(parts: WatchedParts): Cloud {
  const { surroundings, log } = parts;
  const { cloud } = surroundings;
  return {
    ...cloud,
    async launch(request) {
      const before = await listUnassigned(cloud, request);
      const result = await cloud.launch(request);
      const given = new Set(result.launches.map(({ providerId }) => providerId));
      const overlooked = before.filter((providerId) => !given.has(providerId));
      if (overlooked.length > 0 && result.launches.length > 0)
        log.report('launched-twice', `${request.id} has ${overlooked.join(', ')} already`);
      return result;
    },
    async terminate(providerId) {
      if (surroundings.foreignInstances.has(providerId))
        log.report('foreign-object', `terminated ${providerId}, which belongs to another tool`);
      checkTermination(parts, providerId, await findAwaiting(parts, providerId));
      await cloud.terminate(providerId);
    },
  };
}

/** The claim that gets the instance by its launch record, but has not stored it yet. */
async function findAwaiting(
  { open, claims }: WatchedParts,
  providerId: string,
): Promise<NodeClaim | undefined> {
  const stored = await open.world.ports.launches.list();
  const [name] = stored.flatMap(({ record: { launches } }) =>
    Object.keys(launches).filter((one) => launches[one]?.providerId === providerId),
  );
  const claim = claims.get(name ?? '');
  return claim?.launch || claim?.terminatedAt !== undefined ? undefined : claim;
}

/** An instance ends after its pods, unless its deadline has come. */
function checkTermination(
  parts: WatchedParts,
  providerId: string,
  awaiting: NodeClaim | undefined,
): void {
  const { open, claims, log, maxSkewMs } = parts;
  const now = open.world.clock.now();
  const storing = [...claims.values()].find(
    ({ launch, terminatedAt }) => launch?.providerId === providerId && terminatedAt === undefined,
  );
  const holder = storing ?? awaiting;
  if (holder && holder.deletingAt === undefined)
    log.report('instance-in-use', `terminated the instance of ${holder.name}, which stays`);
  if (open.instances.get(providerId)?.state !== 'running') return;

  const node = open.api.nodes.list().find((one) => one.providerId === providerId);
  const hasTime = now + maxSkewMs + SECOND_MS < (holder?.drainDeadline ?? Number.POSITIVE_INFINITY);
  if (!node?.ready || !hasTime) return;
  const pods = [...open.api.pods.onNode(node.name).values()].filter(
    (pod) => pod.ready && !isDaemon(pod) && isWaitingForEviction(pod, now),
  );
  if (pods.length > 0) {
    const names = pods.map(podKey).join(', ');
    log.report('instance-in-use', `terminated ${node.name}, on which ${names} runs`);
  }
}

/** Pods outlive their Node for some seconds, so that the records tell whose Node it was. */
function findClaimOfNode(
  { open, claims }: WatchedParts,
  name: string | undefined,
): NodeClaim | undefined {
  const { providerId } = open.api.nodes.get(name ?? '') ?? {};
  return [...claims.values()].findLast(({ launch, nodeName }) =>
    providerId === undefined ? nodeName === name : launch?.providerId === providerId,
  );
}
