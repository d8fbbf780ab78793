export interface Key {
  /** `KeyboardEvent.key`; undefined if another component handles the key. */
  readonly key?: string;
  readonly shown: string;
  readonly does: string;
}

export const KEYS: readonly Key[] = [
  { key: '/', shown: '/', does: 'search objects, decisions and times' },
  { shown: '← ↑ → ↓', does: 'move among nodes' },
  { shown: 'Enter', does: 'go into the pods of a node' },
  { key: 'Escape', shown: 'Esc', does: 'go out, close the answer' },
  { key: ' ', shown: 'Space', does: 'pause and go on' },
  { key: '1', shown: '1–5', does: 'cluster, timeline, cost, NodePools, What-if' },
  { key: '[', shown: '[ ]', does: 'earlier and later action' },
  { key: 'l', shown: 'L', does: 'back to live' },
  { key: 'g', shown: 'G', does: 'group by zone, pool, type' },
  { key: 'a', shown: 'A', does: 'area by dominant share, CPU, memory, GPU' },
  { key: 'v', shown: 'V', does: 'map or table of the nodes' },
  { shown: '+ - 0', does: 'zoom in, out, all nodes' },
  { key: 'w', shown: 'W', does: 'wide answer' },
  { key: 't', shown: 'T', does: 'theme: system, light, dark' },
  { key: 'c', shown: 'C', does: 'copy a link to this view' },
  { key: '?', shown: '?', does: 'these keys' },
];
