import { ZONE_LABEL } from '../../model/labels.ts';
import { type Pod, podKey } from '../../model/pods/pod.ts';
import { type ExistingNode, withPods } from '../input/existing-nodes.ts';
import type { ExpectedPods } from '../input/expected-pods.ts';
import type { Problem } from '../input/problem.ts';
import { WORK_LIMITS } from '../input/work-limits.ts';
import { createPodTaker } from '../pods/pod-classes.ts';
import { assignBatch } from './assign-batch.ts';

/**
 * Gives pods of leaving nodes the room that exists, before anything is planned for the other pods: on nodes
 * that have not drifted, of their own zone first, then on any. A replacement is launched in the zone of the
 * node that it replaces, so pods that are spread over zones need it there. Preferences of topology do not
 * count. kube-scheduler binds the pods wherever there is room, and their nodes leave only because there is,
 * so a node that is launched for a preference would be one too many.
 */
export function placeLeavingPods(expected: ExpectedPods): ExpectedPods {
  const zones = new Set(
    expected.problem.existingNodes.filter(({ leaving }) => leaving).map(zoneOf),
  );
  let placed = expected;
  for (const zone of zones) {
    const isInZone = (node: ExistingNode): boolean => zoneOf(node) === zone;
    placed = placeOn((node) => isInZone(node) && hasNotDrifted(node), placed, isInZone);
  }
  for (const mayReceive of [hasNotDrifted, () => true]) placed = placeOn(mayReceive, placed);
  return placed;
}

const zoneOf = ({ labels }: ExistingNode): string => labels[ZONE_LABEL] ?? '';

const hasNotDrifted = ({ claim }: ExistingNode): boolean => claim?.drift === undefined;

function placeOn(
  mayReceive: (node: ExistingNode) => boolean,
  expected: ExpectedPods,
  runOn?: (node: ExistingNode) => boolean,
): ExpectedPods {
  const { problem, remaining, placements } = expected;
  const names = runOn && new Set(problem.existingNodes.filter(runOn).map(({ name }) => name));
  const leaving = remaining.filter(
    ({ nodeName }) => nodeName !== undefined && (names?.has(nodeName) ?? true),
  );
  if (leaving.length === 0) return expected;
  const assigned = problem.work.tryWithin(WORK_LIMITS.waitingPods, () =>
    assignBatch(problem, leaving, { mayReceive, ignoresPreferredTopology: true }),
  );
  if (!assigned || assigned.placed.size === 0) return expected;
  const take = createPodTaker();
  const podOf = new Map(leaving.map((pod) => [podKey(pod), pod]));
  const arriving = new Map(
    [...assigned.placed].map(([node, counts]) => {
      const keys = [...counts].flatMap(([cls, count]) => take(cls, count));
      return [node.name, keys.flatMap((key) => podOf.get(key) ?? [])] as const;
    }),
  );
  const moved = new Set([...arriving.values()].flat());
  return {
    ...expected,
    problem: moveToNodes(problem, arriving, moved),
    placements: [
      ...placements,
      ...[...arriving].map(([target, pods]) => ({ target, pods: pods.map(podKey) })),
    ],
    remaining: remaining.filter((pod) => !moved.has(pod)),
  };
}

/** The problem with pods on other nodes than now. */
function moveToNodes(
  problem: Problem,
  arriving: ReadonlyMap<string, readonly Pod[]>,
  moved: ReadonlySet<Pod>,
): Problem {
  const nodes = problem.existingNodes.map((node) => {
    if (node.leaving) return { ...node, pods: node.pods.filter((pod) => !moved.has(pod)) };
    const pods = arriving.get(node.name);
    return pods ? withPods(node, pods, problem.columns) : node;
  });
  return { ...problem, existingNodes: nodes, runningNodes: nodes };
}
