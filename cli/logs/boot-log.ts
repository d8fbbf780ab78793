import { GetCommandInvocationCommand, SendCommandCommand, type SSMClient } from '@aws-sdk/client-ssm';
import { callAws, isNamed } from '../cluster/aws-problems.ts';
import { fail } from '../errors.ts';

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
