import { explainDaemonWait } from '../../../shared/disruption/drift/daemon-shortage.ts';
import { formatAwaitedFinalizers } from '../../../shared/model/explanations/phrases.ts';
import { type Pod, podKey } from '../../../shared/model/pods/pod.ts';
import type { Explanation } from '../../explanation.ts';
import { formatCpu, formatMemory } from '../../format.ts';
import type { NodeView, PodView } from '../../views.ts';
import type { ConsoleFacts } from '../facts.ts';
import { nodeViews } from '../nodes.ts';
import { wouldLaunchText } from '../pending.ts';
import { podViews } from '../pods.ts';
import { launchEvidence } from './explain-launch.ts';
import { explainUnplaced } from './explain-unplaced.ts';
import { podPhases, startedFor } from './pod-phases.ts';
import { type Answer, about, type PodQuestion, plain } from './pod-question.ts';

/** Undefined if there is no pod with this key. */
export function explainPod(facts: ConsoleFacts, key: string): Explanation | undefined {
  const pod = facts.snapshot.pods.find((candidate) => podKey(candidate) === key);
  const views = podViews(facts);
  const view = views.find((candidate) => candidate.key === key);
  if (!pod) return undefined;
  if (!view) return explainFinished(pod, key);

  const nodes = nodeViews(facts, views);
  const answer = facts.decisions.podAnswer(key);
  const node = nodes.find(({ name }) => name === (view.node ?? view.nominated));
  const claim = facts.snapshot.claims.find(({ name }) => name === node?.name);
  const question = { facts, pod, view, answer, node, claim };
  return {
    subject: { kind: 'pod', name: key },
    facts: factsOf(pod, view),
    ...(answer === undefined ? {} : { decision: answer.decision }),
    ...explainState(question),
  };
}

/** The page shows no finished pods: they occupy no resources. */
const explainFinished = ({ phase }: Pod, key: string): Explanation => ({
  subject: { kind: 'pod', name: key },
  facts: [],
  question: 'Why is this pod not on the map?',
  tone: 'calm',
  verdict: plain(`It has finished: ${phase}.`),
  evidence: [],
});

function explainState(question: PodQuestion): Answer {
  if (question.view.state === 'pending') return explainPending(question);
  return question.pod.nodeName === undefined ? explainDeleted(question) : explainPlaced(question);
}

/** Explains a pod without a node that is being deleted. */
function explainDeleted({ pod, answer, claim }: PodQuestion): Answer {
  const awaited = formatAwaitedFinalizers(pod);
  const wait = awaited === undefined ? '' : ` It waits for ${awaited}.`;
  return {
    question: 'Why is this pod still here?',
    tone: 'warn',
    verdict: plain(`It is being deleted, and gets no node.${wait}`),
    evidence: [podPhases(pod, answer, claim)],
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

function explainPending(pod: PodQuestion): Answer {
  const { answer, node } = pod;
  const question = 'Why is this pod pending?';
  if (answer?.outcome === 'unplaced') {
    return { question, tone: 'bad', ...explainUnplaced(answer.unplaced) };
  }
  return {
    question,
    tone: 'calm',
    ...(node ? waitingFor(node) : { verdict: plain(undecidedText(pod)) }),
    evidence: evidenceOf(pod),
  };
}

/** The node of a plan that nothing carries out does not exist. */
function undecidedText({ answer, facts, pod, view }: PodQuestion): string {
  if (view.daemon) {
    const { why, next } = explainDaemonWait(pod, facts.snapshot);
    return `It waits for its node: ${why}. ${next}`;
  }
  return answer?.outcome === 'launch'
    ? `${wouldLaunchText(answer)}. Nothing has launched it yet.`
    : 'No decision has looked at it yet.';
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

/** Explains why a pod runs on its node. */
function explainPlaced(question: PodQuestion): Answer {
  const { facts, pod, view, answer, claim } = question;
  const launch = claim && startedFor(pod, claim) ? facts.decisions.launchOf(claim.name) : undefined;
  const name = view.node ?? 'its node';
  const isLeaving = view.state === 'leaving';
  return {
    question: 'Why is this pod here?',
    tone: isLeaving ? 'warn' : 'calm',
    verdict: about(isLeaving ? `It is leaving ${name}.` : placedText(question, name), name),
    evidence: [podPhases(pod, answer, claim), ...(launch ? launchEvidence(launch, claim?.launch) : [])],
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
