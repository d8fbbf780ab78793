import type { Pod } from '../../shared/model/pods/pod.ts';
import { podKey } from '../../shared/model/pods/pod.ts';
import type { PodView } from '../views.ts';
import type { PodAnswer } from './decision-index.ts';
import type { ConsoleFacts } from './facts.ts';
import { nodeViewNames } from './node-names.ts';

/** Lists running and pending pods; finished pods occupy no resources. */
export function podViews({ snapshot, decisions, pods }: ConsoleFacts): PodView[] {
  const viewNames = nodeViewNames(snapshot);
  return snapshot.pods.filter(isActive).map((pod): PodView => {
    const node = pod.nodeName === undefined ? undefined : viewNames.get(pod.nodeName);
    const chosen =
      pod.nodeName === undefined
        ? chosenFor(decisions.podAnswer(podKey(pod)), viewNames)
        : undefined;
    return pods.view(pod, node, chosen);
  });
}

const isActive = ({ phase }: Pod): boolean => phase === 'Pending' || phase === 'Running';

function chosenFor(
  answer: PodAnswer | undefined,
  viewNames: ReadonlyMap<string, string>,
): string | undefined {
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
