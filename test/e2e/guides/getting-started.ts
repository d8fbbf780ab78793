import type { Lab } from '../lab/start-lab.ts';
import { expect } from '../scenario.ts';
import {
  announceTerminations,
  deploymentOf,
  type Surroundings,
  tagNetwork,
} from './surroundings.ts';

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
    },
  };
}
