import { inspect, parseArgs } from 'node:util';
import { intakeUrl } from '../lab/aws/deploy.ts';
import { startProgress } from '../lab/progress.ts';
import { type Lab, startLab } from '../lab/start-lab.ts';
import type { Measures } from '../scenario.ts';
import { checkChart } from './chart.ts';
import { checkDeployCommand } from './deploy-command.ts';
import { checkDoctor } from './doctor.ts';
import type { Installation } from './install.ts';
import { installInLab } from './install-in-lab.ts';
import { checkOldestNode } from './oldest-node.ts';
import { checkTemplate } from './template.ts';
import { checkTwoClusters } from './two-clusters.ts';

/**
 * `npm run e2e:packages`: what users install, from the tarball alone in an empty folder, against a
 * real control plane and a local AWS. Options: `--only <name>` (repeatable).
 */
const CHECKS: Readonly<Record<string, (lab: Lab, from: Installation) => Promise<Measures>>> = {
  'oldest-node': checkOldestNode,
  'deploy-command': checkDeployCommand,
  template: checkTemplate,
  doctor: checkDoctor,
  chart: checkChart,
  'two-clusters': checkTwoClusters,
};
const { values: flags } = parseArgs({ options: { only: { type: 'string', multiple: true } } });

const say = startProgress();

const lab = await startLab(say);
const failures: string[] = [];
const measured: Record<string, Measures> = {};
try {
  const { installation: from, end } = await installInLab(lab);
  await lab.deployment.bootstrap();
  for (const [name, check] of Object.entries(CHECKS)) {
    if (flags.only !== undefined && !flags.only.includes(name)) continue;
    say(name);
    // Each check deploys a stack of its own.
    lab.hooks.find(() => intakeUrl(lab.cloud));
    measured[name] = await check(lab, from);
  }
  await end();
} catch (error) {
  failures.push(inspect(error));
  say(lab.tails());
}
process.stdout.write(`${JSON.stringify({ measured, failures }, undefined, 2)}\n`);
await lab.end();
process.exit(failures.length === 0 ? 0 : 1);
