import { join } from 'node:path';
import { installPython } from '../lab/python-tools.ts';
import { PATH } from '../lab/repository.ts';
import type { Lab } from '../lab/start-lab.ts';
import type { Installation } from '../packages/install.ts';
import { runWithPackage } from '../packages/run-with-package.ts';
import type { Measures } from '../scenario.ts';
import { clusterAutoscalerSurroundings } from './cluster-autoscaler.ts';
import { newClusterSurroundings } from './getting-started.ts';
import { karpenterSurroundings } from './karpenter.ts';
import type { GuideName } from './lab-differences.ts';
import { runGuide } from './run-guide.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * `npm run e2e -- guides`: the commands of the guides, as their readers copy them, with the packed
 * `mortise`, on a real control plane and a local AWS. Options: `--only <guide>` (repeatable).
 */
await runWithPackage({
  'getting-started': guide('getting-started', newClusterSurroundings),
  'first-deployment': guide('first-deployment', newClusterSurroundings),
  'from-cluster-autoscaler': guide('from-cluster-autoscaler', clusterAutoscalerSurroundings),
  'from-karpenter': guide('from-karpenter', karpenterSurroundings),
} satisfies Record<GuideName, unknown>);

function guide(name: GuideName, surround: (lab: Lab, folder: string) => Surroundings) {
  return async (lab: Lab, from: Installation): Promise<Measures> => {
    const awsCli = await installPython('requirements-aws-cli.txt');
    const environment = {
      ...from.environment,
      KUBECONFIG: lab.controlPlane.kubeconfig,
      // Each command has a shell of its own, so that the guide's own `export PATH` does not last.
      PATH: `${join(from.folder, 'node_modules/.bin')}:${awsCli}:${PATH}`,
    };
    return runGuide({ lab, from, environment }, name, surround(lab, from.folder));
  };
}
