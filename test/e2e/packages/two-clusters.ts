import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import packageJson from '../../../package.json' with { type: 'json' };
import { type ControlPlane, startControlPlane } from '../lab/kubernetes/control-plane.ts';
import { findControlPlane } from '../lab/kubernetes/control-plane-binary.ts';
import { createKubectl } from '../lab/kubernetes/kubectl.ts';
import { CLUSTER, type Lab } from '../lab/start-lab.ts';
import { waitUntil } from '../lab/wait-until.ts';
import { expect, type Measures } from '../scenario.ts';
import type { Installation } from './install.ts';
import { settingsOf } from './lab-objects.ts';

/** As a user writes it; the values in `settings` replace what the local AWS cannot answer. */
const APP = `
import { readFileSync } from 'node:fs';
import { App, Stack } from 'aws-cdk-lib';
import { Mortise } from '${packageJson.name}/cdk';

const { shop, games } = JSON.parse(readFileSync(new URL('settings.json', import.meta.url), 'utf8'));
const stack = new Stack(new App(), 'Platform');
new Mortise(stack, 'Shop', { intakeConcurrency: 'none', ...shop });
new Mortise(stack, 'Games', { intakeConcurrency: 'none', ...games });
`;
const GAMES = 'games';

/** A CDK app of its own with two clusters, each with an API server of its own. */
export async function checkTwoClusters(lab: Lab, { folder, cdk }: Installation): Promise<Measures> {
  const games = await startSecondCluster(lab);
  const { hookAddress: address, hookCertificateAuthority: authority = '' } = settingsOf(lab);
  const settings = {
    shop: {
      cluster: CLUSTER,
      apiServer: apiServerOf(lab.controlPlane),
      eventSource: 'hook',
      hook: { address, certificateAuthority: authority },
    },
    games: { cluster: GAMES, apiServer: apiServerOf(games), eventSource: 'poll' },
  };
  writeFileSync(join(folder, 'app.mjs'), APP);
  writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings));
  const app = ['Platform', '--app', 'node app.mjs'];

  const start = Date.now();
  await cdk('deploy', ...app, '--require-approval', 'never');
  const deployMs = Date.now() - start;
  const kubectls = [lab.controlPlane, games].map(({ kubectl, kubeconfig }) => createKubectl(kubectl, kubeconfig));
  for (const kubectl of kubectls) {
    await kubectl(['get', 'crd', 'nodepools.karpenter.sh', 'nodeclaims.karpenter.sh']);
    await kubectl(['get', 'clusterrole', 'mortise-sweep']);
    // The functions of each stack hold the lease of their own cluster.
    await waitUntil('an owner', async () => (await kubectl(['get', 'lease', '-A', '-o', 'name'])).includes('mortise'), {
      timeoutMs: 150_000,
    });
  }
  const { TableNames = [] } = await lab.cloud.dynamo.send(new ListTablesCommand({}));
  const tables = TableNames.filter((name) => name.startsWith('Platform-'));
  expect(tables.length === 2, `two clusters have the tables ${tables.join()}`);
  await cdk('destroy', ...app, '--force');
  return { deployMs };
}

async function startSecondCluster({ folder, programs, tokens, say }: Lab): Promise<ControlPlane> {
  const own = join(folder, GAMES);
  mkdirSync(own);
  return await startControlPlane({
    programs,
    findPart: await findControlPlane(say),
    folder: own,
    tokenReviewUrl: tokens.url,
    withoutControllers: true,
  });
}

const apiServerOf = ({ url, certificateAuthority }: ControlPlane): object => ({
  endpoint: url,
  certificateAuthority: Buffer.from(certificateAuthority).toString('base64'),
});
