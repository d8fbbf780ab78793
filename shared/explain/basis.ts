import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { phaseOf } from '../model/nodes/node-claim.ts';
import { isAwaitingNode } from '../model/pods/disruption-pods.ts';
import { type PodKey, podKey } from '../model/pods/pod.ts';
import { formatInstant } from '../model/time.ts';
import type { DecisionFacts, DecisionToExplain } from './decisions.ts';
import type { Basis, Explanation } from './explanation.ts';

type DecidedKind = DecisionToExplain['input']['kind'];

const ABOUT: Readonly<Record<DecidedKind, string>> = {
  provisioning: 'pods',
  disruption: 'removals',
};

/**
 * Names the decision that an explanation is from, and says what was decided since. If no decision was about
 * the object, names the one whose cluster is described, and why the last plan did not include the object.
 *
 * @returns undefined without a record
 */
export function describeBasis(
  explanation: Explanation,
  { snapshot, recorded, until }: DecisionFacts,
): Basis | undefined {
  const newest = recorded.findLast(({ input }) => input.snapshot === snapshot);
  if (!newest) return undefined;
  const before = until === undefined ? '' : ` before ${formatInstant(until)}`;
  const own = recorded.find(({ id }) => id === explanation.decision);
  if (own) {
    const last = until === undefined ? '' : `, the last about ${ABOUT[own.input.kind]}${before}`;
    const state =
      until === undefined || own === newest ? '' : `; the cluster is described as ${format(newest)} found it`;
    return { at: own.at, text: `${format(own)}${last}${state}` };
  }
  const kind = findDecidedKind(explanation, snapshot);
  if (!kind) {
    const last = until === undefined ? '' : `, the last${before}`;
    return { at: newest.at, text: `the cluster as ${format(newest)} found it${last}` };
  }
  const plan = recorded.findLast(({ input }) => input.kind === kind);
  const why = plan
    ? `the last plan for ${ABOUT[kind]}${before}, ${format(plan)}, did not include it: ${findAbsence(explanation, plan.input.snapshot)}`
    : `no plan for ${ABOUT[kind]} is recorded in the day${before || ' before'}`;
  const text = `decided for this answer on the cluster as ${format(newest)} found it; ${why}`;
  return { at: newest.at, text };
}

const format = ({ id, at }: DecisionToExplain): string => `decision ${id} of ${formatInstant(at)}`;

/** Finds the planner that decides about the object in its state; undefined if none does. */
function findDecidedKind(
  { subject: { kind, name }, outcome }: Explanation,
  { pods }: ClusterSnapshot,
): DecidedKind | undefined {
  if (kind === 'pod') {
    const isPending = pods.some((pod) => podKey(pod) === name && isAwaitingNode(pod));
    return isPending && outcome !== 'held' ? 'provisioning' : undefined;
  }
  const isNode = kind === 'node' || kind === 'nodeclaim';
  return isNode && (outcome === 'stays' || outcome === 'goes') ? 'disruption' : undefined;
}

/** Finds why a plan on this cluster says nothing about the object. */
const findAbsence = ({ subject: { kind, name } }: Explanation, snapshot: ClusterSnapshot): string =>
  kind === 'pod' ? findPodAbsence(name, snapshot) : findNodeAbsence(name, snapshot, kind);

function findPodAbsence(key: PodKey, { pods }: ClusterSnapshot): string {
  const pod = pods.find((one) => podKey(one) === key);
  if (!pod) return 'the pod did not exist yet';
  if (pod.nodeName !== undefined) return `the pod was on node ${pod.nodeName}`;
  return pod.unschedulableSince === undefined
    ? 'kube-scheduler had not yet found the pod unschedulable'
    : 'it left the pod to kube-scheduler';
}

function findNodeAbsence(name: string, { claims }: ClusterSnapshot, kind: string): string {
  const claim = claims.find((one) => (kind === 'node' ? one.nodeName : one.name) === name);
  if (!claim) return 'the node did not exist yet';
  if (claim.deletingAt !== undefined) return 'the node was leaving';
  const phase = phaseOf(claim);
  return phase === 'initialized'
    ? 'a command was removing the node, or its NodePool keeps a fixed number of nodes'
    : `the node was ${phase}`;
}
