import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import type { Explanation, Sentence } from '../../explanation.ts';
import type { NodeView, PodView } from '../../views.ts';
import type { PodAnswer } from '../decision-index.ts';
import type { ConsoleFacts } from '../facts.ts';

/** The facts about a pod that is explained. */
export interface PodQuestion {
  readonly facts: ConsoleFacts;
  readonly pod: Pod;
  readonly view: PodView;
  readonly answer: PodAnswer | undefined;
  /** The node that the pod runs on, or that was chosen for it. */
  readonly node: NodeView | undefined;
  readonly claim: NodeClaim | undefined;
}

export type Answer = Pick<Explanation, 'question' | 'verdict' | 'tone' | 'until' | 'evidence'>;

export const plain = (text: string): Sentence => ({ text, objects: [] });

/** A sentence that names one node. */
export const about = (text: string, node: string): Sentence => ({
  text,
  objects: [{ kind: 'node', name: node }],
});
