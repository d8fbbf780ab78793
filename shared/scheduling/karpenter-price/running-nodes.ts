import { HOSTNAME_LABEL } from '../../model/labels.ts';
import type { HostPort } from '../../model/pods/pod.ts';
import { findConflict } from '../../model/requirements/requirements.ts';
import { addTimes, at, type Vector } from '../data-structures/resource-vectors.ts';
import { admits, type ExistingNode } from '../input/existing-nodes.ts';
import type { Problem } from '../input/problem.ts';
import { findPortConflict } from '../topology/host-rules.ts';
import type { TopologyHost } from './domain-counts.ts';
import type { KarpenterState } from './in-flight-claims.ts';
import type { PodRequirements } from './pod-requirements.ts';

/** Existing nodes and launched claims that may have room left. */
export interface RunningNodes {
  /** Places the pod on the first node that takes it, and returns that node. */
  placePod(requirements: PodRequirements): ExistingNode | undefined;
}

interface RunningNode extends TopologyHost {
  readonly existingNode: ExistingNode;
  readonly free: Vector;
  readonly hostPorts: HostPort[];
  /** Pods that the node cannot take. A node only ever fills up, so that a rejection is final. */
  readonly rejected: Set<PodRequirements>;
}

export function createRunningNodes({ problem, counts, cache }: KarpenterState): RunningNodes {
  const nodes = listNodes(problem);

  function canTake(node: RunningNode, requirements: PodRequirements): boolean {
    if (node.rejected.has(requirements)) return false;
    if (!fitsWithoutTopology(node, requirements)) {
      node.rejected.add(requirements);
      return false;
    }
    const domains = counts.findAllowedDomains(requirements, node);
    if (!domains) return false;
    return [...domains].every(([key, values]) => !findConflict(node.requirements, cache.oneOf(key, values)));
  }

  return {
    placePod(requirements) {
      const node = nodes.find((one) => canTake(one, requirements));
      if (!node) return undefined;
      addTimes(node.free, requirements.request, -1);
      node.hostPorts.push(...requirements.cls.spec.hostPorts);
      counts.record(requirements, node);
      return node.existingNode;
    },
  };
}

const listNodes = ({ existingNodes }: Problem): RunningNode[] =>
  existingNodes
    .filter(({ leaving }) => !leaving)
    .map((existingNode) => ({
      existingNode,
      name: existingNode.labels[HOSTNAME_LABEL] ?? existingNode.name,
      requirements: existingNode.requirements,
      taints: existingNode.taints,
      free: existingNode.free.slice(),
      hostPorts: [...existingNode.hostPorts],
      rejected: new Set(),
    }));

/** True if the node takes the pod, apart from topology rules. */
function fitsWithoutTopology(
  { existingNode, free, hostPorts }: RunningNode,
  { relaxation, request, cls }: PodRequirements,
): boolean {
  return (
    request.every((amount, column) => amount <= at(free, column)) &&
    !findPortConflict(cls.spec.hostPorts, hostPorts) &&
    admits(existingNode, relaxation)
  );
}
