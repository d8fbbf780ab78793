import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CRDS } from '../../shared/api/custom-resources/crds.ts';
import { dynamoInstallations } from '../../shared/aws/dynamodb/installations.ts';
import { dynamoTable } from '../../shared/aws/dynamodb/table/dynamo-table.ts';
import { lambdaHookIntake } from '../../shared/aws/hooks/lambda-hook-intake.ts';
import { secretHookTokens } from '../../shared/aws/hooks/secret-hook-tokens.ts';
import type { TokenPorts } from '../../shared/controllers/webhooks/token-rotation.ts';
import { amazonRoots } from '../../shared/kubernetes/setup/amazon-roots.ts';
import { digestPath, hookPath } from '../../shared/kubernetes/setup/hook-url.ts';
import { kubernetesSetup } from '../../shared/kubernetes/setup/kubernetes-setup.ts';
import type { ClusterSetup, Installations } from '../../shared/ports/cluster-setup.ts';
import { DEFAULT_TIMEOUTS, SHORT_TIMEOUTS } from './client-timeouts.ts';
import { functionEksApi } from './function-eks-api.ts';
import type { HookSettings, IntakeSettings } from './hook-settings.ts';
import { systemClock } from './system-clock.ts';

interface HookPorts extends TokenPorts {
  readonly setup: ClusterSetup;
  readonly installations: Installations;
}

/** Creates the ports that all functions need that install or remove webhooks. */
export function hookPortsFrom(
  settings: HookSettings,
  dynamo: DynamoDBClient = new DynamoDBClient(SHORT_TIMEOUTS),
): HookPorts {
  const { cluster, intake } = settings;
  const clock = systemClock;
  const api = functionEksApi(process.env, settings, dynamo);

  return {
    clock,
    sleep,
    setup: kubernetesSetup(
      { api, clock, sleep },
      {
        cluster,
        crds: CRDS,
        ...(intake && {
          intake: {
            address: intake.address,
            certificateAuthorities: intake.authorities ?? amazonRoots(),
          },
        }),
      },
    ),
    ...(intake ? intakePorts(cluster, intake) : NO_INTAKE),
    installations: dynamoInstallations(dynamoTable(dynamo, settings)),
  };
}

type IntakePorts = Pick<TokenPorts, 'tokens' | 'intake'>;

const intakePorts = (cluster: string, { tokenSecret, functionName }: IntakeSettings): IntakePorts => ({
  tokens: secretHookTokens(new SecretsManagerClient(DEFAULT_TIMEOUTS), tokenSecret),
  intake: lambdaHookIntake(new LambdaClient(DEFAULT_TIMEOUTS), {
    name: functionName,
    digestOf: (token) => digestPath(hookPath(cluster, token)),
  }),
});

/** The set-up of such a stack ends webhooks that an earlier one placed, and places none. */
class NoIntakeError extends Error {
  override readonly name = 'NoIntakeError';
}

const noIntake = (): Promise<never> =>
  Promise.reject(new NoIntakeError('the stack was deployed without an intake for webhooks'));

const NO_INTAKE: IntakePorts = {
  tokens: { read: noIntake, propose: noIntake, promote: noIntake },
  intake: { admit: noIntake },
};
