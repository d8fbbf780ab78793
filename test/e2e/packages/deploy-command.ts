import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { textAt, valueAt } from '../lab/json.ts';
import { CLUSTER, type Lab } from '../lab/start-lab.ts';
import { expect, type Measures } from '../scenario.ts';
import type { Installation } from './install.ts';
import { settingsOf } from './lab-objects.ts';
import { runPod } from './run-pod.ts';

/**
 * `mortise deploy`, `diff`, `uninstall` and `destroy` from the tarball: a pod gets a node in between.
 */
export async function checkDeployCommand(lab: Lab, { mortise }: Installation): Promise<Measures> {
  const settings = Object.entries(settingsOf(lab)).flatMap(([name, value]) => [...['--set', `${name}=${value}`]]);
  const flags = ['--cluster', CLUSTER, ...settings, '-o', 'json'];

  const start = Date.now();
  const deployed: unknown = JSON.parse(await mortise('deploy', ...flags));
  const deployMs = Date.now() - start;
  expect(valueAt(deployed, 'result', 'changed') === true, 'nothing was deployed');
  const role = textAt(deployed, 'result', 'outputs', 'NodeRoleName');
  expect(role !== '', 'the deployment does not name the role of the nodes');

  const compared: unknown = JSON.parse(await mortise('diff', ...flags, '--exit-code'));
  const differences = textAt(compared, 'result', 'differences');
  expect(valueAt(compared, 'result', 'changed') === false, `there are differences: ${differences}`);

  const { world, podRunningMs } = await runPod(lab, { id: 'packaged', role });

  const refused = await mortise('destroy', ...flags, '--yes', CLUSTER).catch(String);
  expect(refused.includes('nodes-running'), `destroy left a node without its stack: ${refused}`);
  await mortise('uninstall', '--cluster', CLUSTER, '--yes', CLUSTER, '--crds');
  // The CRDs are gone, so that no NodeClaim can be listed.
  const remaining = [...(await world.instances()), ...(await world.nodes())];
  expect(remaining.length === 0, `uninstall did not remove ${remaining.join(', ')}`);
  const removed: unknown = JSON.parse(await mortise('destroy', ...flags, '--yes', CLUSTER));
  expect(valueAt(removed, 'result', 'changed') === true, 'the stack was not removed');
  const name = textAt(removed, 'result', 'stack');
  const stack = await lab.cloud.cloudFormation
    .send(new DescribeStacksCommand({ StackName: name }))
    .catch(() => undefined);
  const status = stack?.Stacks?.[0]?.StackStatus ?? 'DELETE_COMPLETE';
  expect(status === 'DELETE_COMPLETE', `${name} is ${status}`);
  return { deployMs, podRunningMs };
}
