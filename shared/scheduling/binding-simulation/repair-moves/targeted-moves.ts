import type { PodGroup } from '../../assignment/pod-groups.ts';
import { growForPods } from '../../packing/new-nodes/grow-nodes.ts';
import type { NewNode } from '../../packing/new-nodes/new-node.ts';
import type { Packing } from '../../packing/packing.ts';
import { withPackingState } from '../../packing/packing.ts';
import type { PodClass } from '../../pods/pod-classes.ts';
import { type EvaluatedPacking, listDisplaced } from '../evaluation/evaluate-packing.ts';
import type { SimulationContext } from '../evaluation/simulation-context.ts';
import type { DisplacedPods } from '../scheduler-model/simulate-binding.ts';
import { withFewerNodes } from './remove-nodes.ts';
import { withOwnNodes } from './separate-nodes.ts';

/**
 * Shares of the displaced pods for which room is added. Often room for some pods is enough for all.
 */
const SHARES = [1 / 3, 1];

/** Lists packings with more room, or with fewer nodes, than the evaluated one. */
export function* listTargetedMoves(
  context: SimulationContext,
  evaluated: EvaluatedPacking,
  podGroups: readonly PodGroup[],
): Generator<Packing> {
  for (const order of findExtremeOrders(evaluated)) {
    const own = withOwnNodes(evaluated, order, podGroups);
    if (own) yield own;
  }
  for (const share of SHARES) {
    const grown = withLargerTypes(evaluated, share, context);
    if (grown) yield grown;
  }
  yield* withFewerNodes(evaluated.packing, context.problem);
}

/** Finds the orders that displace the most and the fewest pods. */
function findExtremeOrders({ displaced }: EvaluatedPacking): (readonly DisplacedPods[])[] {
  const failing = [...displaced.values()]
    .filter(({ length }) => length > 0)
    .toSorted((a, b) => countPods(b) - countPods(a));
  const extremes = [failing[0], failing.at(-1)].filter((one) => one !== undefined);
  return extremes.filter((one, index) => index === 0 || countPods(one) < countPods(extremes[0] ?? []));
}

const countPods = (all: readonly DisplacedPods[]): number => all.reduce((total, { pods }) => total + pods, 0);

export function withLargerTypes(
  evaluated: EvaluatedPacking,
  share: number,
  { problem }: SimulationContext,
): Packing | undefined {
  const { packingState } = evaluated.packing;
  const copies = new Map(packingState.newNodes.map((newNode) => [newNode, { ...newNode }]));
  const made = countMaxDisplaced(evaluated).map(([cls, pods]) => {
    const suiting = listNodesLackingRoom(evaluated, cls).flatMap((newNode) => copies.get(newNode) ?? []);
    return growForPods(cls, Math.ceil(pods * share), suiting, problem);
  });
  if (!made.includes(true)) return undefined;
  return withPackingState(evaluated.packing, { ...packingState, newNodes: [...copies.values()] });
}

function countMaxDisplaced(evaluated: EvaluatedPacking): (readonly [PodClass, number])[] {
  const maxPods = new Map<PodClass, number>();
  for (const { cls, pods } of listDisplaced(evaluated)) maxPods.set(cls, Math.max(pods, maxPods.get(cls) ?? 0));
  return [...maxPods];
}

function listNodesLackingRoom(evaluated: EvaluatedPacking, podClass: PodClass): NewNode[] {
  const numbers = new Set(listDisplaced(evaluated).flatMap(({ cls, nodes }) => (cls === podClass ? nodes : [])));
  return [...numbers].flatMap((number) => evaluated.nodes[number]?.newNode ?? []);
}
