import type { Node } from '../model/node.ts';
import type { HostPort, Pod } from '../model/pod.ts';
import type { Resources } from '../model/resources.ts';
import type { Change } from './object-store.ts';
import type { PodClass, PodClasses } from './pod-class.ts';
import { isFinished } from './pod-store.ts';

export interface ClassCount {
  all: number;
  /** Without those that terminate. */
  staying: number;
}

/** A node with what is bound to it, as kube-scheduler's cache has it. */
export interface NodeLoad {
  node: Node;
  readonly used: Record<string, number>;
  readonly classes: Map<PodClass, ClassCount>;
}

/** The loads of all nodes that exist, kept true change by change. */
export interface NodeLoads {
  all(): Iterable<NodeLoad>;
  get(node: string): NodeLoad | undefined;
  onNode(change: Change<Node>): void;
  onPod(change: Change<Pod>): void;
}

export function createNodeLoads(classes: PodClasses): NodeLoads {
  const loads = new Map<string, NodeLoad>();

  function count(pod: Pod | undefined, times: 1 | -1): void {
    if (pod?.nodeName === undefined || isFinished(pod)) return;
    const load = loads.get(pod.nodeName);
    if (!load) return;
    addTo(load.used, pod.spec.requests, times);
    countClass(load.classes, classes.of(pod), pod.deletionAt === undefined, times);
  }

  return {
    all: () => loads.values(),
    get: (node) => loads.get(node),
    onNode({ before, after }) {
      if (!after) loads.delete(before?.name ?? '');
      else {
        const load = loads.get(after.name);
        if (load) load.node = after;
        else loads.set(after.name, { node: after, used: {}, classes: new Map() });
      }
    },
    onPod({ before, after }) {
      count(before, -1);
      count(after, 1);
    },
  };
}

function addTo(used: Record<string, number>, requests: Resources, times: number): void {
  for (const name in requests) used[name] = (used[name] ?? 0) + times * (requests[name] ?? 0);
}

function countClass(
  classes: Map<PodClass, ClassCount>,
  podClass: PodClass,
  stays: boolean,
  times: number,
): void {
  const count = classes.get(podClass) ?? { all: 0, staying: 0 };
  count.all += times;
  if (stays) count.staying += times;
  if (count.all === 0) classes.delete(podClass);
  else classes.set(podClass, count);
}

export function hasRoom({ node, used }: NodeLoad, requests: Resources): boolean {
  for (const name in requests) {
    const wanted = requests[name] ?? 0;
    if (wanted > 0 && wanted + (used[name] ?? 0) > (node.allocatable[name] ?? 0)) return false;
  }
  return true;
}

export function portsAreFree({ classes }: NodeLoad, ports: readonly HostPort[]): boolean {
  if (ports.length === 0) return true;
  for (const { spec } of classes.keys()) {
    if (spec.hostPorts.some((taken) => ports.some((port) => collide(taken, port)))) return false;
  }
  return true;
}

const EVERY_ADDRESS: ReadonlySet<string> = new Set(['', '0.0.0.0', '::']);

const collide = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port &&
  a.protocol === b.protocol &&
  (a.ip === b.ip || EVERY_ADDRESS.has(a.ip) || EVERY_ADDRESS.has(b.ip));
