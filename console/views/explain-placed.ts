import { launchEvidence } from './explain-launch.ts';
import { podPhases, startedFor } from './pod-phases.ts';
import type { Answer, PodQuestion } from './pod-question.ts';
import { about } from './pod-question.ts';

/** Explains why a pod runs on its node. */
export function placedAnswer(asked: PodQuestion): Answer {
  const { facts, pod, view, answer, claim } = asked;
  const launch = claim && startedFor(pod, claim) ? facts.decisions.launchOf(claim.name) : undefined;
  const name = view.node ?? 'its node';
  const isLeaving = view.state === 'leaving';
  return {
    question: 'Why is this pod here?',
    tone: isLeaving ? 'warn' : 'calm',
    verdict: about(isLeaving ? `It is leaving ${name}.` : placedText(asked, name), name),
    evidence: [
      podPhases(pod, answer, claim),
      ...(launch ? launchEvidence(launch, claim?.launch) : []),
    ],
  };
}

function placedText({ answer, view, node }: PodQuestion, name: string): string {
  if (view.daemon) return `Its DaemonSet runs one on each node, ${name} among them.`;
  if (answer?.outcome === 'launch' && answer.planned.claim.name === name) {
    return `${name} was launched for it.`;
  }
  const isPlanned = answer?.outcome === 'placed' && [name, node?.node].includes(answer.target);
  if (isPlanned) return `The decision found room for it on ${name}; nothing was launched.`;
  const planned = plannedTarget(answer);
  return planned === undefined
    ? `kube-scheduler found room for it on ${name} without our help.`
    : `It was planned for ${planned}; kube-scheduler found room on ${name} first.`;
}

function plannedTarget(answer: PodQuestion['answer']): string | undefined {
  if (answer?.outcome === 'launch') return answer.planned.claim.name;
  return answer?.outcome === 'placed' ? answer.target : undefined;
}
