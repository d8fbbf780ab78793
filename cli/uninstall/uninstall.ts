import { EC2Client } from '@aws-sdk/client-ec2';
import { IAMClient } from '@aws-sdk/client-iam';
import { awsClusterResources } from '../../shared/aws/node-class/cluster-resources.ts';
import { disableHooks } from '../../shared/controllers/webhooks/webhook-control.ts';
import { CRD_RESOURCE, deleteObject } from '../../shared/kubernetes/setup/apply-object.ts';
import { withdrawHooks as withdraw } from '../../shared/kubernetes/setup/place-hooks.ts';
import { removeAllFinalizers } from '../../shared/kubernetes/setup/remove-finalizers.ts';
import { removeSteeringTaints } from '../../shared/kubernetes/setup/remove-taint.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import type { Clock } from '../../shared/ports/ports.ts';
import type { Answer } from '../answer.ts';
import { toClientSettings } from '../cluster/aws-flags.ts';
import { callAws } from '../cluster/aws-problems.ts';
import { callCluster } from '../cluster/kubernetes-problems.ts';
import type { ClusterChoice } from '../cluster/reach-cluster.ts';
import { type ControllerRuntime, createControllerRuntime } from '../controller/controller-runtime.ts';
import type { UninstallReport, UninstallStep } from '../documents/uninstall.ts';
import { fail } from '../errors.ts';
import type { Invocation } from '../invocation.ts';
import { planText, uninstallText } from '../render/uninstall.ts';
import { isConfirmed } from './confirm.ts';
import { awaitRecords, drainAll } from './drain-all.ts';
import { type Survey, survey } from './survey.ts';
import { planUninstall, remainderOf, type UninstallChoice } from './uninstall-steps.ts';

export interface UninstallRequest extends ClusterChoice, UninstallChoice {
  readonly yes?: string;
  readonly dryRun: boolean;
  readonly mayAsk: boolean;
  /** Time limit for all nodes together. */
  readonly timeoutMs: number;
}

/** Resolving an EC2NodeClass takes seconds, and the next sweep comes within a minute. */
const RECORDS_WITHIN_MS = 3 * MINUTE_MS;

const clock: Clock = { now: () => Date.now() };

/**
 * Shows the plan and carries it out after confirmation.
 *
 * @throws CliError - the cluster cannot be reached; `not-found`: no stack; `not-owner`
 */
export async function uninstall(request: UninstallRequest, invocation: Invocation): Promise<Answer> {
  const { io, progress } = invocation;
  progress.report('reaching the cluster');
  const runtime = await createControllerRuntime(request, {
    mode: 'uninstall',
    act: true,
    clock,
    log: ({ message, fields }) => invocation.detail(`${message} ${JSON.stringify(fields)}`),
    env: io.env,
  });
  const stack = runtime.stack?.name;
  if (stack === undefined) throw noStack(runtime);

  const { cluster } = runtime.reached.server;
  const before = await surveyCluster(runtime);
  const steps = planUninstall(before, request);
  progress.end();
  const plan = { cluster, nodes: request.nodes, act: false, steps };
  const report: UninstallReport = {
    ...plan,
    steps: [...steps],
    remaining: [...remainderOf(before, request, stack)],
  };
  if (request.dryRun) return answerOf(report, { complete: true });

  const confirmation = { ...request, cluster, plan: planText(report) };
  if (!(await isConfirmed(confirmation, io))) return answerOf(report, { complete: true });

  const done = await carryOut(runtime, request, invocation);
  const after = await surveyCluster(runtime);
  runtime.view.close();
  const remaining = [...remainderOf(after, request, stack)];
  // An instance without a record still costs money.
  if (request.nodes === 'drain' && after.instances.length > 0) done.delete('nodes');
  const outcomes = steps.map((step) => (done.has(step.step) ? doneStep(step) : unfinished(step)));
  const complete = outcomes.every(isFinished);
  // Only the functions of this stack stand by from now on, until it is deleted.
  if (complete) await callCluster(runtime.reached.where, () => runtime.ports.ownership.release());
  return answerOf({ ...plan, act: true, steps: outcomes, remaining }, { complete });
}

const surveyCluster = (runtime: ControllerRuntime): Promise<Survey> =>
  callCluster(runtime.reached.where, () =>
    callAws('EC2 and the stack’s table', () => survey(runtime.ports, runtime.reached.api)),
  );

/**
 * @returns the finished steps
 */
async function carryOut(
  runtime: ControllerRuntime,
  request: UninstallRequest,
  { progress, stop, note }: Invocation,
): Promise<Set<UninstallStep['step']>> {
  const { api } = runtime.reached;
  const done = new Set<UninstallStep['step']>();
  await callCluster(runtime.reached.where, async () => {
    if (request.nodes === 'drain') {
      await awaitRecords(runtime.ports, { progress, stop, timeoutMs: RECORDS_WITHIN_MS });
      progress.end();
    }
    await stopDecisions(runtime, request);
    done.add('decisions');
    await removeHooks(runtime);
    done.add('hooks');
    if (request.nodes === 'drain') {
      const trouble = (claim: string, error: unknown): void => note(`${claim}: ${String(error)}`);
      const remaining = await drainAll(runtime.ports, {
        progress,
        stop,
        timeoutMs: request.timeoutMs,
        trouble,
      });
      progress.end();
      // Without its NodeClaim and its CRDs, a node that runs on could not be drained later.
      if (remaining.length > 0 || (await runtime.ports.cloud.instances()).length > 0) return;
      done.add('nodes');
      await removeAllFinalizers(api);
      done.add('finalizers');
      if (await removeResources(runtime, request, note)) done.add('profiles');
    } else {
      await removeSteeringTaints(api);
      done.add('taints');
    }
    if (request.crds) await deleteOwnCrds(runtime);
    done.add('crds');
  });
  return done;
}

/**
 * Deletes what the stack does not know. Empty profiles would keep IAM from deleting their role, whether it
 * is the stack's or another one.
 */
async function removeResources(
  { reached }: ControllerRuntime,
  request: UninstallRequest,
  note: Invocation['note'],
): Promise<boolean> {
  const settings = toClientSettings(request);
  const clients = { ec2: new EC2Client(settings), iam: new IAMClient(settings) };
  try {
    const resources = awsClusterResources(clients, reached.server);
    await resources.removeTemplates();
    await resources.removeProfiles();
    return true;
  } catch (error) {
    note(error instanceof Error ? error.message : String(error));
    return false;
  }
}

/** All other processes are on stand-by from here on, also if this process dies. */
async function stopDecisions({ ports, reached }: ControllerRuntime, { nodes }: UninstallChoice) {
  const standing = await ports.ownership.takeOver();
  if (standing.outcome === 'owner') return;
  // Karpenter already owns the cluster, as requested.
  if (nodes === 'hand-over' && standing.why === 'karpenter') return;
  throw fail({
    code: 'not-owner',
    what: `${standing.owner} owns ${reached.server.cluster}`,
    where: reached.where,
    why: 'two owners would end each other’s nodes',
    fix: standing.why === 'karpenter' ? '--nodes hand-over, or stop Karpenter' : 'uninstall that one',
  });
}

/** Recorded as well, or the functions would install the webhooks again. */
async function removeHooks({ installations, reached }: ControllerRuntime): Promise<void> {
  const setup = { withdrawHooks: async () => void (await withdraw(reached.api)) };
  if (!installations) return setup.withdrawHooks();
  await disableHooks({ setup, installations, clock }, { by: 'operator', why: 'uninstalled' });
}

async function deleteOwnCrds({ ports, reached }: ControllerRuntime): Promise<void> {
  const { crds } = await survey(ports, reached.api);
  for (const { name, keeper } of crds) {
    if (keeper !== undefined) continue;
    await deleteObject(reached.api, { kind: CRD_RESOURCE.kind, metadata: { name } });
  }
}

const noStack = ({ reached }: ControllerRuntime) =>
  fail({
    code: 'not-found',
    what: `no stack serves ${reached.server.cluster}`,
    where: reached.server.region,
    why: 'nothing of ours is deployed there, or under another cluster name',
    fix: 'check --cluster, --region and --profile',
  });

const doneStep = (step: UninstallStep): UninstallStep =>
  step.outcome === 'planned' ? { ...step, outcome: 'done' } : step;

const unfinished = (step: UninstallStep): UninstallStep =>
  step.outcome === 'planned' ? { ...step, outcome: 'unfinished' } : step;

const isFinished = ({ outcome }: UninstallStep): boolean => outcome !== 'unfinished';

const answerOf = (report: UninstallReport, { complete }: { complete: boolean }): Answer => ({
  kind: 'Uninstall',
  source: { cluster: report.cluster },
  complete,
  warnings: [],
  result: report,
  names: [],
  text: () => uninstallText(report),
});
