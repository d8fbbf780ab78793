import type { AssignedBatch } from '../assignment/assign-batch.ts';
import type { ExistingNode } from '../input/existing-nodes.ts';
import type { NewNode } from '../packing/new-nodes/new-node.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import { createTopology } from '../topology/topology.ts';
import { listBindingOrders } from './evaluation/binding-orders.ts';
import { bindsInAnyOrder } from './evaluation/certain-binding.ts';
import { createNodeModelRegistry } from './scheduler-model/node-models.ts';
import { buildPodClassModels, countOperationsPerNode } from './scheduler-model/pod-class-models.ts';
import { createBindingSimulator, type DisplacedPods } from './scheduler-model/simulate-binding.ts';
import { buildSimulatedCluster } from './scheduler-model/simulated-cluster.ts';

/**
 * Further orders are simulated as long as one move has taken fewer operations. Ten pods in a cluster
 * of a thousand nodes take a third of them in all orders together.
 */
const MAX_OPERATIONS = 1_000_000;

/** Simulated for every move, however large: as planned, reversed, and smallest pods first. */
const MIN_ORDERS = 3;

/** The labels, taints and room of a node are compared with a class once. */
const SETUP_OPERATIONS = 2;

/**
 * Binds the pods of a move in many orders, as kube-scheduler does: a small pod may take the room that
 * the plan keeps for a large one.
 *
 * @param batch - pods that all have a place, on existing nodes or on `newNodes`
 * @param mayReceive - excludes nodes that are about to leave, or that are not ready yet
 * @returns the pods that find no node, for each order that leaves any
 */
export function* simulateOrders(
  { problem, placed, podGroups, moving }: AssignedBatch,
  newNodes: readonly NewNode[],
  mayReceive: (node: ExistingNode) => boolean,
): Generator<readonly DisplacedPods[]> {
  const classes = listClasses(placed, podGroups);
  // Equal pods take the places of each other. Devices are not simulated.
  if (classes.length < 2 || classes.some(needsDevices)) return;
  const { work } = problem;
  const podClasses = buildPodClassModels(problem, classes, createTopology(problem, classes, moving));
  const registry = createNodeModelRegistry(problem, mayReceive);
  const orders = listBindingOrders(placed, newNodes, podClasses);
  const planned = orders.make(0).pods;
  work.spend(SETUP_OPERATIONS * classes.length * problem.existingNodes.length);
  if (bindsInAnyOrder(planned, () => registry.eachKind(newNodes))) return;
  const nodes = registry.listNodes(newNodes);
  const rules = podClasses.trackedRules.length;
  work.spend(rules * nodes.length);
  const simulate = createBindingSimulator(buildSimulatedCluster(podClasses, nodes));
  let operations = 0;
  for (let number = 0; number < orders.count; number++) {
    if (number >= MIN_ORDERS && operations > MAX_OPERATIONS) return;
    const order = orders.make(number);
    const perNode = order.pods.reduce((sum, model) => sum + countOperationsPerNode(model), rules);
    work.spend(perNode * nodes.length);
    operations += perNode * nodes.length;
    const displaced = simulate(order);
    if (displaced.length > 0) yield displaced;
  }
}

const listClasses = (placed: AssignedBatch['placed'], podGroups: AssignedBatch['podGroups']): readonly PodClass[] => [
  ...new Set([...[...placed.values()].flatMap((counts) => [...counts.keys()]), ...podGroups.map(({ cls }) => cls)]),
];

const needsDevices = ({ spec }: PodClass): boolean => spec.resolved?.devices !== undefined;
