import type { Node } from '../model/node.ts';
import type { HostPort, Pod } from '../model/pod.ts';
import type { Resources } from '../model/resources.ts';
import type { Change } from './object-store.ts';
import { isFinished, type PodClass, type PodClasses } from './pod-store.ts';

interface ClassCount {
  all: number;
  /** Without those that terminate. */
  staying: number;
}

/** A node with what is bound to it, as kube-scheduler's cache has it. */
export interface NodeLoad {
  readonly node: Node;
  readonly used: Record<string, number>;
  readonly classes: Map<PodClass, ClassCount>;
}

/** The loads of all nodes that exist, kept true change by change. */
export interface NodeLoads {
  /** Oldest first; the same array until a Node changes. */
  list(): readonly NodeLoad[];
  get(node: string): NodeLoad | undefined;
  /** The classes of which a pod is bound. */
  classes(): Iterable<PodClass>;
  /** Where pods of the class are, and how many. */
  countsOf(podClass: PodClass): ReadonlyMap<NodeLoad, ClassCount>;
  onNode(change: Change<Node>): void;
  onPod(change: Change<Pod>): void;
}

interface MutableLoad extends NodeLoad {
  node: Node;
}

const NOWHERE: ReadonlyMap<NodeLoad, ClassCount> = new Map();

export function createNodeLoads(podClasses: PodClasses): NodeLoads {
  const loads = new Map<string, MutableLoad>();
  const byClass = new Map<PodClass, Map<NodeLoad, ClassCount>>();
  let listed: readonly NodeLoad[] | undefined;

  function count(pod: Pod | undefined, times: 1 | -1): void {
    if (pod?.nodeName === undefined || isFinished(pod)) return;
    const load = loads.get(pod.nodeName);
    if (!load) return;
    addTo(load.used, pod.spec.requests, times);
    countClass(load, podClasses.of(pod), pod.deletionAt === undefined, times);
  }

  function countClass(load: NodeLoad, podClass: PodClass, stays: boolean, times: 1 | -1): void {
    const counted = load.classes.get(podClass) ?? enter(load, podClass);
    counted.all += times;
    if (stays) counted.staying += times;
    if (counted.all > 0) return;
    load.classes.delete(podClass);
    leave(load, podClass);
  }

  function enter(load: NodeLoad, podClass: PodClass): ClassCount {
    const counted: ClassCount = { all: 0, staying: 0 };
    load.classes.set(podClass, counted);
    const nodes = byClass.get(podClass) ?? new Map<NodeLoad, ClassCount>();
    byClass.set(podClass, nodes.set(load, counted));
    return counted;
  }

  function leave(load: NodeLoad, podClass: PodClass): void {
    const nodes = byClass.get(podClass);
    nodes?.delete(load);
    if (nodes?.size === 0) byClass.delete(podClass);
  }

  function forget(name: string): void {
    const load = loads.get(name);
    loads.delete(name);
    for (const podClass of load?.classes.keys() ?? []) if (load) leave(load, podClass);
  }

  return {
    list: () => (listed ??= [...loads.values()]),
    get: (node) => loads.get(node),
    classes: () => byClass.keys(),
    countsOf: (podClass) => byClass.get(podClass) ?? NOWHERE,
    onNode({ before, after }) {
      listed = undefined;
      const load = loads.get(after?.name ?? '');
      if (!after) forget(before?.name ?? '');
      else if (load) load.node = after;
      else loads.set(after.name, { node: after, used: {}, classes: new Map() });
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
