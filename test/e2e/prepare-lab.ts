import { deploy } from './lab/aws/deploy.ts';
import { CLUSTER, type Lab } from './lab/start-lab.ts';
import { nodeClassFor } from './packages/lab-objects.ts';
import { NODE_CLASS } from './world.ts';

/** Deploys Mortise and creates the NodeClass that the pools use. */
export async function deployWithNodeClass(
  lab: Lab,
  options: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { deployment, kubectl, say } = lab;
  say('cdk bootstrap');
  await deployment.bootstrap();
  say('cdk deploy');
  await deploy(lab, options);
  say(`left out, for the local CloudFormation does not know them: ${kinds(deployment.leftOut())}`);
  await kubectl(['apply', '-f', '-'], nodeClassFor(CLUSTER, deployment.output('NodeRoleName')));
}

/** Functions that own the cluster resolve the NodeClass within seconds. */
export async function waitForNodeClass({ kubectl, say }: Lab): Promise<void> {
  await kubectl(['wait', `ec2nodeclass/${NODE_CLASS}`, '--for=condition=Ready', '--timeout=60s']);
  say('the NodeClass is ready');
}

const kinds = (leftOut: readonly string[]): string =>
  [...Map.groupBy(leftOut, (one) => one.split(' ')[0] ?? '')]
    .map(([type, all]) => `${all.length} ${type}`)
    .join(', ');
