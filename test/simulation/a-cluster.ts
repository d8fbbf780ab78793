import { HOSTNAME_LABEL, type Labels } from '../../shared/model/labels.ts';
import type { Node } from '../../shared/model/nodes/node.ts';
import type { Pod } from '../../shared/model/pods/pod.ts';
import type { PodDisruptionBudget } from '../../shared/model/pods/workload.ts';
import type { ApiServer } from '../../shared/simulation/control-plane/api-server.ts';
import { createApiServer, putPod } from '../../shared/simulation/control-plane/api-server.ts';
import { startScheduler } from '../../shared/simulation/scheduler/scheduler.ts';
import { createVirtualClock } from '../../shared/simulation/virtual-clock.ts';
import { aNode, NOON, nodeLabels } from '../support/builders.ts';

/** An API server without controllers. */
export const anApiServer = (
  podDisruptionBudgets: readonly PodDisruptionBudget[] = [],
  namespaces: Readonly<Record<string, Labels>> = { default: {} },
): ApiServer => createApiServer({ pools: [], podDisruptionBudgets, namespaces });

/** A node whose hostname label is its own name, with additional labels. */
export const aHost = (name: string, labels: Labels = {}, over: Partial<Node> = {}): Node =>
  aNode({ name, labels: nodeLabels({ [HOSTNAME_LABEL]: name, ...labels }), ...over });

/** The pod before kube-scheduler has seen it. */
export function asNewPod(pod: Pod): Pod {
  const { unschedulableSince: _, ...rest } = pod;
  return rest;
}

/** Runs the scheduler alone on these objects; returns the pods by name. */
export async function schedule(
  nodes: readonly Node[],
  pods: readonly Pod[],
  namespaces?: Readonly<Record<string, Labels>>,
): Promise<ReadonlyMap<string, Pod>> {
  const clock = createVirtualClock(NOON);
  const api = anApiServer([], namespaces);
  startScheduler(clock, api);
  for (const node of nodes) api.nodes.put(node.name, node);
  for (const pod of pods) putPod(api.pods, asNewPod(pod));
  await clock.runUntil(NOON + 5_000);
  return new Map(api.pods.list().map((pod) => [pod.name, pod]));
}

/** The node of each pod; unbound pods are left out. */
export async function listPodNodes(
  ...args: Parameters<typeof schedule>
): Promise<Readonly<Record<string, string | undefined>>> {
  const pods = await schedule(...args);
  return Object.fromEntries([...pods].map(([name, { nodeName }]) => [name, nodeName]));
}
