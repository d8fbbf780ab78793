import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import type { Pod } from '../../shared/model/pods/pod.ts';
import type { Explanation, Sentence } from '../explanation.ts';
import type { NodeView, PodView } from '../views.ts';
import type { PodAnswer } from './decision-index.ts';
import type { ConsoleFacts } from './facts.ts';

/** What is known of a pod that somebody asks about. */
export interface PodQuestion {
  readonly facts: ConsoleFacts;
  readonly pod: Pod;
  readonly view: PodView;
  readonly answer: PodAnswer | undefined;
  /** That it runs on, or that was chosen for it. */
  readonly node: NodeView | undefined;
  readonly claim: NodeClaim | undefined;
}

export type Answer = Pick<
  Explanation,
  'question' | 'verdict' | 'tone' | 'until' | 'fix' | 'evidence'
>;

export const plain = (text: string): Sentence => ({ text, objects: [] });

/** A sentence that names one node. */
export const about = (text: string, node: string): Sentence => ({
  text,
  objects: [{ kind: 'node', name: node }],
});
