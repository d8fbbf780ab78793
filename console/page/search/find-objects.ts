import type { NodeView, ObjectRef, PodView } from '../../views.ts';
import type { ClusterModel } from '../store/cluster-model.ts';

export interface Finding {
  readonly id: string;
  readonly object: ObjectRef;
  /** Distinguishes objects with similar names. */
  readonly about: string;
}

/** As many as fit without scrolling. */
const SHOWN = 8;

/** Finds nodes and pods whose name contains every word; those that start with it are first. */
export function findObjects(model: ClusterModel | undefined, text: string): Finding[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!model || words.length === 0) return [];

  const holdsAll = (objectText: string) => words.every((word) => objectText.includes(word));
  const nodes = [...model.nodes.values()]
    .filter(({ node }) => holdsAll(nodeWords(node)))
    .map(({ node }) => nodeFinding(node));
  const pods = [...model.pods.values()].filter(({ key }) => holdsAll(key)).map(podFinding);
  const rank = ({ object }: Finding) => (object.name.startsWith(words[0] ?? '') ? 0 : 1);
  return [...nodes, ...pods].toSorted((a, b) => rank(a) - rank(b)).slice(0, SHOWN);
}

const nodeWords = ({ name, node, instanceType, zone, pool }: NodeView): string =>
  [name, node, instanceType, zone, pool].filter(Boolean).join(' ');

const nodeFinding = ({ name, instanceType, zone }: NodeView): Finding => ({
  id: `node/${name}`,
  object: { kind: 'node', name },
  about: `${instanceType} in ${zone}`,
});

const podFinding = ({ key, node, nominated }: PodView): Finding => ({
  id: `pod/${key}`,
  object: { kind: 'pod', name: key },
  about: node ?? (nominated === undefined ? 'pending' : `pending, for ${nominated}`),
});
