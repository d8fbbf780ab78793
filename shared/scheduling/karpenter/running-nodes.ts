import { HOSTNAME_LABEL } from '../../model/labels.ts';
import type { HostPort } from '../../model/pod.ts';
import { findConflict } from '../../model/requirements.ts';
import { admits, type ExistingBin } from '../input/existing-nodes.ts';
import type { Problem } from '../input/problem.ts';
import { takenPort } from '../topology/host-rules.ts';
import { addTimes, at, type Vector } from '../data-structures/resource-vectors.ts';
import type { Run } from './claim.ts';
import type { Host } from './domain-counts.ts';
import type { Wish } from './wishes.ts';

/** Nodes, and claims on their way to be some, that have room left. */
export interface RunningNodes {
  /** Puts a pod on the first that takes it. */
  join(wish: Wish): ExistingBin | undefined;
}

interface RunningNode extends Host {
  readonly bin: ExistingBin;
  readonly free: Vector;
  readonly hostPorts: HostPort[];
  /** What it has no room for, or is not: it only ever fills up. */
  readonly refused: Set<Wish>;
}

export function runningNodes({ problem, counts, paths }: Run): RunningNodes {
  const nodes = nodesOf(problem);

  function takes(node: RunningNode, wish: Wish): boolean {
    if (node.refused.has(wish)) return false;
    if (!suits(node, wish)) {
      node.refused.add(wish);
      return false;
    }
    const domains = counts.domainsFor(wish, node);
    if (!domains) return false;
    return [...domains].every(
      ([key, values]) => !findConflict(node.requirements, paths.oneOf(key, values)),
    );
  }

  return {
    join(wish) {
      const node = nodes.find((one) => takes(one, wish));
      if (!node) return undefined;
      addTimes(node.free, wish.request, -1);
      node.hostPorts.push(...wish.cls.spec.hostPorts);
      counts.record(wish, node);
      return node.bin;
    },
  };
}

const nodesOf = ({ bins }: Problem): RunningNode[] =>
  bins
    .filter(({ leaving }) => !leaving)
    .map((bin) => ({
      bin,
      name: bin.labels[HOSTNAME_LABEL] ?? bin.name,
      requirements: bin.requirements,
      taints: bin.taints,
      free: bin.free.slice(),
      hostPorts: [...bin.hostPorts],
      refused: new Set(),
    }));

/** Whether it does as it is, whoever else is there. */
function suits(
  { bin, free, hostPorts }: RunningNode,
  { alternative, request, cls }: Wish,
): boolean {
  return (
    request.every((amount, column) => amount <= at(free, column)) &&
    !takenPort(cls.spec.hostPorts, hostPorts) &&
    admits(bin, alternative)
  );
}
