import { GetFunctionUrlConfigCommand, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { CLUSTER, type Lab } from '../start-lab.ts';
import type { CloudClients } from './cloud-clients.ts';

/** The shortest time that the option allows. */
export const DELETED_AFTER_MINUTES = 10;

/**
 * Deploys the stack with `cdk deploy`, which also installs our objects in the cluster.
 *
 * @param options - further options of the stack
 * @param sources - see {@link Deployment.deploy}
 */
export async function deploy(
  lab: Lab,
  options: Readonly<Record<string, string>> = {},
  sources?: string,
): Promise<void> {
  const { controlPlane, deployment, hooks, cloud } = lab;
  const authority = Buffer.from(controlPlane.certificateAuthority).toString('base64');
  hooks.find(() => intakeUrl(cloud));
  const all = {
    cluster: CLUSTER,
    endpoint: controlPlane.url,
    certificateAuthority: authority,
    eventSource: 'hook',
    // The local Lambda has no quota of concurrency.
    intakeConcurrency: 'none',
    deletedClusterAfterMinutes: `${DELETED_AFTER_MINUTES}`,
    hookAddress: `${hooks.url}/`,
    hookCertificateAuthority: authority,
    ...options,
  };
  await deployment.deploy(all, sources);
}

/** Returns the function URL of the event intake. */
export async function intakeUrl({ lambda }: CloudClients): Promise<string> {
  const { Functions = [] } = await lambda.send(new ListFunctionsCommand({}));
  const intake = Functions.find(({ FunctionName }) => FunctionName?.includes('EventIntake'));
  const { FunctionUrl } = await lambda.send(
    new GetFunctionUrlConfigCommand({ FunctionName: intake?.FunctionName ?? '' }),
  );
  if (!FunctionUrl) throw new Error('the intake has no address');
  return FunctionUrl;
}
