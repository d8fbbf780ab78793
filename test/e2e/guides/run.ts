import { inspect, parseArgs } from 'node:util';
import { intakeUrl } from '../lab/aws/deploy.ts';
import { startProgress } from '../lab/progress.ts';
import { installPython } from '../lab/python-tools.ts';
import { PATH } from '../lab/repository.ts';
import { type Lab, startLab } from '../lab/start-lab.ts';
import { installInLab } from '../packages/install-in-lab.ts';
import type { Measures } from '../scenario.ts';
import { clusterAutoscalerSurroundings } from './cluster-autoscaler.ts';
import { newClusterSurroundings } from './getting-started.ts';
import { karpenterSurroundings } from './karpenter.ts';
import type { GuideName } from './lab-differences.ts';
import { runGuide } from './run-guide.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * `npm run e2e:guides`: the commands of the guides, as their readers copy them, with the packed
 * `mortise`, on a real control plane and a local AWS. Options: `--only <guide>` (repeatable).
 */
const SURROUNDINGS: Readonly<Record<GuideName, (lab: Lab, folder: string) => Surroundings>> = {
  'getting-started': newClusterSurroundings,
  'from-cluster-autoscaler': clusterAutoscalerSurroundings,
  'from-karpenter': karpenterSurroundings,
};
const { values: flags } = parseArgs({ options: { only: { type: 'string', multiple: true } } });

const say = startProgress();

const lab = await startLab(say);
const failures: string[] = [];
const measured: Record<string, Measures> = {};
try {
  const awsCli = await installPython('requirements-aws-cli.txt');
  const { installation: from, end } = await installInLab(lab);
  const environment = {
    ...from.environment,
    KUBECONFIG: lab.controlPlane.kubeconfig,
    PATH: `${awsCli}:${PATH}`,
  };
  for (const [name, surround] of Object.entries(SURROUNDINGS)) {
    if (flags.only !== undefined && !flags.only.includes(name)) continue;
    // Each guide deploys a stack of its own.
    lab.hooks.find(() => intakeUrl(lab.cloud));
    const surroundings = surround(lab, from.folder);
    measured[name] = await runGuide({ lab, from, environment }, name as GuideName, surroundings);
  }
  await end();
} catch (error) {
  failures.push(inspect(error));
  say(lab.tails());
  say(await lab.kubectl(['get', 'events', '-A', '--sort-by=.lastTimestamp']));
}
process.stdout.write(`${JSON.stringify({ measured, failures }, undefined, 2)}\n`);
await lab.end();
process.exit(failures.length === 0 ? 0 : 1);
