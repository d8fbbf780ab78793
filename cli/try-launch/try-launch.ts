import { EC2Client } from '@aws-sdk/client-ec2';
import { CAPACITY_TYPE_LABEL, INSTANCE_TYPE_LABEL, ZONE_LABEL } from '../../shared/model/labels.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import { withoutUndefined } from '../../shared/model/without-undefined.ts';
import { type Answer, wholeAnswer } from '../answer.ts';
import { toClientSettings } from '../cluster/aws-flags.ts';
import { callCluster } from '../cluster/kubernetes-problems.ts';
import { type ClusterChoice, type ReachedCluster, reachCluster } from '../cluster/reach-cluster.ts';
import { openClaimRecords, type ReadRecord } from '../describe/claim-records.ts';
import type { LaunchFailure, TryLaunchReport } from '../documents/try-launch.ts';
import { CliError, EXIT } from '../errors.ts';
import type { Invocation } from '../invocation.ts';
import { planText, tryLaunchText } from '../render/try-launch.ts';
import { pause } from '../signals.ts';
import { isConfirmed } from '../uninstall/confirm.ts';
import { checkRights } from './check-rights.ts';
import { explainFailure, type Followed, isUnderWay } from './explain-failure.ts';
import { addPhases, findAwaitedPhase, isStuck, listPhases } from './launch-progress.ts';
import { findClaim, type LaunchSources, listEvents, type Observation, observeLaunch } from './observe-launch.ts';
import { removeLaunch } from './remove-launch.ts';
import { buildTestPod, type ChosenPool, choosePool, createTestPod, listHostnames, type TestPod } from './test-pod.ts';
import { writeReport } from './write-report.ts';

export interface TryLaunchRequest extends ClusterChoice {
  readonly nodePool?: string;
  readonly instanceType?: string;
  readonly namespace: string;
  /** The time limit of each phase. */
  readonly timeoutMs: number;
  /** The file of the report; undefined for one named after the time. */
  readonly reportFile?: string;
  readonly yes?: string;
  readonly mayAsk: boolean;
}

const clock = { now: () => Date.now() };
const LOOK_EVERY_MS = 500;
/** EC2 takes up to two minutes to end an instance. */
const REMOVAL_MS = 5 * MINUTE_MS;
/** After Ctrl-C. The NodeClaim is deleted within seconds, and its finalizer ends the instance in any case. */
const REMOVAL_AFTER_STOP_MS = MINUTE_MS;

/**
 * Launches one node for a pod of its own, times each phase, and removes both.
 *
 * @throws CliError - the cluster cannot be reached; `forbidden`, `not-found`, `not-confirmed`
 */
export async function tryLaunch(request: TryLaunchRequest, invocation: Invocation): Promise<Answer> {
  const { io, progress } = invocation;
  progress.report('reaching the cluster');
  const reached = await reachCluster(request, { clock, env: io.env });
  return await callCluster(reached.where, async () => {
    const { api, where, server } = reached;
    const pool = await choosePool(api, { requested: request.nodePool, where });
    await checkRights(api, { namespace: request.namespace, where });
    progress.end();
    const { cluster } = server;
    const plan = planText({ ...request, nodePool: pool.name });
    if (!(await isConfirmed({ ...request, cluster, plan }, io))) {
      return answerOf({ ...emptyReport(pool), outcome: 'planned' }, { cluster, plan });
    }
    invocation.grant(REMOVAL_AFTER_STOP_MS);
    const report = await run(request, { reached, pool }, invocation);
    const file = await writeReport(report, { request, io, region: server.region });
    return answerOf({ ...report, report: file }, { cluster, plan });
  });
}

interface Target {
  readonly reached: ReachedCluster;
  readonly pool: ChosenPool;
}

/** Whatever happens after the pod exists, pod and node are removed. */
async function run(
  request: TryLaunchRequest,
  { reached, pool }: Target,
  invocation: Invocation,
): Promise<TryLaunchReport> {
  const { api, server } = reached;
  const { progress, stop, note } = invocation;
  const sources: LaunchSources = {
    api,
    ec2: new EC2Client(toClientSettings({ ...request, region: server.region })),
    findRecord: await openRecords(request, reached, note),
  };
  const presentNodes = await listHostnames(api, pool.name);
  const created = await createOrExplain(api, buildTestPod({ ...request, pool, presentNodes }));
  if ('failure' in created) {
    return { ...emptyReport(pool), outcome: 'failed', failure: created.failure };
  }

  const { pod } = created;
  notePhase(invocation, { name: 'pod-created', at: new Date(pod.createdAt).toISOString() });
  let followed: Followed = { times: { 'pod-created': pod.createdAt } };
  let diagnosis: Pick<TryLaunchReport, 'failure' | 'findings'> = { findings: [] };
  let remaining: readonly string[] = [];
  try {
    followed = await follow(pod, { request, pool, sources }, invocation, (next) => {
      followed = next;
    });
    if (followed.stuckAt !== undefined && !stop.aborted) {
      progress.report('looking for the cause');
      diagnosis = await explainFailure(request, pod, { sources, followed }, invocation);
    }
  } finally {
    remaining = await removeLaunch(
      {
        ...{ api, pod: pod, progress, now: clock.now },
        findClaimName: async () => {
          const events = await listEvents(api, pod);
          const claim = await findClaim(sources, { events, pod: pod, pool: pool.name });
          return claim?.object.name;
        },
        timeoutMs: stop.aborted ? REMOVAL_AFTER_STOP_MS : REMOVAL_MS,
        pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      },
      followed.observed,
    );
    progress.end();
  }
  const outcome = stop.aborted ? 'interrupted' : diagnosis.failure ? 'failed' : 'bound';
  return {
    ...emptyReport(pool),
    ...describeNode(followed.observed),
    ...diagnosis,
    ...{ outcome, phases: listPhases(followed.times), remaining: [...remaining] },
  };
}

const notePhase = (
  { note }: Pick<Invocation, 'note'>,
  { name, at }: { readonly name: string; readonly at: string },
): void => note(`${at.slice(11, 21)}  ${name}`);

/** Looks until the pod is bound to a ready node, until a phase takes too long, or until Ctrl-C. */
async function follow(
  pod: TestPod,
  {
    request,
    pool,
    sources,
  }: Pick<Target, 'pool'> & {
    readonly request: TryLaunchRequest;
    readonly sources: LaunchSources;
  },
  invocation: Invocation,
  onChange: (followed: Followed) => void,
): Promise<Followed> {
  const { progress, stop, note } = invocation;
  let followed: Followed = { times: { 'pod-created': pod.createdAt } };
  let since = clock.now();
  while (!stop.aborted) {
    const observed = await observeLaunch(sources, pod, pool.name);
    const now = clock.now();
    const times = addPhases(followed.times, observed, now);
    if (Object.keys(times).length > Object.keys(followed.times).length) {
      for (const { name, at } of listPhases(times)) {
        if (followed.times[name] === undefined) notePhase({ note }, { name, at });
      }
      since = now;
    }
    followed = { times, observed };
    onChange(followed);
    const phase = findAwaitedPhase(times);
    if (phase === undefined) return followed;
    if (isStuck(observed, { phase, since, now, timeoutMs: request.timeoutMs })) {
      const isLate = now - pod.createdAt >= request.timeoutMs;
      const isWaited = phase === 'decided' && !isLate && (await isUnderWay(request, pod, invocation));
      if (!isWaited) return { ...followed, stuckAt: phase };
      since = now;
    }
    progress.report(`waiting for ${phase}`);
    await pause(LOOK_EVERY_MS, stop);
  }
  return followed;
}

/** Admission refuses the pod, or it exists. */
async function createOrExplain(
  api: ReachedCluster['api'],
  manifest: ReturnType<typeof buildTestPod>,
): Promise<{ readonly pod: TestPod } | { readonly failure: LaunchFailure }> {
  try {
    return { pod: await createTestPod(api, manifest) };
  } catch (error) {
    const [problem] = error instanceof CliError ? error.problems : [];
    if (problem?.code !== 'rule-refused') throw error;
    const { what, why, fix = '--namespace NAME' } = problem;
    return {
      failure: {
        ...{ code: 'refused-by-policy', phase: 'pod-created', what, fix },
        ...(why !== undefined && { why }),
      },
    };
  }
}

/** Without the record, times are those of live objects, exact to the second. */
async function openRecords(
  request: ClusterChoice,
  { server }: ReachedCluster,
  note: Invocation['note'],
): Promise<ReadRecord> {
  let read: ReadRecord | undefined;
  try {
    read = await openClaimRecords(request, server);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    note(`warning: the record could not be read: ${error.message}`);
  }
  return async (name) => {
    try {
      return await read?.(name);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      note(`warning: the record could not be read: ${error.message}`);
      read = undefined;
      return undefined;
    }
  };
}

function describeNode(observed: Observation | undefined): Partial<TryLaunchReport> {
  const labels = {
    ...observed?.record?.launch?.labels,
    ...observed?.record?.labels,
    ...observed?.claim?.labels,
  };
  return withoutUndefined({
    nodeClaim: observed?.claim?.name,
    node: observed?.boundTo ?? observed?.claim?.nodeName,
    instanceType: labels[INSTANCE_TYPE_LABEL],
    capacityType: labels[CAPACITY_TYPE_LABEL],
    zone: labels[ZONE_LABEL],
  });
}

const emptyReport = ({ name }: ChosenPool): Omit<TryLaunchReport, 'outcome'> => ({
  ...{ nodePool: name, phases: [], findings: [], remaining: [] },
});

const answerOf = (
  report: TryLaunchReport,
  { cluster, plan }: { readonly cluster: string; readonly plan: string },
): Answer =>
  wholeAnswer({
    kind: 'TryLaunch',
    source: { cluster },
    complete: report.outcome !== 'interrupted' && report.remaining.length === 0,
    result: report,
    names: report.nodeClaim === undefined ? [] : [`nodeclaim/${report.nodeClaim}`],
    text: (terminal) =>
      report.outcome === 'planned'
        ? `${plan}nothing was changed; --yes ${cluster} does it\n`
        : tryLaunchText(report, terminal),
    ...(report.outcome === 'failed' && { exitCode: EXIT.answerIsNo }),
  });
