import { ZONE_LABEL } from '../../model/labels.ts';
import { type Pod, podKey } from '../../model/pods/pod.ts';
import { type ExistingNode, withPods } from '../input/existing-nodes.ts';
import type { ExpectedPods } from '../input/expected-pods.ts';
import type { Problem } from '../input/problem.ts';
import { WORK_LIMITS } from '../input/work-limits.ts';
import { createPodTaker } from '../pods/pod-classes.ts';
import { assignBatch } from './assign-batch.ts';

/**
 * Gives pods of leaving nodes the room that exists, before anything is planned for the other pods: on the
 * replacements of their nodes first, then on nodes that have not drifted, of their own zone first, then on any. A replacement is launched in the zone of the
 * node that it replaces, so pods that are spread over zones need it there. Preferences of topology do not
 * count. kube-scheduler binds the pods wherever there is room, and their nodes leave only because there is,
 * so a node that is launched for a preference would be one too many.
 */
export function placeLeavingPods(expected: ExpectedPods): ExpectedPods {
  const zones = new Set(expected.problem.existingNodes.filter(({ leaving }) => leaving).map(zoneOf));
  let placed = placeOnReplacements(expected);
  for (const zone of zones) {
    const isInZone = (node: ExistingNode): boolean => zoneOf(node) === zone;
    placed = placeOn((node) => isInZone(node) && hasNotDrifted(node), placed, isInZone);
  }
  for (const mayReceive of [hasNotDrifted, () => true]) placed = placeOn(mayReceive, placed);
  return placed;
}

const zoneOf = ({ labels }: ExistingNode): string => labels[ZONE_LABEL] ?? '';

const hasNotDrifted = ({ claim }: ExistingNode): boolean => claim?.drift === undefined;

/** Each pass over a large cluster takes about ten milliseconds. */
const MAX_PASSES = 16;

/**
 * Gives pods the room that was launched for them. Otherwise pods of one node take that of another, whose
 * pods then do not fit into what is left.
 */
function placeOnReplacements(expected: ExpectedPods): ExpectedPods {
  const pairs = listReplacements(expected);
  const size = Math.ceil(pairs.length / MAX_PASSES);
  let placed = expected;
  for (let start = 0; start < pairs.length; start += size) {
    const members = pairs.slice(start, start + size);
    const leaving = new Set(members.map((pair) => pair.leaving));
    const replacements = new Set(members.map(({ replacement }) => replacement));
    placed = placeOn(
      ({ name }) => replacements.has(name),
      placed,
      ({ name }) => leaving.has(name),
    );
  }
  return placed;
}

/** Pairs each leaving node with the node of its zone that expects most of its pods, and more than half. */
function listReplacements({ problem, remaining }: ExpectedPods) {
  const podsByNode = Map.groupBy(remaining, ({ nodeName }) => nodeName ?? '');
  const waiting = new Set(
    problem.existingNodes.filter((node) => node.claim?.expects && !node.leaving && hasNotDrifted(node)),
  );
  return problem.existingNodes.flatMap((node) => {
    const pods = node.leaving ? (podsByNode.get(node.name) ?? []) : [];
    if (pods.length === 0) return [];
    const owners = Map.groupBy(pods, ({ owner }) => owner?.uid ?? '');
    const [best] = [...waiting]
      .filter((one) => zoneOf(one) === zoneOf(node))
      .map((one) => ({ one, expected: countExpected(owners, one.claim) }))
      .toSorted((a, b) => b.expected - a.expected);
    if (!best || best.expected <= pods.length / 2) return [];
    waiting.delete(best.one);
    return [{ leaving: node.name, replacement: best.one.name }];
  });
}

const countExpected = (owners: ReadonlyMap<string, readonly Pod[]>, claim: ExistingNode['claim']): number =>
  Object.entries(claim?.expects ?? {}).reduce(
    (sum, [owner, count]) => sum + Math.min(count, owners.get(owner)?.length ?? 0),
    0,
  );

function placeOn(
  mayReceive: (node: ExistingNode) => boolean,
  expected: ExpectedPods,
  runOn?: (node: ExistingNode) => boolean,
): ExpectedPods {
  const { problem, remaining, placements } = expected;
  const names = runOn && new Set(problem.existingNodes.filter(runOn).map(({ name }) => name));
  const leaving = remaining.filter(({ nodeName }) => nodeName !== undefined && (names?.has(nodeName) ?? true));
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
    placements: [...placements, ...[...arriving].map(([target, pods]) => ({ target, pods: pods.map(podKey) }))],
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
