import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Lab } from '../lab/start-lab.ts';
import { expect } from '../scenario.ts';
import { addNodeGroup, deploymentOf, type Surroundings, tagNetwork } from './surroundings.ts';

const WEB = deploymentOf('web', 3, { cpu: '500m' });
const AUTOSCALER = deploymentOf('cluster-autoscaler', 1, { namespace: 'kube-system' });
const AVAILABLE = ['--for=condition=Available', '--timeout=60s'];

/** A node group that runs three pods and Cluster Autoscaler. */
export function clusterAutoscalerSurroundings(lab: Lab, folder: string): Surroundings {
  const { kubectl } = lab;
  return {
    async setUp() {
      await tagNetwork(lab);
      await addNodeGroup(lab);
      mkdirSync(join(folder, 'apps'), { recursive: true });
      writeFileSync(join(folder, 'apps/web.json'), JSON.stringify(WEB));
      for (const object of [AUTOSCALER, WEB]) await kubectl(['apply', '-f', '-'], object);
      await kubectl(['wait', 'deployment/web', ...AVAILABLE]);
    },
    async check() {
      await kubectl(['wait', 'deployment/web', ...AVAILABLE]);
      const nodes = await kubectl(['get', 'nodes', '-o', 'name']);
      expect(nodes.trim().split('\n').length === 2, `after the roll-back there are ${nodes}`);
    },
    async end() {
      await kubectl(['delete', 'deployment', 'web', '--ignore-not-found']);
      await kubectl(['delete', 'nodes', '-l', 'eks.amazonaws.com/nodegroup']);
      const autoscaler = ['deployment', 'cluster-autoscaler', '-n', 'kube-system'];
      await kubectl(['delete', ...autoscaler, '--ignore-not-found']);
    },
  };
}
