import { HOSTNAME_LABEL, type Labels } from '../../shared/model/labels.ts';
import type { Node } from '../../shared/model/nodes/node.ts';
import type { Pod } from '../../shared/model/pods/pod.ts';
import type { PodDisruptionBudget } from '../../shared/model/pods/workload.ts';
import type { ApiServer } from '../../shared/simulation/control-plane/api-server.ts';
import { createApiServer, putPod } from '../../shared/simulation/control-plane/api-server.ts';
import { startScheduler } from '../../shared/simulation/scheduler/scheduler.ts';
import { createVirtualClock } from '../../shared/simulation/virtual-clock.ts';
import { aNode, NOON, nodeLabels } from '../support/builders.ts';

/** An API server without anything behind it. */
export const anApiServer = (
  podDisruptionBudgets: readonly PodDisruptionBudget[] = [],
  namespaces: Readonly<Record<string, Labels>> = { default: {} },
): ApiServer => createApiServer({ pools: [], podDisruptionBudgets, namespaces });

/** A node with a host name of its own, its name, and these labels besides the usual ones. */
export const aHost = (name: string, labels: Labels = {}, over: Partial<Node> = {}): Node =>
  aNode({ name, labels: nodeLabels({ [HOSTNAME_LABEL]: name, ...labels }), ...over });

/** As pods come from a controller: nothing has looked at them yet. */
export function unseen(pod: Pod): Pod {
  const { unschedulableSince: _, ...rest } = pod;
  return rest;
}

/** Runs the scheduler alone over these objects; returns the pods by name. */
export async function schedule(
  nodes: readonly Node[],
  pods: readonly Pod[],
  namespaces?: Readonly<Record<string, Labels>>,
): Promise<ReadonlyMap<string, Pod>> {
  const clock = createVirtualClock(NOON);
  const api = anApiServer([], namespaces);
  startScheduler(clock, api);
  for (const node of nodes) api.nodes.put(node.name, node);
  for (const pod of pods) putPod(api.pods, unseen(pod));
  await clock.runUntil(NOON + 5_000);
  return new Map(api.pods.list().map((pod) => [pod.name, pod]));
}

/** The node that each pod went to; absent ones found no place. */
export async function placesOf(
  ...args: Parameters<typeof schedule>
): Promise<Readonly<Record<string, string | undefined>>> {
  const pods = await schedule(...args);
  return Object.fromEntries([...pods].map(([name, { nodeName }]) => [name, nodeName]));
}
