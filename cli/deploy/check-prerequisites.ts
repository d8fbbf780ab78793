import { EKSClient } from '@aws-sdk/client-eks';
import { stackName } from '../../infra/stack-name.ts';
import { type CheckSources, createCheckSources } from '../checks/check-sources.ts';
import { inTime, runChecks } from '../checks/run-checks.ts';
import { type AwsFlags, toClientSettings } from '../cluster/aws-flags.ts';
import { callAws, isNamed } from '../cluster/aws-problems.ts';
import { CliError, fail, type KnownProblem } from '../errors.ts';
import type { Invocation } from '../invocation.ts';

interface PrerequisiteRequest extends AwsFlags {
  readonly cluster: string;
  readonly options: Readonly<Record<string, string>>;
}

/** Credentials and the cluster: the SDK ends some waits only after many seconds. */
const TIME_LIMIT_MS = 4_000;

/**
 * Checks within seconds what would stop a deployment after minutes. Warnings and what could not be checked
 * are notes.
 *
 * @returns the region
 * @throws CliError - all findings that stop a deployment; `not-found`: no cluster; those of `callAws`
 */
export async function checkPrerequisites(
  request: PrerequisiteRequest,
  { io, note, detail }: Pick<Invocation, 'io' | 'note' | 'detail'>,
): Promise<string> {
  const settings = { ...toClientSettings(request), maxAttempts: 1 };
  const eks = new EKSClient(settings);
  const region = await inTime(
    callAws('AWS credentials', async () => {
      await eks.config.credentials();
      return await eks.config.region();
    }),
    TIME_LIMIT_MS,
    UNREACHABLE,
  );
  const { cluster } = request;
  const sources = createCheckSources({
    ...{ cluster, region, settings, env: io.env, stage: 'before' },
    stackName: stackName(cluster),
    options: readCheckedOptions(request.options),
  });
  await checkSources(sources, { note, detail });
  return region;
}

/**
 * @throws CliError - all findings that stop a deployment; `not-found`: no cluster; those of `callAws`
 */
export async function checkSources(
  sources: CheckSources,
  { note, detail }: Pick<Invocation, 'note' | 'detail'>,
  timeLimitMs = TIME_LIMIT_MS,
): Promise<void> {
  const { cluster, region } = sources;
  // Wrong credentials would make every check unknown.
  const isThere = await inTime(
    callAws('EKS', async () => (await sources.readCluster()) !== undefined, {
      // The roles of the CDK deploy, so the caller may have no other right than to assume them.
      answer: (error) => (isNamed(error, 'AccessDeniedException') ? true : undefined),
    }),
    timeLimitMs,
    UNREACHABLE,
  );
  if (!isThere) {
    const fix = 'check --cluster, --region and --profile';
    throw fail({ code: 'not-found', what: `no EKS cluster ${cluster}`, where: region, fix });
  }
  const problems: KnownProblem[] = [];
  for (const { id, status, evidence, fix } of await runChecks(sources)) {
    if (status === 'ok') detail(`ok ${id}: ${evidence}`);
    else if (status === 'unknown') note(`warning: ${evidence}`);
    else if (status === 'warn') note(`warning: ${evidence}; ${fix}`);
    else {
      const where = `check ${id}, ${region}`;
      problems.push({
        ...{ code: 'prerequisite-missing', what: evidence, where },
        ...(fix !== undefined && { fix }),
      });
    }
  }
  if (problems.length > 0) throw new CliError(problems);
}

/** The concurrency that the intake reserves by default (infra/options). */
const INTAKE_CONCURRENCY = 10;

function readCheckedOptions(options: PrerequisiteRequest['options']): CheckSources['options'] {
  const list = (...names: readonly string[]): readonly string[] =>
    names.flatMap((name) => options[name]?.split(',').map((part) => part.trim()) ?? []);
  const { intakeConcurrency, eventSource } = options;
  const hasIntake = eventSource === undefined || eventSource === 'auto' || eventSource === 'hook';
  const reserved = Number(intakeConcurrency ?? INTAKE_CONCURRENCY);
  return {
    functionSubnets: list('functionSubnets'),
    nodeRoles: list('nodeRoles', 'windowsNodeRoles'),
    keys: list('kmsKeyArn'),
    volumeKeys: list('volumeKeys'),
    intakeConcurrency: hasIntake && Number.isFinite(reserved) ? reserved : 0,
  };
}

const UNREACHABLE = {
  where: 'checks before the deployment',
  why: 'no credentials, another region, or no network',
  fix: 'aws sts get-caller-identity shows which; or --profile NAME, --region NAME',
} as const;
