import { deploy } from './lab/aws/deploy.ts';
import { sendHints } from './lab/aws/send-hints.ts';
import { CLUSTER, type Lab } from './lab/start-lab.ts';
import { waitUntil } from './lab/wait-until.ts';
import { nodeClassFor } from './packages/lab-objects.ts';
import { NODE_CLASS } from './world.ts';

/** Deploys Mortise and creates the NodeClass that the pools use. */
export async function deployWithNodeClass(lab: Lab, options: Readonly<Record<string, string>> = {}): Promise<void> {
  const { deployment, resources, say } = lab;
  say('cdk bootstrap');
  await deployment.bootstrap();
  await resources.remember('bootstrap');
  say('cdk deploy');
  await deploy(lab, options);
  await applyNodeClass(lab);
}

/** Applies the NodeClass with the node role of the newest stack; each stack has a role of its own. */
export async function applyNodeClass({ deployment, kubectl }: Lab): Promise<void> {
  await kubectl(['apply', '-f', '-'], nodeClassFor(CLUSTER, deployment.output('NodeRoleName')));
}

/**
 * Functions that own the cluster resolve the NodeClass within seconds. On a loaded machine the first
 * hint may be lost, because the intake starts while the API server and SQS hardly answer: it is sent
 * again.
 */
export async function waitForNodeClass({ kubectl, say, cloud }: Lab): Promise<void> {
  const isReady = ['wait', `ec2nodeclass/${NODE_CLASS}`, '--for=condition=Ready', '--timeout=30s'];
  await waitUntil(
    'the NodeClass',
    async () => {
      try {
        return await kubectl(isReady);
      } catch (error) {
        await sendHints(cloud, [{ topic: 'class' }]);
        throw error;
      }
    },
    { timeoutMs: 180_000 },
  );
  say('the NodeClass is ready');
}
