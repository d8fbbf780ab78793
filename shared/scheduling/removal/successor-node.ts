import { ZONE_LABEL } from '../../model/labels.ts';
import { type Pod, podKey } from '../../model/pods/pod.ts';
import { type AssignedBatch, assignBatch, pinToZone } from '../assignment/assign-batch.ts';
import type { ExistingNode } from '../input/existing-nodes.ts';
import type { Problem } from '../input/problem.ts';
import { packOntoOneNode } from '../packing/new-nodes/single-node.ts';
import { keepOnDemandShares } from '../packing/on-demand-nodes.ts';
import { computeCost } from '../packing/packing.ts';
import { type Solution, solve } from '../search/solve.ts';

/** A node that is removed, and the pods that need another place then. */
export interface LeavingNode {
  readonly node: ExistingNode;
  readonly pods: readonly Pod[];
}

/** One new node for the pods of a node that is removed. */
export interface Successor {
  readonly solution: Solution;
  /** The pods that it has room for. */
  readonly pods: readonly Pod[];
  /** Those of them that run on nodes which leave later. */
  readonly further: readonly Pod[];
}

/** The nodes that leave after another one. */
export interface LaterNodes {
  readonly nodes: readonly LeavingNode[];
  /** The nodes that may take their pods, those under way included. */
  readonly mayReceive: (node: ExistingNode) => boolean;
}

/** A new node for the pods of more nodes would be the end of too many at once. */
const MAX_PREDECESSORS = 8;

/**
 * Packs all pods of a node onto one new node in its zone: then the cluster has as many nodes as before, and
 * its pods are spread over the zones as before. Pods of the next nodes in the zone are packed onto it too, if
 * that costs clearly less than a node for each.
 *
 * @returns `undefined` if no single node holds the pods
 */
export function solveBySuccessor(
  leaving: LeavingNode,
  next: LaterNodes,
  problem: Problem,
  mayReceive: (node: ExistingNode) => boolean,
): Successor | undefined {
  const assigned = assignTogether([leaving], problem);
  const alone = packOntoBestPool(assigned);
  if (!alone) return undefined;
  if (assigned.unassigned.size > 0)
    return solveWithOthersElsewhere(leaving, { assigned, held: alone }, problem, mayReceive);
  let best = { packed: alone, members: [leaving], savingShare: MIN_SAVING_SHARE };
  let members = [leaving];
  let separateUsd = alone.costUsd;
  for (const one of listFollowers(leaving, next, problem)) {
    if (members.length === MAX_PREDECESSORS) break;
    const own = packTogether([one], problem);
    const packed = own && packTogether([...members, one], problem);
    if (!packed) continue;
    members = [...members, one];
    separateUsd += own.costUsd;
    const savingShare = 1 - packed.costUsd / separateUsd;
    if (savingShare > best.savingShare) best = { packed, members, savingShare };
  }
  return {
    solution: best.packed,
    pods: best.members.flatMap(({ pods }) => pods),
    further: best.members.slice(1).flatMap(({ pods }) => pods),
  };
}

/**
 * Packs the others of the pods in another zone: a required spread allows no more of them in this one.
 *
 * @param held - one new node in the zone, for the pods that may run there
 * @param mayReceive - the nodes that may take the others
 */
function solveWithOthersElsewhere(
  { node, pods }: LeavingNode,
  { assigned, held }: { readonly assigned: AssignedBatch; readonly held: Solution },
  problem: Problem,
  mayReceive: (node: ExistingNode) => boolean,
): Successor | undefined {
  const outside = new Set([...assigned.unassigned].flatMap(([cls, count]) => cls.pods.slice(-count)));
  const others = pods.filter((pod) => outside.has(podKey(pod)));
  // The pods inside count where they run: the spread lets none of the others in.
  const elsewhere = solve(problem, others, {
    without: [node.name],
    mayReceive,
    ignoresPreferredTopology: true,
  });
  if (elsewhere.unplaced.size > 0) return undefined;
  const solution = {
    ...elsewhere,
    newNodes: [...held.newNodes, ...elsewhere.newNodes],
    costUsd: held.costUsd + elsewhere.costUsd,
  };
  return { solution, pods, further: [] };
}

/**
 * Several large nodes always save the cost of a node each. That alone is no reason to have fewer: more pods
 * would end with one.
 */
const MIN_SAVING_SHARE = 0.1;

/**
 * Yields the later nodes of the zone whose pods need a new node. Others have room on nodes that exist or are
 * under way, perhaps on one that was made for them.
 */
function* listFollowers(
  leaving: LeavingNode,
  { nodes, mayReceive }: LaterNodes,
  problem: Problem,
): Generator<LeavingNode> {
  const withRoom: LeavingNode[] = [];
  for (const one of nodes) {
    if (zoneOf(one) !== zoneOf(leaving)) continue;
    if (haveRoom([...withRoom, one], mayReceive, problem)) withRoom.push(one);
    else yield one;
  }
}

const zoneOf = ({ node }: LeavingNode): string | undefined => node.labels[ZONE_LABEL];

/** Packs the pods of nodes in one zone onto one new node there; `undefined` if it does not hold all. */
function packTogether(leaving: readonly LeavingNode[], problem: Problem): Solution | undefined {
  const assigned = assignTogether(leaving, problem);
  return assigned.unassigned.size === 0 ? packOntoBestPool(assigned) : undefined;
}

const packOntoBestPool = (assigned: AssignedBatch): Solution | undefined =>
  listSolutions(assigned).toSorted((a, b) => b.weight - a.weight || a.costUsd - b.costUsd)[0];

/** Packs the pods onto one new node of each NodePool that has such a node. */
function listSolutions({ problem, podGroups, topology }: AssignedBatch) {
  const templates = podGroups[0]?.options.map(({ template }) => template) ?? [];
  const pools = new Map(templates.map(({ pool }) => [pool.name, pool]));
  return [...pools].flatMap(([name, { weight }]) => {
    const ofPool = podGroups.map((podGroup) => ({
      ...podGroup,
      options: podGroup.options.filter(({ template }) => template.pool.name === name),
    }));
    const newNode = packOntoOneNode(problem, ofPool);
    if (!newNode) return [];
    const newNodes = keepOnDemandShares([newNode], problem, new Set());
    const { costUsd } = computeCost({ newNodes, problem });
    return [{ placed: new Map(), newNodes, unplaced: new Map(), costUsd, topology, weight }];
  });
}

/** Assigns the pods to new nodes in the zone, together whatever topology they prefer. */
function assignTogether(leaving: readonly LeavingNode[], problem: Problem): AssignedBatch {
  const [zone] = leaving.map(zoneOf);
  const assigned = assignBatch(
    problem,
    leaving.flatMap(({ pods }) => pods),
    {
      without: leaving.map(({ node }) => node.name),
      mayReceive: () => false,
      ignoresPreferredTopology: true,
      ...(zone !== undefined && { launchZone: zone }),
    },
  );
  return pinToZone(zone, assigned);
}

/**
 * True if all pods of the nodes fit on others together.
 *
 * @param mayReceive - the nodes that may take them
 */
export const haveRoom = (
  leaving: readonly LeavingNode[],
  mayReceive: (node: ExistingNode) => boolean,
  problem: Problem,
): boolean =>
  assignBatch(
    problem,
    leaving.flatMap(({ pods }) => pods),
    { without: leaving.map(({ node }) => node.name), mayReceive, mayLaunch: false },
  ).unassigned.size === 0;
