import type { NodeView } from '../views.ts';
import { launchEvidence } from './explain-launch.ts';
import { unplacedAnswer } from './explain-unplaced.ts';
import { podPhases } from './pod-phases.ts';
import type { Answer, PodQuestion } from './pod-question.ts';
import { about, plain } from './pod-question.ts';

export function pendingAnswer(asked: PodQuestion): Answer {
  const { answer, node } = asked;
  const question = 'Why is this pod pending?';
  if (answer?.outcome === 'unplaced') {
    return { question, tone: 'bad', ...unplacedAnswer(answer.unplaced) };
  }
  return {
    question,
    tone: 'calm',
    ...(node ? waitingFor(node) : { verdict: plain('No decision has looked at it yet.') }),
    evidence: evidenceOf(asked),
  };
}

function waitingFor({ name, state, note }: NodeView): Pick<Answer, 'verdict' | 'until'> {
  if (state !== 'starting' && state !== 'registered') {
    return {
      verdict: about(`It fits on ${name}, which runs; kube-scheduler binds it next.`, name),
    };
  }
  const starting = `A node for it is starting: ${name}`;
  return note?.until === undefined
    ? { verdict: about(`${starting}.`, name) }
    : { verdict: about(`${starting}, ready in about`, name), until: note.until };
}

function evidenceOf({ facts, pod, answer, claim }: PodQuestion): Answer['evidence'] {
  const launch = claim && facts.decisions.launchOf(claim.name);
  return [podPhases(pod, answer, claim), ...(launch ? launchEvidence(launch, claim?.launch) : [])];
}
