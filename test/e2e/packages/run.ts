import { checkChart } from './chart.ts';
import { checkDeployCommand } from './deploy-command.ts';
import { checkDoctor } from './doctor.ts';
import { checkOldestNode } from './oldest-node.ts';
import { runWithPackage } from './run-with-package.ts';
import { checkTemplate } from './template.ts';
import { checkTwoClusters } from './two-clusters.ts';

/**
 * `npm run e2e -- packages`: what users install, from the tarball alone in an empty folder, against a
 * real control plane and a local AWS. Options: `--only <name>` (repeatable).
 */
await runWithPackage(
  {
    'oldest-node': checkOldestNode,
    'deploy-command': checkDeployCommand,
    template: checkTemplate,
    doctor: checkDoctor,
    chart: checkChart,
    'two-clusters': checkTwoClusters,
  },
  (lab) => lab.deployment.bootstrap(),
);
