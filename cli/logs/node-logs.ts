import { EC2Client } from '@aws-sdk/client-ec2';
import { GetCommandInvocationCommand, SendCommandCommand, SSMClient } from '@aws-sdk/client-ssm';
import { type Answer, wholeAnswer } from '../answer.ts';
import { toClientSettings } from '../cluster/aws-flags.ts';
import { callAws, isNamed } from '../cluster/aws-problems.ts';
import { callCluster } from '../cluster/kubernetes-problems.ts';
import { listClaims } from '../cluster/live-objects.ts';
import { type ClusterChoice, reachCluster } from '../cluster/reach-cluster.ts';
import { findRecord } from '../describe/claim-records.ts';
import type { NodeLog, NodeLogPart } from '../documents/node-log.ts';
import { CliError, fail } from '../errors.ts';
import type { Invocation } from '../invocation.ts';
import { nodeLogText } from '../render/node-log.ts';
import { pause } from '../signals.ts';
import { findBootProblem, readConsole } from './console-output.ts';

export interface NodeLogsRequest extends ClusterChoice {
  /** A node, a NodeClaim, or the id of an instance. */
  readonly name: string;
  /** True runs a command on the instance, which reads its journal. */
  readonly bootLog: boolean;
  readonly timeoutMs: number;
}

const clock = { now: () => Date.now() };

/**
 * Shows the console of an instance, also of one that has not joined, and its boot log if that was asked for.
 *
 * @throws CliError - `not-found`; those of `reachCluster` and `callAws`
 */
export async function nodeLogs(request: NodeLogsRequest, { io, progress, stop }: Invocation): Promise<Answer> {
  progress.report('reaching the cluster');
  const { api, where, server } = await reachCluster(request, { clock, env: io.env });
  const settings = toClientSettings({ ...request, region: server.region });
  const target = INSTANCE_ID.test(request.name)
    ? { instance: request.name }
    : await callCluster(where, () => findInstance(request, { api, where, server }));
  progress.report('reading the console of the instance');
  const parts: NodeLogPart[] = [
    await readPart('console', () => readConsole(new EC2Client(settings), target.instance)),
    ...(request.bootLog
      ? [
          await readPart('boot-log', () =>
            readBootLog(new SSMClient(settings), target.instance, {
              ...{ pause: (ms) => pause(ms, stop), timeoutMs: request.timeoutMs, now: clock.now },
            }),
          ),
        ]
      : []),
  ];
  progress.end();
  const texts = parts.flatMap(({ text }) => text ?? []);
  const finding = texts.map(findBootProblem).find((one) => one !== undefined);
  const result: NodeLog = { ...target, parts, ...(finding !== undefined && { finding }) };
  return wholeAnswer({
    kind: 'NodeLog',
    source: { cluster: server.cluster },
    complete: parts.every(({ why }) => why === undefined),
    warnings: parts.flatMap(({ from, why }) => (why === undefined ? [] : [`${from}: ${why}`])),
    result,
    names: [`instance/${target.instance}`],
    text: () => nodeLogText(result),
  });
}

const INSTANCE_ID = /^i-[0-9a-f]{8,17}$/;

/** Accepts the first label of a node's name, as `explain` does. */
async function findInstance(
  request: NodeLogsRequest,
  { api, where, server }: Pick<Awaited<ReturnType<typeof reachCluster>>, 'api' | 'where' | 'server'>,
): Promise<Pick<NodeLog, 'instance' | 'nodeClaim' | 'node'>> {
  const { name } = request;
  const claim = (await listClaims(api)).find(
    (one) => one.name === name || one.nodeName === name || one.nodeName?.startsWith(`${name}.`),
  );
  const { record } = claim ? {} : await findRecord(request, server, name);
  const providerId = claim?.providerId ?? record?.launch?.providerId;
  const instance = providerId?.split('/').at(-1);
  const node = claim?.nodeName ?? record?.nodeName;
  if (instance !== undefined) {
    return { instance, nodeClaim: claim?.name ?? name, ...(node !== undefined && { node }) };
  }
  throw fail({
    code: 'not-found',
    what: claim ? `NodeClaim ${claim.name} has no instance yet` : `no node or NodeClaim ${name}`,
    where,
    fix: claim ? `mortise describe nodeclaim ${claim.name}` : 'kubectl get nodeclaims',
  });
}

/** The other part is shown although one cannot be read. */
async function readPart(from: NodeLogPart['from'], read: () => Promise<string | undefined>): Promise<NodeLogPart> {
  try {
    const text = await read();
    return { from, ...(text !== undefined && { text }) };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const [problem] = error.problems;
    return { from, why: [problem?.what, problem?.why].filter(Boolean).join(': ') };
  }
}

/** The units of the AMIs of EKS that make an instance a node; AL2 has cloud-init only. */
const COMMAND =
  'journalctl --no-pager --boot --lines 300 -u nodeadm-config -u nodeadm-run -u cloud-final -u kubelet -u containerd';
const LOOK_EVERY_MS = 1_000;
const UNFINISHED: ReadonlySet<string> = new Set(['Pending', 'InProgress', 'Delayed']);

interface BootLogOptions {
  readonly pause: (ms: number) => Promise<unknown>;
  readonly timeoutMs: number;
  readonly now: () => number;
}

/**
 * Runs `journalctl` on the instance through SSM. It needs the agent, which a node without a route to SSM does
 * not reach.
 *
 * @throws CliError - those of `callAws`; `not-found`: SSM does not know the instance; `aws-unreachable`: it
 *   does not answer in time
 * @see https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_SendCommand.html
 */
export async function readBootLog(
  ssm: Pick<SSMClient, 'send'>,
  instance: string,
  { pause, timeoutMs, now }: BootLogOptions,
): Promise<string> {
  const where = `SSM, ${instance}`;
  const sent = await callAws(
    where,
    () =>
      ssm.send(
        new SendCommandCommand({
          InstanceIds: [instance],
          DocumentName: 'AWS-RunShellScript',
          Parameters: { commands: [COMMAND] },
        }),
      ),
    {
      answer: (error) => (isNamed(error, 'InvalidInstanceId') ? { Command: undefined } : undefined),
    },
  );
  const CommandId = sent.Command?.CommandId;
  if (CommandId === undefined) {
    throw fail({
      ...{ code: 'not-found', what: 'SSM does not know the instance', where },
      why: 'its agent has not registered: no route to SSM, or no AmazonSSMManagedInstanceCore in the role',
    });
  }
  const end = now() + timeoutMs;
  while (now() < end) {
    await pause(LOOK_EVERY_MS);
    const invocation = await callAws(
      where,
      () => ssm.send(new GetCommandInvocationCommand({ CommandId, InstanceId: instance })),
      // SSM shows a command after a moment.
      {
        answer: (error) => (isNamed(error, 'InvocationDoesNotExist') ? { Status: undefined } : undefined),
      },
    );
    if (invocation.Status === undefined || UNFINISHED.has(invocation.Status)) continue;
    return 'StandardOutputContent' in invocation ? (invocation.StandardOutputContent ?? '') : '';
  }
  throw fail({
    ...{ code: 'aws-unreachable', what: 'the instance does not answer SSM in time', where },
    fix: '--timeout DURATION',
  });
}
