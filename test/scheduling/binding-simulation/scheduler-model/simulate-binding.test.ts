import { describe, expect, it } from 'vitest';
import { HOSTNAME_LABEL, ZONE_LABEL } from '../../../../shared/model/labels.ts';
import { countNodesToFind } from '../../../../shared/model/nodes/node-search.ts';
import { createNodeModelRegistry } from '../../../../shared/scheduling/binding-simulation/scheduler-model/node-models.ts';
import { buildPodClassModels } from '../../../../shared/scheduling/binding-simulation/scheduler-model/pod-class-models.ts';
import { createBindingSimulator } from '../../../../shared/scheduling/binding-simulation/scheduler-model/simulate-binding.ts';
import { buildSimulatedCluster } from '../../../../shared/scheduling/binding-simulation/scheduler-model/simulated-cluster.ts';
import { prepare } from '../../../../shared/scheduling/input/problem.ts';
import { groupPodClasses } from '../../../../shared/scheduling/pods/pod-classes.ts';
import { createTopology } from '../../../../shared/scheduling/topology/topology.ts';
import { aNode, nodeLabels, resources } from '../../../support/builders.ts';
import { aCluster, createPods, requesting, Z1, Z2 } from '../../support/fixture.ts';

/** Nodes are listed by name. */
const node = (number: number, cpus: number, zone: string = Z1) => {
  const name = String(number).padStart(3, '0');
  return aNode({
    name,
    labels: nodeLabels({ [ZONE_LABEL]: zone, [HOSTNAME_LABEL]: name }),
    allocatable: resources(cpus, 4 * cpus, { pods: 10 }),
  });
};

/** Binds small pods, then one that needs the only large node. */
function countDisplaced(smallPods: number, nodes: ReturnType<typeof node>[]): number {
  const pods = [
    ...createPods(smallPods, 'small', { requests: requesting(1, 1) }),
    ...createPods(1, 'large', { requests: requesting(8, 1) }),
  ];
  const problem = prepare(aCluster({ nodes, pods }));
  const classes = groupPodClasses(pods, new Set());
  const podClasses = buildPodClassModels(problem, classes, createTopology(problem, classes, []));
  const simulate = createBindingSimulator(
    buildSimulatedCluster(podClasses, createNodeModelRegistry(problem).listNodes([])),
  );
  const smallestFirst = classes.toSorted((a, b) => (a.spec.requests.cpu ?? 0) - (b.spec.requests.cpu ?? 0));
  const order = smallestFirst.flatMap((cls) => cls.pods.flatMap(() => podClasses.modelByClass.get(cls) ?? []));
  return simulate({ pods: order, seed: 0 }).reduce((sum, { pods: displaced }) => sum + displaced, 0);
}

const list = (count: number, make: (number: number) => ReturnType<typeof node>) =>
  Array.from({ length: count }, (_, index) => make(index + 1));

describe('countNodesToFind', () => {
  it.each([
    [99, 99],
    [100, 100],
    [200, 100],
    [500, 230],
    [1_000, 420],
    [5_000, 500],
    [20_000, 1_000],
  ])('compares of %i nodes the first %i that fit, as kube-scheduler does', (nodes, compared) => {
    expect(countNodesToFind(nodes)).toBe(compared);
  });
});

describe('binding simulation', () => {
  it('compares all nodes where they are fewer than a hundred', () => {
    const nodes = list(99, (number) => node(number, number === 99 ? 8 : 1.5));

    expect(countDisplaced(1, nodes)).toBe(1);
  });

  it('begins the search for a pod where that for the pod before ended', () => {
    const nodes = list(150, (number) => node(number, number === 150 ? 8 : 1.5));

    expect(countDisplaced(1, nodes)).toBe(0);
    expect(countDisplaced(2, nodes)).toBe(1);
  });

  it('searches one node of each zone in turn', () => {
    const nodes = list(150, (number) => node(number, number === 150 ? 8 : 1.5, number > 140 ? Z2 : Z1));

    expect(countDisplaced(1, nodes)).toBe(1);
  });
});
