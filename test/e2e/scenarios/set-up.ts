import { InvokeCommand, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import type { Lab } from '../lab/start-lab.ts';
import { waitUntil } from '../lab/wait-until.ts';
import { expect, type Scenario } from '../scenario.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const SWEEP_ROLE = `${RBAC}/clusterroles/mortise-sweep`;
const POLL_BINDING = `${RBAC}/clusterrolebindings/mortise-poll`;
const HOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/mortise';

export const setUpWithoutAdministrator: Scenario = {
  name: 'no function is an administrator after the deployment, and what is deleted comes back',
  id: 'set-up',
  async run(lab) {
    expect((await lab.access.administrators()).length === 0, 'a role is still an administrator');
    const start = Date.now();
    for (const path of [SWEEP_ROLE, POLL_BINDING, HOOKS]) await lab.kube.remove(path);
    await invoke(lab, 'ClusterSetup', { action: 'repair' });
    await invoke(lab, 'WebhookControl', { action: 'keep' });
    for (const path of [SWEEP_ROLE, POLL_BINDING, HOOKS])
      await waitUntil(`${path} again`, async () => {
        return lab.kube.get(path).then(
          () => true,
          () => false,
        );
      });
    return { repairedMs: Date.now() - start };
  },
};

async function invoke({ cloud }: Lab, name: string, payload: object): Promise<void> {
  const { Functions = [] } = await cloud.lambda.send(new ListFunctionsCommand({}));
  const fn = Functions.find(({ FunctionName = '' }) => FunctionName.includes(`-${name}Function`));
  const { FunctionError, Payload } = await cloud.lambda.send(
    new InvokeCommand({
      FunctionName: fn?.FunctionName ?? '',
      Payload: Buffer.from(JSON.stringify(payload)),
    }),
  );
  expect(FunctionError === undefined, `${name}: ${Buffer.from(Payload ?? []).toString()}`);
}
