import { getOrCreate } from '../../../shared/model/memo.ts';
import type {
  EventView,
  InfoView,
  Keyframe,
  NodeView,
  PatchView,
  PendingGroup,
  PlaygroundView,
  PodView,
  ProposalView,
  TotalsView,
} from '../../views.ts';

/** A node with the pods that are bound to it or nominated for it. */
export interface NodeWithPods {
  readonly node: NodeView;
  readonly pods: readonly PodView[];
}

/** The page's copy of the state, indexed. A patch keeps the objects that it does not change. */
export interface ClusterModel {
  readonly info: InfoView;
  readonly totals: TotalsView;
  readonly nodes: ReadonlyMap<string, NodeWithPods>;
  readonly pods: ReadonlyMap<string, PodView>;
  readonly pending: readonly PendingGroup[];
  /** Largest first. */
  readonly namespaces: readonly string[];
  /** Sentences about what could not be read. */
  readonly notices: readonly string[];
  readonly proposal?: ProposalView | undefined;
  readonly play?: PlaygroundView;
  /** Newest last. */
  readonly events: readonly EventView[];
  /** Number of decisions since the page was opened, so that explanations know when to refresh. */
  readonly decisions: number;
}

const KEPT_EVENTS = 300;
const NO_PODS: readonly PodView[] = [];

const assignedNodeOf = ({ node, nominated }: PodView): string | undefined => node ?? nominated;

export function createClusterModel(keyframe: Keyframe): ClusterModel {
  const { info, totals, nodes, pods, pending, namespaces, play, events } = keyframe;
  const { notices = [], proposal } = keyframe;
  const podsByNode = Map.groupBy(pods, assignedNodeOf);
  return {
    ...{ info, totals, pending, namespaces, events, notices, proposal },
    nodes: new Map(nodes.map((node) => [node.name, { node, pods: podsByNode.get(node.name) ?? NO_PODS }])),
    pods: new Map(pods.map((pod) => [pod.key, pod])),
    ...(play !== undefined && { play }),
    decisions: 0,
  };
}

export function applyPatch(model: ClusterModel, patch: PatchView): ClusterModel {
  const pods = patch.pods ? withChanges(model.pods, patch.pods, ({ key }) => key) : model.pods;
  const { totals, pending, namespaces, notices, proposal, play } = patch;
  return {
    ...model,
    pods,
    nodes: applyNodePatch(model, patch, pods),
    ...(totals !== undefined && { totals }),
    ...(pending !== undefined && { pending }),
    ...(namespaces !== undefined && { namespaces }),
    ...(notices !== undefined && { notices }),
    ...(proposal !== undefined && { proposal: proposal ?? undefined }),
    ...(play !== undefined && { play }),
  };
}

/** A merged event takes the place of the earlier events of its cause. */
export function addEvent(model: ClusterModel, event: EventView): ClusterModel {
  if (model.events.some(({ seq }) => seq === event.seq)) return model;
  const replaced = new Set(event.replaces);
  const others = model.events.filter(({ seq }) => !replaced.has(seq));
  return { ...model, events: [...others, event].slice(-KEPT_EVENTS) };
}

function withChanges<T>(
  entries: ReadonlyMap<string, T>,
  { upserts, removals }: { readonly upserts: readonly T[]; readonly removals: readonly string[] },
  getKey: (item: T) => string,
): ReadonlyMap<string, T> {
  const next = new Map(entries);
  for (const key of removals) next.delete(key);
  for (const item of upserts) next.set(getKey(item), item);
  return next;
}

/**
 * Only changed nodes, or nodes with changed pods, become new objects, so that the map redraws only
 * these.
 */
function applyNodePatch(
  model: ClusterModel,
  patch: PatchView,
  pods: ReadonlyMap<string, PodView>,
): ClusterModel['nodes'] {
  if (!patch.nodes && !patch.pods) return model.nodes;
  const changedNodes = findChangedNodes(model, patch);
  const podsByNode = groupPodsByNode(changedNodes, model, patch, pods);
  const next = new Map(model.nodes);
  for (const name of patch.nodes?.removals ?? []) next.delete(name);
  for (const node of patch.nodes?.upserts ?? []) {
    next.set(node.name, { node, pods: next.get(node.name)?.pods ?? NO_PODS });
  }
  for (const nodeName of changedNodes) {
    const nodeWithPods = next.get(nodeName);
    if (nodeWithPods) next.set(nodeName, { node: nodeWithPods.node, pods: podsByNode.get(nodeName) ?? NO_PODS });
  }
  return next;
}

function findChangedNodes({ pods }: ClusterModel, patch: PatchView): ReadonlySet<string> {
  const changedNodes = new Set<string>();
  const add = (pod: PodView | undefined) => {
    const nodeName = pod && assignedNodeOf(pod);
    if (nodeName !== undefined) changedNodes.add(nodeName);
  };
  for (const pod of patch.pods?.upserts ?? []) {
    add(pod);
    add(pods.get(pod.key));
  }
  for (const key of patch.pods?.removals ?? []) add(pods.get(key));
  // A node may arrive after the pods that were nominated for it.
  for (const { name } of patch.nodes?.upserts ?? []) if (!changedNodes.has(name)) changedNodes.add(name);
  return changedNodes;
}

function groupPodsByNode(
  nodeNames: ReadonlySet<string>,
  model: ClusterModel,
  patch: PatchView,
  pods: ReadonlyMap<string, PodView>,
): ReadonlyMap<string, readonly PodView[]> {
  const podsByNode = new Map<string, PodView[]>();
  const keep = (pod: PodView) => {
    const nodeName = assignedNodeOf(pod);
    if (nodeName === undefined || !nodeNames.has(nodeName)) return;
    getOrCreate(podsByNode, nodeName, () => []).push(pod);
  };
  const hasNewNode = [...nodeNames].some((nodeName) => !model.nodes.has(nodeName));
  if (hasNewNode) {
    for (const pod of pods.values()) keep(pod);
    return podsByNode;
  }
  const changed = new Set([...(patch.pods?.removals ?? []), ...(patch.pods?.upserts ?? []).map(({ key }) => key)]);
  for (const nodeName of nodeNames) {
    for (const pod of model.nodes.get(nodeName)?.pods ?? []) if (!changed.has(pod.key)) keep(pod);
  }
  for (const pod of patch.pods?.upserts ?? []) keep(pod);
  return podsByNode;
}
