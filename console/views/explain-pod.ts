import type { Pod } from '../../shared/model/pods/pod.ts';
import { podKey } from '../../shared/model/pods/pod.ts';
import type { Explanation } from '../explanation.ts';
import { formatCpu, formatMemory } from '../format.ts';
import type { PodView } from '../views.ts';
import { pendingAnswer } from './explain-pending.ts';
import { placedAnswer } from './explain-placed.ts';
import type { ConsoleFacts } from './facts.ts';
import { nodeViews } from './nodes.ts';
import { podViews } from './pods.ts';

/** Undefined if no pod with this key runs or is pending. */
export function explainPod(facts: ConsoleFacts, key: string): Explanation | undefined {
  const pod = facts.snapshot.pods.find((candidate) => podKey(candidate) === key);
  const views = podViews(facts);
  const view = views.find((candidate) => candidate.key === key);
  if (!pod || !view) return undefined;

  const nodes = nodeViews(facts, views);
  const answer = facts.decisions.podAnswer(key);
  const node = nodes.find(({ name }) => name === (view.node ?? view.nominated));
  const claim = facts.snapshot.claims.find(({ name }) => name === node?.name);
  const question = { facts, pod, view, answer, node, claim };
  return {
    subject: { kind: 'pod', name: key },
    facts: factsOf(pod, view),
    ...(answer === undefined ? {} : { decision: answer.decision }),
    ...(view.state === 'pending' ? pendingAnswer(question) : placedAnswer(question)),
  };
}

function factsOf(pod: Pod, { requests, workload, node }: PodView): string[] {
  const { cpuMilli, memoryMib, gpu } = requests;
  const size = [`${formatCpu(cpuMilli)} CPU`, formatMemory(memoryMib)];
  const { owner, spec } = pod;
  return [
    [...size, ...(gpu > 0 ? [`${gpu} GPU`] : [])].join(', '),
    ...(owner ? [`${owner.kind === 'ReplicaSet' ? 'Deployment' : owner.kind} ${workload}`] : []),
    ...(spec.priority === 0 ? [] : [`priority ${spec.priority}`]),
    ...(node === undefined ? [] : [`on ${node}`]),
  ];
}
