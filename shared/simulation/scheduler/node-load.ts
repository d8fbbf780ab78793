import type { Node } from '../../model/nodes/node.ts';
import { ownValue } from '../../model/own-value.ts';
import { isTerminal } from '../../model/pods/disruption-pods.ts';
import type { HostPort, Pod } from '../../model/pods/pod.ts';
import type { Resources } from '../../model/resources.ts';
import type { ObjectChange } from '../control-plane/object-store.ts';
import type { SimPodClass, SimPodClasses } from '../control-plane/pod-store.ts';

interface ClassCount {
  all: number;
  /** Without terminating pods. */
  staying: number;
}

/** A node with the pods bound to it, as in kube-scheduler's cache. */
export interface NodeLoad {
  readonly node: Node;
  readonly used: Record<string, number>;
  readonly classes: Map<SimPodClass, ClassCount>;
}

/** The loads of all nodes, updated with every change. */
export interface NodeLoads {
  /** Oldest first. Returns the same array until a Node changes. */
  list(): readonly NodeLoad[];
  get(node: string): NodeLoad | undefined;
  /** Classes with at least one bound pod. */
  classes(): Iterable<SimPodClass>;
  /** Number of pods of the class by node. */
  countsOf(podClass: SimPodClass): ReadonlyMap<NodeLoad, ClassCount>;
  onNode(change: ObjectChange<Node>): void;
  onPod(change: ObjectChange<Pod>): void;
}

interface MutableLoad extends NodeLoad {
  node: Node;
}

const NO_COUNTS: ReadonlyMap<NodeLoad, ClassCount> = new Map();

export function createNodeLoads(podClasses: SimPodClasses): NodeLoads {
  const loads = new Map<string, MutableLoad>();
  const byClass = new Map<SimPodClass, Map<NodeLoad, ClassCount>>();
  let listed: readonly NodeLoad[] | undefined;

  function count(pod: Pod | undefined, sign: 1 | -1): void {
    if (pod?.nodeName === undefined || isTerminal(pod)) return;
    const load = loads.get(pod.nodeName);
    if (!load) return;
    addRequests(load.used, pod.spec.requests, sign);
    countClass(load, podClasses.of(pod), pod.deletionAt === undefined, sign);
  }

  function countClass(load: NodeLoad, podClass: SimPodClass, stays: boolean, sign: 1 | -1): void {
    const classCount = load.classes.get(podClass) ?? addClass(load, podClass);
    classCount.all += sign;
    if (stays) classCount.staying += sign;
    if (classCount.all > 0) return;
    load.classes.delete(podClass);
    removeClass(load, podClass);
  }

  function addClass(load: NodeLoad, podClass: SimPodClass): ClassCount {
    const classCount: ClassCount = { all: 0, staying: 0 };
    load.classes.set(podClass, classCount);
    const nodes = byClass.get(podClass) ?? new Map<NodeLoad, ClassCount>();
    byClass.set(podClass, nodes.set(load, classCount));
    return classCount;
  }

  function removeClass(load: NodeLoad, podClass: SimPodClass): void {
    const nodes = byClass.get(podClass);
    nodes?.delete(load);
    if (nodes?.size === 0) byClass.delete(podClass);
  }

  function removeNode(name: string): void {
    const load = loads.get(name);
    loads.delete(name);
    for (const podClass of load?.classes.keys() ?? []) if (load) removeClass(load, podClass);
  }

  return {
    list: () => (listed ??= [...loads.values()]),
    get: (node) => loads.get(node),
    classes: () => byClass.keys(),
    countsOf: (podClass) => byClass.get(podClass) ?? NO_COUNTS,
    onNode({ before, after }) {
      listed = undefined;
      const load = loads.get(after?.name ?? '');
      if (!after) removeNode(before?.name ?? '');
      else if (load) load.node = after;
      else loads.set(after.name, { node: after, used: {}, classes: new Map() });
    },
    onPod({ before, after }) {
      count(before, -1);
      count(after, 1);
    },
  };
}

function addRequests(used: Record<string, number>, requests: Resources, sign: number): void {
  for (const name in requests) used[name] = (ownValue(used, name) ?? 0) + sign * (ownValue(requests, name) ?? 0);
}

export function hasFreeResources({ node, used }: NodeLoad, requests: Resources): boolean {
  for (const name in requests) {
    const requested = ownValue(requests, name) ?? 0;
    if (requested > 0 && requested + (ownValue(used, name) ?? 0) > (ownValue(node.allocatable, name) ?? 0))
      return false;
  }
  return true;
}

export function areHostPortsFree({ classes }: NodeLoad, ports: readonly HostPort[]): boolean {
  if (ports.length === 0) return true;
  for (const { spec } of classes.keys()) {
    if (spec.hostPorts.some((taken) => ports.some((port) => conflict(taken, port)))) return false;
  }
  return true;
}

const EVERY_ADDRESS: ReadonlySet<string> = new Set(['', '0.0.0.0', '::']);

const conflict = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port &&
  a.protocol === b.protocol &&
  (a.ip === b.ip || EVERY_ADDRESS.has(a.ip) || EVERY_ADDRESS.has(b.ip));
