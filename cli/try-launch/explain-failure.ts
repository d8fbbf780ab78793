import * as z from 'zod';
import { withoutUndefined } from '../../shared/model/without-undefined.ts';
import type { Answer } from '../answer.ts';
import type { ClusterChoice } from '../cluster/reach-cluster.ts';
import type { Check } from '../documents/doctor.ts';
import type { LaunchPhase, TryLaunchReport } from '../documents/try-launch.ts';
import { CliError } from '../errors.ts';
import type { Invocation } from '../invocation.ts';
import { terminalOf } from '../terminal/terminal.ts';
import { diagnose, readConsoleOf } from './diagnose.ts';
import type { PhaseTimes } from './launch-progress.ts';
import type { LaunchSources, Observation } from './observe-launch.ts';
import type { TestPod } from './test-pod.ts';

/** A launch as far as it was followed. */
export interface Followed {
  readonly times: PhaseTimes;
  readonly observed?: Observation;
  /** The phase that was not reached. */
  readonly stuckAt?: LaunchPhase;
}

/** Asks doctor, explain and the console of the instance. What one of them cannot say is left out. */
export async function explainFailure(
  request: ClusterChoice,
  pod: TestPod,
  { sources, followed }: { readonly sources: LaunchSources; readonly followed: Followed },
  invocation: Invocation,
): Promise<Pick<TryLaunchReport, 'failure' | 'findings'>> {
  const { observed, stuckAt } = followed;
  if (!observed || stuckAt === undefined) return { findings: [] };
  const [findings, explained, console] = await Promise.all([
    findFindings(request, invocation),
    stuckAt === 'decided' ? explainPod(request, pod, invocation) : undefined,
    readConsoleOf(sources.ec2, observed),
  ]);
  const explanation = explained && plainText(explained, invocation.io);
  const failure = diagnose({
    ...{ phase: stuckAt, observed, findings },
    ...withoutUndefined({ explanation, console }),
  });
  return {
    failure,
    findings: findings.map(({ id, status, evidence, fix }) => ({
      ...{ id, status, evidence },
      ...(fix !== undefined && { fix }),
    })),
  };
}

async function findFindings(request: ClusterChoice, invocation: Invocation): Promise<readonly Check[]> {
  const { collectChecks } = await import('../doctor/doctor.ts');
  try {
    const { checks } = await collectChecks(request, invocation);
    return checks.filter(({ status }) => status !== 'ok');
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return [];
  }
}

/** A pool that waits after nodes that did not join, or a plan that was just made, is no refusal. */
export async function isUnderWay(request: ClusterChoice, pod: TestPod, invocation: Invocation): Promise<boolean> {
  const answer = await explainPod(request, pod, invocation);
  return outcomeSchema.safeParse(answer?.result).data?.outcome === 'waiting';
}

const outcomeSchema = z.object({ outcome: z.string() });

async function explainPod(
  request: ClusterChoice,
  { namespace, name }: TestPod,
  invocation: Invocation,
): Promise<Answer | undefined> {
  const { explain } = await import('../explain/explain.ts');
  const subject = { kind: 'pod', name: `${namespace}/${name}` } as const;
  try {
    return await explain({ ...request, subjects: [subject] }, { ...invocation, note: () => undefined });
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return undefined;
  }
}

const plainText = (answer: Answer, { stderr, env }: Invocation['io']): string =>
  answer.text(terminalOf(stderr, env, { color: 'never' }), false);
