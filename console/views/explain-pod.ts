import type { Funnel, PoolRefusal, Unplaced } from '../../shared/model/plans.ts';
import type { Pod } from '../../shared/model/pod.ts';
import { podKey } from '../../shared/model/pod.ts';
import { reasonText } from '../../shared/model/reasons.ts';
import { formatCpu, formatMemory, plural } from '../format.ts';
import type {
  Evidence,
  Explanation,
  FunnelRow,
  NodeView,
  ObjectRef,
  PodView,
  Sentence,
} from '../views.ts';
import type { PodAnswer } from './decision-index.ts';
import { offeringEvidence, whyLaunched } from './explain-launch.ts';
import type { ConsoleFacts } from './facts.ts';
import { nodeViews } from './nodes.ts';
import { podViews } from './pods.ts';
import { byNearness, nearestRefusal } from './refusals.ts';

/** Absent: no pod of that key runs or waits. */
export function explainPod(facts: ConsoleFacts, key: string): Explanation | undefined {
  const pod = facts.snapshot.pods.find((candidate) => podKey(candidate) === key);
  const views = podViews(facts);
  const view = views.find((candidate) => candidate.key === key);
  if (!pod || !view) return undefined;

  const nodes = nodeViews(facts, views);
  const answer = facts.decisions.podAnswer(key);
  const common = {
    subject: { kind: 'pod', name: key } satisfies ObjectRef,
    facts: factsOf(pod, view),
    ...(answer === undefined ? {} : { decision: answer.decision }),
  };
  return view.state === 'pending'
    ? { ...common, ...pendingAnswer(facts, pod, view, answer, nodes) }
    : { ...common, ...placedAnswer(facts, pod, view, answer, nodes) };
}

type Answer = Pick<Explanation, 'question' | 'verdict' | 'tone' | 'until' | 'evidence'>;

function factsOf(pod: Pod, { requests, workload, node }: PodView): string[] {
  const { cpuMilli, memoryMib, gpu } = requests;
  const size = [
    `${formatCpu(cpuMilli)} CPU`,
    formatMemory(memoryMib),
    ...(gpu > 0 ? [`${gpu} GPU`] : []),
  ].join(', ');
  return [
    size,
    ...(pod.owner
      ? [`${pod.owner.kind === 'ReplicaSet' ? 'Deployment' : pod.owner.kind} ${workload}`]
      : []),
    ...(pod.spec.priority === 0 ? [] : [`priority ${pod.spec.priority}`]),
    ...(node === undefined ? [] : [`on ${node}`]),
  ];
}

function pendingAnswer(
  facts: ConsoleFacts,
  pod: Pod,
  view: PodView,
  answer: PodAnswer | undefined,
  nodes: readonly NodeView[],
): Answer {
  const question = 'Why is this pod pending?';
  if (answer?.outcome === 'unplaced') {
    return { question, tone: 'bad', ...unplacedAnswer(answer.unplaced) };
  }
  const target = nodes.find(({ name }) => name === view.nominated);
  if (!answer || !target) {
    return {
      question,
      tone: 'calm',
      verdict: sentence('No decision has looked at it yet.'),
      evidence: [phases(pod, undefined, facts)],
    };
  }
  return { question, tone: 'calm', ...waitingAnswer(facts, pod, answer, target) };
}

function waitingAnswer(
  facts: ConsoleFacts,
  pod: Pod,
  answer: PodAnswer,
  target: NodeView,
): Pick<Answer, 'verdict' | 'until' | 'evidence'> {
  const node: ObjectRef = { kind: 'node', name: target.name };
  const isStarting = target.state === 'starting' || target.state === 'registered';
  const until = target.note?.until;
  const text = isStarting
    ? `A node for it is starting: ${target.name}${until === undefined ? '' : ', ready in about'}`
    : `It fits on ${target.name}, which runs; kube-scheduler binds it next`;
  return {
    verdict: { text: until === undefined || !isStarting ? `${text}.` : text, objects: [node] },
    ...(until === undefined || !isStarting ? {} : { until }),
    evidence: [phases(pod, target, facts), ...launchEvidence(answer)],
  };
}

const launchEvidence = (answer: PodAnswer): Evidence[] =>
  answer.outcome === 'launch'
    ? [
        whyLaunched({ decision: answer.decision, planned: answer.planned }),
        ...offeringEvidence(answer.planned),
      ]
    : [];

function placedAnswer(
  facts: ConsoleFacts,
  pod: Pod,
  view: PodView,
  answer: PodAnswer | undefined,
  nodes: readonly NodeView[],
): Answer {
  const target = nodes.find(({ name }) => name === view.node);
  const name = view.node ?? 'its node';
  const planned =
    (answer?.outcome === 'launch' && answer.planned.claim.name === name) ||
    (answer?.outcome === 'placed' &&
      view.node !== undefined &&
      answer.target === (target?.node ?? name));
  const text = !planned
    ? `kube-scheduler found room on ${name}; no node had to be launched.`
    : answer?.outcome === 'launch'
      ? `${name} was launched for it.`
      : `The decision found room for it on ${name}; nothing was launched.`;
  return {
    question: 'Why is this pod here?',
    tone: view.state === 'leaving' ? 'warn' : 'calm',
    verdict: {
      text: view.state === 'leaving' ? `It is leaving ${name}.` : text,
      objects: [{ kind: 'node', name }],
    },
    evidence: [phases(pod, target, facts), ...(planned && answer ? launchEvidence(answer) : [])],
  };
}

/** The way of a pod from nothing to running. */
function phases(pod: Pod, node: NodeView | undefined, facts: ConsoleFacts): Evidence {
  const claim = facts.snapshot.claims.find(({ name }) => name === node?.name);
  const answer = facts.decisions.podAnswer(podKey(pod));
  const launched = answer?.outcome === 'launch' ? claim : undefined;
  const row = (label: string, at: number | undefined) => ({
    label,
    ...(at === undefined ? {} : { at }),
  });
  return {
    kind: 'phases',
    title: 'From pending to running',
    rows: [
      row('created', pod.createdAt),
      ...(answer ? [row('decided', answer.decision.at)] : []),
      ...(launched
        ? [
            row('launched', launched.launch?.at),
            row('registered', launched.registeredAt),
            row('node ready', launched.initializedAt),
          ]
        : []),
      row('running', pod.startedAt),
    ],
  };
}

function unplacedAnswer({ pods, pools, nodes }: Unplaced): Pick<Answer, 'verdict' | 'evidence'> {
  const nearest = nearestRefusal(pools);
  const funnel = nearest?.funnel;
  return {
    verdict: unplacedVerdict(pools),
    evidence: [
      ...(nearest && funnel
        ? [
            {
              kind: 'funnel' as const,
              title: 'Where the offerings went',
              rows: funnelRows(nearest.pool, funnel),
            },
          ]
        : []),
      {
        kind: 'reasons',
        title: 'By NodePool',
        rows: byNearness(pools).map(({ pool, reasons }) => ({
          subject: pool,
          texts: reasons.map(reasonText),
        })),
      },
      ...(nodes.length === 0
        ? []
        : [
            {
              kind: 'reasons' as const,
              title: 'Running nodes, nearest first',
              rows: nodes.map(({ node, reason }) => ({
                subject: node,
                object: { kind: 'node' as const, name: node },
                texts: [reasonText(reason)],
              })),
            },
          ]),
      {
        kind: 'text',
        title: 'What happens next',
        sentences: [
          sentence(
            `Looked at again as soon as pods, nodes or NodePools change, and each minute. ${plural(pods.length, 'equal pod')} in this answer.`,
          ),
        ],
      },
    ],
  };
}

function unplacedVerdict(pools: readonly PoolRefusal[]): Sentence {
  const nearest = nearestRefusal(pools);
  const reason = nearest?.reasons[0];
  if (!nearest || !reason) return sentence('There is no NodePool that could hold it.');
  if (pools.length === 1)
    return sentence(`NodePool ${nearest.pool} cannot hold it: ${reasonText(reason)}.`);
  return sentence(
    `None of ${pools.length} NodePools can hold it. ${nearest.pool} comes closest: ${reasonText(reason)}.`,
  );
}

const funnelRows = (pool: string, funnel: Funnel): FunnelRow[] => [
  { label: 'All offerings', count: funnel.all },
  { label: `Allowed by NodePool ${pool}`, count: funnel.allowedByPool },
  { label: 'Allowed by the pod', count: funnel.allowedByPod },
  { label: 'Large enough', count: funnel.fitting },
  { label: 'Not run dry', count: funnel.available },
  { label: 'Within the limits of the pool', count: funnel.withinLimits },
];

const sentence = (text: string): Sentence => ({ text, objects: [] });
