import type { Pod } from '../../shared/model/pod.ts';
import { podKey } from '../../shared/model/pod.ts';
import { isDaemon } from '../../shared/model/workload.ts';
import type { PodState, PodView } from '../views.ts';
import { amountsOf } from './amounts.ts';
import type { PodAnswer } from './decision-index.ts';
import type { ConsoleFacts } from './facts.ts';

/** Pods that run or want to; finished ones hold no room. */
export function podViews(facts: ConsoleFacts): PodView[] {
  const viewNames = nodeViewNames(facts);

  return facts.snapshot.pods.filter(isActive).map((pod): PodView => {
    const key = podKey(pod);
    const node = pod.nodeName === undefined ? undefined : viewNames.get(pod.nodeName);
    const nominated = node ?? nominatedFor(facts.decisions.podAnswer(key), viewNames);
    return {
      key,
      namespace: pod.namespace,
      name: pod.name,
      workload: workloadOf(pod),
      requests: amountsOf(pod.spec.requests),
      ...(node === undefined ? {} : { node }),
      ...(nominated === undefined || node !== undefined ? {} : { nominated }),
      state: podState(pod),
      since: stateSince(pod),
      daemon: isDaemon(pod),
    };
  });
}

const isActive = ({ phase }: Pod): boolean => phase === 'Pending' || phase === 'Running';

/** View names by what decisions and pods call them: claim names stand for themselves. */
export function nodeViewNames({
  snapshot: { claims, nodes },
}: ConsoleFacts): ReadonlyMap<string, string> {
  const names = new Map(nodes.map(({ name }) => [name, name]));
  for (const { name, nodeName } of claims) {
    names.set(name, name);
    if (nodeName !== undefined) names.set(nodeName, name);
  }
  return names;
}

function nominatedFor(
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

function podState({ nodeName, deletionAt, phase, ready }: Pod): PodState {
  if (nodeName === undefined) return 'pending';
  if (deletionAt !== undefined) return 'leaving';
  return phase === 'Running' && ready ? 'running' : 'starting';
}

function stateSince({ nodeName, startedAt, createdAt, unschedulableSince }: Pod): number {
  if (nodeName === undefined) return unschedulableSince ?? createdAt;
  return startedAt ?? createdAt;
}

/** A ReplicaSet's name is its Deployment's and a hash; the hash says nothing to people. */
export function workloadOf({ owner, name }: Pod): string {
  if (owner === undefined) return name;
  return owner.kind === 'ReplicaSet' ? owner.name.replace(/-[a-z0-9]{5,10}$/, '') : owner.name;
}
