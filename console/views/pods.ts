import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { isAwaitingNode, isTerminal, isTerminating } from '../../shared/model/pods/disruption-pods.ts';
import { type Pod, podKey } from '../../shared/model/pods/pod.ts';
import type { PodView } from '../views.ts';
import type { PodAnswer } from './decision-index.ts';
import type { ConsoleFacts } from './facts.ts';

/** Lists the pods that run, wait or are being deleted; finished pods occupy no resources. */
export function podViews({ snapshot, decisions, pods }: ConsoleFacts): PodView[] {
  const viewNames = nodeViewNames(snapshot);
  return snapshot.pods.filter(isShown).map((pod): PodView => {
    const node = pod.nodeName === undefined ? undefined : viewNames.get(pod.nodeName);
    const chosen = isAwaitingNode(pod) ? chosenFor(decisions.podAnswer(podKey(pod)), viewNames) : undefined;
    return pods.view(pod, node, chosen);
  });
}

const isShown = (pod: Pod): boolean => !isTerminal(pod) || (isTerminating(pod) && pod.nodeName === undefined);

function chosenFor(answer: PodAnswer | undefined, viewNames: ReadonlyMap<string, string>): string | undefined {
  switch (answer?.outcome) {
    case 'launch':
      return viewNames.get(answer.planned.claim.name);
    case 'placed':
      return viewNames.get(answer.target);
    case 'unplaced':
    case undefined:
      return undefined;
  }
}

/**
 * Maps the names that plans and pods use to names of NodeViews: a Node has the name of its claim.
 */
export function nodeViewNames({
  claims,
  nodes,
}: Pick<ClusterSnapshot, 'claims' | 'nodes'>): ReadonlyMap<string, string> {
  const names = new Map(nodes.map(({ name }) => [name, name]));
  for (const { name, nodeName } of claims) {
    names.set(name, name);
    if (nodeName !== undefined) names.set(nodeName, name);
  }
  return names;
}
