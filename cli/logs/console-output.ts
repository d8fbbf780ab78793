import { type EC2Client, GetConsoleOutputCommand } from '@aws-sdk/client-ec2';
import { callAws, isNamed } from '../cluster/aws-problems.ts';

/** A reason, shown by the boot of an instance, why it does not join. */
export type BootFinding = 'no-route' | 'no-access-entry' | 'wrong-ami';

/**
 * Reads the console of an instance. EC2 has the newest output of Nitro instances, and that of the boot for
 * others, some minutes late.
 *
 * @returns undefined if there is no output yet
 * @throws CliError - those of `callAws`
 * @see https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_GetConsoleOutput.html
 */
export async function readConsole(ec2: Pick<EC2Client, 'send'>, InstanceId: string): Promise<string | undefined> {
  const read = (Latest: boolean) => ec2.send(new GetConsoleOutputCommand({ InstanceId, ...(Latest && { Latest }) }));
  const { Output } = await callAws(
    'EC2, console output',
    async () =>
      await read(true).catch((error: unknown) => {
        if (error instanceof Error && isNamed(error, 'UnsupportedOperation')) return read(false);
        throw error;
      }),
  );
  const text = Output === undefined ? '' : Buffer.from(Output, 'base64').toString().trim();
  return text === '' ? undefined : text;
}

/** The first match counts: a kubelet that has no route never hears that it is not authorized. */
const SIGNS: readonly (readonly [BootFinding, RegExp])[] = [
  ['no-access-entry', /(?:kubelet|nodeadm|bootstrap).*(?:Unauthorized|401|must be logged in)/i],
  [
    'no-route',
    /(?:kubelet|nodeadm|bootstrap|eks\.amazonaws\.com).*(?:i\/o timeout|connection refused|no route to host|network is unreachable|context deadline exceeded|no such host|Client\.Timeout)/i,
  ],
];

/** Programs that make an instance a node: of AL2023, AL2, Bottlerocket and Windows. */
const BOOTSTRAP = /nodeadm|kubelet|bootstrap\.sh|bottlerocket|EKS-StartupTask|Start-EKSBootstrap/i;

/** Finds the cause in a console; undefined if it shows none. */
export function findBootProblem(console: string): BootFinding | undefined {
  const sign = SIGNS.find(([, pattern]) => console.split('\n').some((line) => pattern.test(line)));
  if (sign) return sign[0];
  // The kernel has started other programs by then.
  return /login:|reached target|Welcome to/i.test(console) && !BOOTSTRAP.test(console) ? 'wrong-ami' : undefined;
}

const TAIL_LINES = 5;

/** The last lines, for a message. */
export const tailOf = (console: string): string => console.split('\n').slice(-TAIL_LINES).join(' | ');
