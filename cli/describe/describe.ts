import type { KubernetesApi } from '../../shared/kubernetes/client/kubernetes-api.ts';
import { toConditions } from '../../shared/kubernetes/writers/node-claim-conditions.ts';
import { buildTimeline, type ClaimTimes } from '../../shared/lifecycle/claim-timeline.ts';
import { CAPACITY_TYPE_LABEL, INSTANCE_TYPE_LABEL, NODEPOOL_LABEL, ZONE_LABEL } from '../../shared/model/labels.ts';
import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import type { NodeClaimObject, ObjectCondition } from '../../shared/model/nodes/node-claim-object.ts';
import { formatInstant } from '../../shared/model/time.ts';
import { withoutUndefined } from '../../shared/model/without-undefined.ts';
import type { Clock } from '../../shared/ports/ports.ts';
import { type Answer, wholeAnswer } from '../answer.ts';
import { callCluster } from '../cluster/kubernetes-problems.ts';
import { type ClusterChoice, reachCluster } from '../cluster/reach-cluster.ts';
import type { Timeline } from '../documents/node-claim-timeline.ts';
import { fail } from '../errors.ts';
import type { Invocation } from '../invocation.ts';
import { timelineText } from '../render/timeline.ts';
import { findRecord } from './claim-records.ts';
import { findAwaitedCondition, listPodTimes, readLiveClaim, toClaimTimes } from './live-claim.ts';

const clock: Clock = { now: () => Date.now() };

/**
 * Describes a NodeClaim by its record and its live objects. Without the record the times of the
 * live objects are used, and the answer is not complete.
 *
 * @throws CliError - `not-found`; those of `reachCluster`
 */
export async function describeNodeClaim(
  choice: ClusterChoice,
  name: string,
  { io, progress }: Invocation,
): Promise<Answer> {
  progress.report('reaching the cluster');
  const reached = await reachCluster(choice, { clock, env: io.env, needsRegion: false });
  const { api, where, server } = reached;
  const [object, { record, warnings }] = await Promise.all([
    callCluster(where, () => readLiveClaim(api, name)),
    findRecord(choice, server, name),
  ]);
  if (!object && !record) throw noSuchClaim(name, where);
  const live = object && (await callCluster(where, () => readLiveTimes(api, object)));
  progress.end();

  const timeline = toTimeline(name, { object, record, live });
  return wholeAnswer({
    kind: 'NodeClaimTimeline',
    source: { cluster: server.cluster, record: record !== undefined },
    complete: warnings.length === 0,
    warnings,
    result: timeline,
    names: [`nodeclaim/${name}`],
    text: () => timelineText(timeline),
  });
}

const readLiveTimes = async (api: KubernetesApi, object: NodeClaimObject): Promise<ClaimTimes> =>
  toClaimTimes(object, object.nodeName === undefined ? [] : await listPodTimes(api, object.nodeName));

interface Sources {
  readonly object: NodeClaimObject | undefined;
  readonly record: NodeClaim | undefined;
  readonly live: ClaimTimes | undefined;
}

/** The record is exact to the millisecond; live objects add what the record does not know. */
export function toTimeline(name: string, { object, record, live }: Sources): Timeline {
  const times = record ? { ...live, ...record } : live;
  const entries = times ? buildTimeline(times) : [];
  const labels = { ...record?.launch?.labels, ...record?.labels, ...object?.labels };
  const decision = record?.decision;
  return {
    nodeClaim: name,
    ...withoutUndefined({
      nodePool: labels[NODEPOOL_LABEL],
      node: record?.nodeName ?? object?.nodeName,
      instanceType: labels[INSTANCE_TYPE_LABEL],
      capacityType: labels[CAPACITY_TYPE_LABEL],
      zone: labels[ZONE_LABEL],
    }),
    phases: entries.map(({ phase, at, ms }) => ({
      name: phase,
      at: new Date(at).toISOString(),
      ...(ms !== undefined && { ms }),
      ...(phase === 'decided' && decision !== undefined && { decision }),
    })),
    ...findStartDuration(times),
    ...describeWait(record ? toObjectConditions(record) : (object?.conditions ?? []), times),
  };
}

function findStartDuration(times: ClaimTimes | undefined): Pick<Timeline, 'startMs'> {
  if (times?.podRunningAt === undefined) return {};
  return { startMs: times.podRunningAt - (times.podsWaitedSince ?? times.createdAt) };
}

const toObjectConditions = (record: NodeClaim): readonly ObjectCondition[] =>
  toConditions(record, 1).map(({ lastTransitionTime, type, status, reason, message }) => ({
    ...{ type, status, reason, message },
    since: Date.parse(lastTransitionTime),
  }));

function describeWait(
  conditions: readonly ObjectCondition[],
  times: ClaimTimes | undefined,
): Pick<Timeline, 'waitsFor'> {
  if (!times || times.terminatedAt !== undefined) return {};
  const awaited = findAwaitedCondition(conditions, times.deletingAt !== undefined);
  if (!awaited) return {};
  const { type: condition, reason, message, since } = awaited;
  return {
    waitsFor: {
      ...{ condition, reason, message },
      ...(since !== undefined && { since: formatInstant(since) }),
    },
  };
}

const noSuchClaim = (name: string, where: string) =>
  fail({
    code: 'not-found',
    what: `no NodeClaim ${name}`,
    where,
    why: 'neither in the cluster nor in the record',
    fix: 'kubectl get nodeclaims',
  });
