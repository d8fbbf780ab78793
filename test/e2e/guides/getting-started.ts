import type { Lab } from '../lab/start-lab.ts';
import { expect } from '../scenario.ts';
import { announceTerminations, deploymentOf, type Surroundings, tagNetwork } from './surroundings.ts';

/** EKS installs it before there is a node. */
const CORE_DNS = deploymentOf('coredns', 2, {
  namespace: 'kube-system',
  labels: { 'k8s-app': 'kube-dns' },
});

/** A new cluster, as eksctl leaves it. */
export function newClusterSurroundings(lab: Lab): Surroundings {
  const { kubectl } = lab;
  return {
    async setUp() {
      announceTerminations(lab);
      await tagNetwork(lab);
      await kubectl(['apply', '-f', '-'], CORE_DNS);
    },
    async check() {
      const nodes = await kubectl(['get', 'nodes', '-o', 'name']);
      expect(nodes === '', `these nodes are left: ${nodes}`);
    },
    async end() {
      const coreDns = ['deployment', 'coredns', '-n', 'kube-system'];
      await kubectl(['delete', ...coreDns, '--ignore-not-found']);
      await deleteObjects(lab);
    },
  };
}

/** The objects outlive the stack, and the next guide begins without them. No controller is left to finish their deletion. */
async function deleteObjects({ kubectl }: Lab): Promise<void> {
  const names = await kubectl(['get', 'nodepools,ec2nodeclasses', '-o', 'name']);
  for (const name of names.split('\n').filter((one) => one !== '')) {
    await kubectl(['delete', name, '--wait=false']);
    const free = JSON.stringify({ metadata: { finalizers: null } });
    await kubectl(['patch', name, '--type', 'merge', '-p', free]).catch((error: unknown) => {
      if (!String(error).includes('not found')) throw error;
    });
  }
}
