import { EC2Client } from '@aws-sdk/client-ec2';
import { SSMClient } from '@aws-sdk/client-ssm';
import { type Answer, wholeAnswer } from '../answer.ts';
import { toClientSettings } from '../cluster/aws-flags.ts';
import { callCluster } from '../cluster/kubernetes-problems.ts';
import { type ClusterChoice, reachCluster } from '../cluster/reach-cluster.ts';
import { findRecord } from '../describe/claim-records.ts';
import { listClaims } from '../describe/live-claim.ts';
import type { NodeLog, NodeLogPart } from '../documents/node-log.ts';
import { CliError, fail } from '../errors.ts';
import type { Invocation } from '../invocation.ts';
import { nodeLogText } from '../render/node-log.ts';
import { pause } from '../signals.ts';
import { readBootLog } from './boot-log.ts';
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
