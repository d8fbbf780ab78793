import type { NodePool } from '../../model/nodes/node-pool.ts';
import { findOffHours, type OffHours } from '../../model/nodes/pool-hours.ts';
import type { NodeVerdict } from '../../model/plans.ts';
import { byClaimName, type Candidate, type DisruptionInput, toCandidate } from '../candidates.ts';
import { findConsolidationObstacle } from '../obstacles.ts';

/** A node that its pool has in excess in its off hours. */
export interface OffHoursNode extends Candidate {
  readonly off: OffHours;
}

/** The nodes that go because of off hours, and why others of their pools cannot. */
export interface OffHoursNodes {
  readonly nodes: readonly OffHoursNode[];
  readonly protectedNodes: readonly NodeVerdict[];
}

type SelectionInput = Pick<DisruptionInput, 'problem' | 'pools' | 'busy'>;

/**
 * Selects the nodes that pools have in excess in their off hours. Those that are easiest to disrupt
 * go first. Protected nodes stay, and count for the size of the pool.
 */
export function selectOffHoursNodes(input: SelectionInput): OffHoursNodes {
  const { takenAt } = input.problem.snapshot;
  const selections = [...input.pools.values()].flatMap((pool) => {
    const off = findOffHours(pool, takenAt);
    return off ? [selectFromPool(pool, off, input)] : [];
  });
  return {
    nodes: selections.flatMap(({ nodes }) => nodes),
    protectedNodes: selections.flatMap(({ protectedNodes }) => protectedNodes),
  };
}

function selectFromPool(pool: NodePool, off: OffHours, input: SelectionInput): OffHoursNodes {
  const { problem } = input;
  const excess = countStaying(pool, input) - off.nodes;
  if (excess <= 0) return { nodes: [], protectedNodes: [] };
  const protectedNodes: NodeVerdict[] = [];
  const nodes = problem.existingNodes.flatMap((existingNode): OffHoursNode[] => {
    if (existingNode.claim?.pool !== pool.name) return [];
    const candidate = toCandidate(existingNode, input);
    if (!candidate) return [];
    const { claim } = candidate;
    const obstacle = findConsolidationObstacle(existingNode, claim, problem);
    if (!obstacle) return [{ ...candidate, off }];
    protectedNodes.push({ claim: claim.name, outcome: 'stays', ...obstacle });
    return [];
  });
  return { nodes: nodes.toSorted(easiestFirst).slice(0, excess), protectedNodes };
}

/** Counts the pool's nodes, those that are being launched included. */
const countStaying = ({ name }: NodePool, { problem, busy }: SelectionInput): number =>
  problem.snapshot.claims.filter(
    (claim) => claim.pool === name && claim.deletingAt === undefined && !busy.has(claim.name),
  ).length;

const easiestFirst = (a: Candidate, b: Candidate): number => a.disruptionCost - b.disruptionCost || byClaimName(a, b);
