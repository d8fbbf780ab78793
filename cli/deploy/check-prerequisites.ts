import type { Cluster } from '@aws-sdk/client-eks';
import { DescribeClusterCommand, type EKSClient } from '@aws-sdk/client-eks';
import { GetParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';
import { callAws, isNamed } from '../cluster/aws-problems.ts';
import {
  enableAccessEntries,
  isTooOld,
  MIN_MINOR_VERSION,
} from '../cluster/cluster-requirements.ts';
import { type CliError, fail, type KnownProblem } from '../errors.ts';

/** A check that could not be made does not stop the deployment. */
export interface PrerequisiteReport {
  readonly problems: readonly KnownProblem[];
  /** Sentences about what could not be checked. */
  readonly unchecked: readonly string[];
  readonly region: string;
}

export interface CheckClients {
  readonly eks: EKSClient;
  readonly ssm: SSMClient;
}

/** Limit for all checks together: a deployment takes minutes, and its mistakes show at once. */
const TIME_LIMIT_MS = 2_000;
/** The bootstrap stack that `aws-cdk-lib` requires for assets in files. */
const MIN_BOOTSTRAP_VERSION = 6;
const BOOTSTRAP_PARAMETER = '/cdk-bootstrap/hnb659fds/version';

/**
 * Checks within two seconds what would stop a deployment after minutes.
 *
 * @throws CliError - those of `callAws`; `aws-unreachable`: no answer in time
 */
export async function checkPrerequisites(
  cluster: string,
  { eks, ssm }: CheckClients,
  timeLimitMs = TIME_LIMIT_MS,
): Promise<PrerequisiteReport> {
  const abortSignal = AbortSignal.timeout(timeLimitMs);
  const region = await inTime(
    callAws('AWS credentials', async () => {
      await eks.config.credentials();
      return await eks.config.region();
    }),
    { signal: abortSignal, timeLimitMs },
  );
  const [ofCluster, ofBootstrap] = await inTime(
    Promise.all([
      readOrSkip(`EKS cluster ${cluster}`, ['eks:DescribeCluster'], async () => {
        const command = new DescribeClusterCommand({ name: cluster });
        const answer = await eks.send(command, { abortSignal });
        return answer.cluster;
      }),
      readOrSkip('bootstrap of the CDK', ['ssm:GetParameter'], async () => {
        const command = new GetParameterCommand({ Name: BOOTSTRAP_PARAMETER });
        const answer = await ssm.send(command, { abortSignal });
        return answer.Parameter?.Value;
      }),
    ]),
    { signal: abortSignal, timeLimitMs },
  );
  const results = [ofCluster, ofBootstrap];
  return {
    region,
    problems: [
      ...('read' in ofCluster ? findClusterProblems(cluster, region, ofCluster.read) : []),
      ...('read' in ofBootstrap ? findBootstrapProblems(region, ofBootstrap.read) : []),
    ],
    unchecked: results.flatMap((result) => ('skipped' in result ? [result.skipped] : [])),
  };
}

/**
 * The SDK ends some waits (for instance credentials, for example) only after many seconds.
 *
 * @throws CliError - `aws-unreachable`
 */
async function inTime<T>(
  work: Promise<T>,
  { signal, timeLimitMs }: { readonly signal: AbortSignal; readonly timeLimitMs: number },
): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    const onAbort = (): void => reject(tooLate(timeLimitMs));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
  });
  return await Promise.race([work, late]);
}

const tooLate = (timeLimitMs: number): CliError =>
  fail({
    code: 'aws-unreachable',
    what: `AWS does not answer within ${timeLimitMs / 1_000} s`,
    where: 'checks before the deployment',
    why: 'no credentials, another region, or no network',
    fix: 'aws sts get-caller-identity shows which; or --profile NAME, --region NAME',
  });

type Read<T> = { readonly read: T | undefined } | { readonly skipped: string };

/** The roles of the CDK deploy, so the caller may have no other right than to assume them. */
const readOrSkip = <T>(
  where: string,
  actions: readonly string[],
  ask: () => Promise<T | undefined>,
): Promise<Read<T>> =>
  callAws<Read<T>, Read<T>>(where, async () => ({ read: await ask() }), {
    answer: (error) => {
      if (isNamed(error, 'ResourceNotFoundException', 'ParameterNotFound')) {
        return { read: undefined };
      }
      return isNamed(error, 'AccessDeniedException')
        ? { skipped: `${where} not checked: ${actions.join(', ')} is not allowed` }
        : undefined;
    },
  });

function findClusterProblems(
  name: string,
  region: string,
  cluster: Cluster | undefined,
): readonly KnownProblem[] {
  if (cluster === undefined) {
    const fix = 'check --cluster, --region and --profile';
    return [{ code: 'not-found', what: `no EKS cluster ${name}`, where: region, fix }];
  }
  const where = `EKS cluster ${name}, ${region}`;
  const problem = (what: string, why: string, fix: string): KnownProblem => ({
    ...{ code: 'prerequisite-missing', what, where, why, fix },
  });
  const { status, version = '', accessConfig } = cluster;
  return [
    ...(status === undefined || status === 'ACTIVE' || status === 'UPDATING'
      ? []
      : [problem(`the cluster is ${status}`, 'its API server cannot be set up', 'wait')]),
    ...(accessConfig?.authenticationMode === 'CONFIG_MAP'
      ? [
          problem(
            'the cluster has no access entries',
            'its authentication mode is CONFIG_MAP',
            enableAccessEntries(name),
          ),
        ]
      : []),
    ...(isTooOld(version)
      ? [
          problem(
            `Kubernetes ${version} is too old`,
            'the webhooks use CEL match conditions',
            `upgrade to 1.${MIN_MINOR_VERSION} or newer`,
          ),
        ]
      : []),
  ];
}

function findBootstrapProblems(
  region: string,
  version: string | undefined,
): readonly KnownProblem[] {
  if (version !== undefined && Number(version) >= MIN_BOOTSTRAP_VERSION) return [];
  return [
    {
      code: 'prerequisite-missing',
      what:
        version === undefined
          ? 'the account is not bootstrapped for the CDK'
          : `version ${version} of the CDK bootstrap is too old`,
      where: `${region}, SSM parameter ${BOOTSTRAP_PARAMETER}`,
      why: 'the CDK uploads the code of the functions to a bucket of its bootstrap stack',
      fix: `npx cdk bootstrap aws://<account>/${region}, once per account and region`,
    },
  ];
}
