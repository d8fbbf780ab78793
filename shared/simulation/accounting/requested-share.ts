import type { Node } from '../../model/nodes/node.ts';
import { isTerminal } from '../../model/pods/disruption-pods.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { CPU, MEMORY } from '../../model/resources.ts';
import type { EpochMs } from '../../model/time.ts';
import type { ApiServer } from '../control-plane/api-server.ts';

export interface RequestedShare {
  until(at: EpochMs): { readonly cpu: number; readonly memory: number };
}

/** Requests of bound pods divided by allocatable of nodes, both integrated over time. */
export function watchRequestedShare(api: ApiServer, now: () => EpochMs): RequestedShare {
  const requested = { cpu: createIntegral(now()), memory: createIntegral(now()) };
  const allocatable = { cpu: createIntegral(now()), memory: createIntegral(now()) };

  function addNode(node: Node | undefined, times: number): void {
    allocatable.cpu.add(now(), times * (node?.allocatable[CPU] ?? 0));
    allocatable.memory.add(now(), times * (node?.allocatable[MEMORY] ?? 0));
  }

  function addPod(pod: Pod | undefined, times: number): void {
    if (!pod || !occupiesNode(pod)) return;
    requested.cpu.add(now(), times * (pod.spec.requests[CPU] ?? 0));
    requested.memory.add(now(), times * (pod.spec.requests[MEMORY] ?? 0));
  }

  api.nodes.watch(({ before, after }) => {
    addNode(before, -1);
    addNode(after, 1);
    // Pods of a deleted Node stay in the API until garbage collection, but no longer count.
    if (!after && before) for (const pod of api.pods.onNode(before.name).values()) addPod(pod, -1);
  });
  api.pods.watch(({ before, after }) => {
    if (!api.nodes.get((after ?? before)?.nodeName ?? '')) return;
    addPod(before, -1);
    addPod(after, 1);
  });

  const share = (part: Integral, whole: Integral, at: EpochMs): number =>
    whole.until(at) === 0 ? 0 : part.until(at) / whole.until(at);
  return {
    until: (at) => ({
      cpu: share(requested.cpu, allocatable.cpu, at),
      memory: share(requested.memory, allocatable.memory, at),
    }),
  };
}

const occupiesNode = (pod: Pod): boolean => pod.nodeName !== undefined && !isTerminal(pod);

interface Integral {
  add(at: EpochMs, amount: number): void;
  until(at: EpochMs): number;
}

/** The area under a step curve. */
function createIntegral(startAt: EpochMs): Integral {
  let area = 0;
  let level = 0;
  let since = startAt;

  return {
    add(at, amount) {
      area += level * (at - since);
      level += amount;
      since = at;
    },
    until: (at) => area + level * (at - since),
  };
}
