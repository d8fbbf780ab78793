import { EC2Client } from '@aws-sdk/client-ec2';
import { chooseSource } from '../../infra/options/event-sources.ts';
import { stackName } from '../../infra/stack-name.ts';
import { ec2Instances } from '../../shared/aws/ec2/instances/ec2-instances.ts';
import { type Answer, wholeAnswer } from '../answer.ts';
import { type AwsFlags, toClientSettings } from '../cluster/aws-flags.ts';
import { callAws, isNamed } from '../cluster/aws-problems.ts';
import type { DeploymentReport } from '../documents/deployment.ts';
import { type CliError, EXIT, fail } from '../errors.ts';
import type { Invocation } from '../invocation.ts';
import { isConfirmed } from '../uninstall/confirm.ts';
import { CDK_APP } from './cdk-app.ts';
import { checkPrerequisites } from './check-prerequisites.ts';
import { type CdkProgram, findCdk } from './find-cdk.ts';
import { type CdkOutcome, runCdk } from './run-cdk.ts';

export interface DeployRequest extends AwsFlags {
  readonly cluster: string;
  /** Options of the stack, by name. */
  readonly options: Readonly<Record<string, string>>;
  /** True deploys without asking AWS for what would stop it. */
  readonly skipChecks?: boolean;
}

export interface DestroyRequest extends DeployRequest {
  readonly yes?: string;
  readonly mayAsk: boolean;
  /** True destroys the stack although instances of its NodePools run. */
  readonly keepNodes: boolean;
}

/**
 * Deploys the stack of a cluster after checking what would stop the deployment later.
 *
 * @throws CliError - all missing prerequisites together; `cdk-failed`
 */
export async function deploy(request: DeployRequest, invocation: Invocation): Promise<Answer> {
  const program = await prepare(request, invocation);
  const report = reportOf(request, 'deploy');
  const { printed, outputs } = await call(program, request, 'deploy', invocation);
  const changed = !/\(no changes\)/.test(printed);
  return answerOf({ ...report, changed, outputs });
}

/** Shows what `deploy` would change. @throws CliError - like `deploy` */
export async function diff(
  request: DeployRequest & { readonly exitCode: boolean },
  invocation: Invocation,
): Promise<Answer> {
  const program = await prepare(request, invocation);
  const { printed } = await call(program, request, 'diff', { ...invocation, isQuiet: true });
  const count = /Number of stacks with differences: (\d+)/.exec(printed)?.[1];
  const changed = count !== '0';
  const answer = answerOf({ ...reportOf(request, 'diff'), changed, differences: printed });
  return request.exitCode && changed ? { ...answer, exitCode: EXIT.answerIsNo } : answer;
}

/**
 * Removes the stack after confirmation.
 *
 * @throws CliError - `nodes-running`, `not-confirmed`, `cdk-failed`
 */
export async function destroy(request: DestroyRequest, invocation: Invocation): Promise<Answer> {
  const { cluster } = request;
  const program = requireCdk();
  if (!request.keepNodes) {
    const instances = await listInstances(request, invocation);
    if (instances.length > 0) throw nodesRun(cluster, instances);
  }

  const report = reportOf(request, 'destroy');
  const plan = describeRemoval(report.stack);
  if (!(await isConfirmed({ ...request, plan }, invocation.io))) return answerOf(report);
  await call(program, request, 'destroy', invocation);
  return answerOf({ ...report, changed: true });
}

/** The roles of the CDK remove the stack, so the caller may have no right to list instances. */
const listInstances = (
  { cluster, ...flags }: DestroyRequest,
  { note }: Pick<Invocation, 'note'>,
): Promise<readonly string[]> =>
  callAws<readonly string[], readonly string[]>(
    'EC2',
    async () => {
      const instances = await ec2Instances(new EC2Client(toClientSettings(flags)), cluster).list();
      return instances.map(({ providerId }) => providerId);
    },
    {
      answer: (error) => {
        if (!isNamed(error, 'UnauthorizedOperation')) return undefined;
        note('warning: running nodes not checked: ec2:DescribeInstances is not allowed');
        return [];
      },
    },
  );

async function prepare(request: DeployRequest, invocation: Invocation): Promise<CdkProgram> {
  const program = requireCdk();
  const region = request.skipChecks ? undefined : await checkPrerequisites(request, invocation);
  const why = region === undefined ? undefined : findSourceReason(request.options, region);
  if (why !== undefined) invocation.note(why);
  return program;
}

/** Explains an event source that the region decides. */
export function findSourceReason(
  { eventSource, hookAddress, hookVpcEndpoint }: DeployRequest['options'],
  region: string,
): string | undefined {
  if (eventSource !== undefined && eventSource !== 'auto') return undefined;
  const hasOwnAddress = hookAddress !== undefined || hookVpcEndpoint !== undefined;
  return chooseSource({ eventSource: 'auto', hasOwnAddress, region })?.eventSourceReason;
}

function requireCdk(): CdkProgram {
  const program = findCdk(CDK_APP);
  if ('code' in program) throw fail(program);
  return program;
}

type Context = Pick<Invocation, 'io' | 'stop'> & { readonly isQuiet?: boolean };

/** Only the CDK knows how far it got, so what it prints is shown as it is. */
async function call(
  program: CdkProgram,
  request: DeployRequest,
  verb: 'deploy' | 'diff' | 'destroy',
  { io, stop, isQuiet = false }: Context,
): Promise<CdkOutcome> {
  const { cluster, options } = request;
  const stack = stackName(cluster);
  const outcome = await runCdk(
    program,
    { ...request, verb, stack, options: { ...options, cluster } },
    { io, stop, ...(!isQuiet && { onText: (text: string) => void io.stderr.write(text) }) },
  );
  if (outcome.exitCode === 0) return outcome;
  if (isQuiet) io.stderr.write(outcome.printed);
  throw fail({
    code: 'cdk-failed',
    what: `cdk ${verb} failed`,
    where: `stack ${stack}`,
    why: 'the lines above are those of the CDK',
    fix: 'correct the cause, and run the command again',
  });
}

const nodesRun = (cluster: string, instances: readonly string[]): CliError =>
  fail({
    code: 'nodes-running',
    what: `${instances.length} instances of Mortise run`,
    where: `EKS cluster ${cluster}: ${instances.slice(0, 3).join(', ')}`,
    why: 'without the stack, they run until you terminate them, and keep their node role',
    fix: `mortise uninstall --cluster ${cluster}, or --keep-nodes`,
  });

const reportOf = ({ cluster }: DeployRequest, action: DeploymentReport['action']): DeploymentReport => ({
  ...{ cluster, stack: stackName(cluster), action, changed: false, outputs: {} },
});

const answerOf = (report: DeploymentReport): Answer =>
  wholeAnswer({
    kind: 'Deployment',
    source: { cluster: report.cluster },
    result: report,
    names: [`stack/${report.stack}`],
    text: () => textOf(report),
  });

const describeRemoval = (stack: string): string => `to remove: stack ${stack}; its table and bucket stay\n`;

/** Outputs that a person needs next, with their use. */
const SHOWN_OUTPUTS = {
  NodeRoleName: 'node role     %, spec.role of your EC2NodeClasses',
  EventSource: 'event source  %',
  EventSourceWhy: '              %',
} as const;

/** Mortise does not give itself the right to change pods. */
const RANK_PODS =
  'optional: with the right to patch pods, in all namespaces or some, nodes become empty with fewer evictions (docs/operations.md)';

function textOf({ action, cluster, stack, changed, outputs, differences }: DeploymentReport) {
  if (action === 'diff') return differences ?? '';
  if (action === 'destroy') {
    return changed
      ? `removed ${stack}; its table and bucket stay\n`
      : `${describeRemoval(stack)}nothing was changed; --yes ${cluster} does it\n`;
  }
  const shown = Object.entries(SHOWN_OUTPUTS).flatMap(([name, line]) => {
    const value = Object.entries(outputs).find(([key]) => key.endsWith(name))?.[1];
    return value ? [`  ${line.replace('%', () => value)}`] : [];
  });
  const head = changed ? `deployed ${stack}` : `${stack} is up to date`;
  return [head, ...shown, 'next: apply NodePools and EC2NodeClasses', RANK_PODS, ''].join('\n');
}
