import { findHold } from '../../shared/explain/explain-pod.ts';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { rankRefusals } from '../../shared/model/explanations/refusals.ts';
import { formatOffering } from '../../shared/model/offerings/instance-type.ts';
import type { Unplaced } from '../../shared/model/plans.ts';
import { isAwaitingNode } from '../../shared/model/pods/disruption-pods.ts';
import { type PodKey, podKey } from '../../shared/model/pods/pod.ts';
import { isDaemon } from '../../shared/model/pods/workload.ts';
import { formatCount, formatNodeUsd, plural } from '../format.ts';
import type { NodeView, Note, PendingGroup, PodView } from '../views.ts';
import type { PodAnswer } from './decision-index.ts';
import { type ConsoleFacts, reasonSentence } from './facts.ts';

/** Groups pending pods by cause, the longest wait first. DaemonSet pods are left out. */
export function pendingGroups(
  facts: ConsoleFacts,
  pods: readonly PodView[],
  nodes: readonly NodeView[],
): PendingGroup[] {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const waiting = pods.filter(({ state, daemon }) => state === 'pending' && !daemon);
  const holds = findHolds(facts.snapshot);
  const groups = Map.groupBy(waiting, (pod) => causeOf(pod, facts.decisions.podAnswer(pod.key), holds.get(pod.key)));

  return [...groups]
    .map(([id, members]) => groupView(facts, id, members, { byName, held: holds.get(members[0]?.key ?? '') }))
    .toSorted((a, b) => a.since - b.since || (a.id < b.id ? -1 : 1));
}

/** Finds why no planner looks at pods, by their keys. */
const findHolds = (snapshot: ClusterSnapshot): ReadonlyMap<PodKey, string> =>
  new Map(
    snapshot.pods.filter(isAwaitingNode).flatMap((pod): [PodKey, string][] => {
      const hold = isDaemon(pod) ? undefined : findHold(pod, snapshot);
      return hold ? [[podKey(pod), hold.why]] : [];
    }),
  );

function causeOf(pod: PodView, answer: PodAnswer | undefined, held: string | undefined): string {
  if (held !== undefined) return `held ${held}`;
  if (answer?.outcome === 'unplaced') {
    return `blocked ${pod.namespace}/${pod.workload} ${blockedLine(answer.unplaced)}`;
  }
  return answer && pod.nominated !== undefined ? `decided ${answer.decision.id}` : 'deciding';
}

function groupView(
  facts: ConsoleFacts,
  id: string,
  members: readonly PodView[],
  { byName, held }: { readonly byName: ReadonlyMap<string, NodeView>; readonly held: string | undefined },
): PendingGroup {
  const first = members[0];
  const answer = first && facts.decisions.podAnswer(first.key);
  const common = {
    id,
    title: titleOf(members),
    pods: members.map(({ key }) => key),
    since: Math.min(...members.map(({ since }) => since)),
  };
  if (held !== undefined) return { ...common, status: 'held', line: { text: held }, nodes: [] };
  if (answer?.outcome === 'unplaced') {
    const line = { text: blockedLine(answer.unplaced) };
    return { ...common, status: 'blocked', line, nodes: [] };
  }
  const targets = [...new Set(members.flatMap(({ nominated }) => nominated ?? []))];
  if (!answer || targets.length === 0) {
    const text = answer?.outcome === 'launch' ? wouldLaunchText(answer) : 'No decision yet';
    return { ...common, status: 'deciding', line: { text }, nodes: [] };
  }
  return { ...common, ...decidedGroup(targets, byName) };
}

/** In a cluster that something else scales, plans are not carried out. */
function wouldLaunchText({ planned }: Extract<PodAnswer, { outcome: 'launch' }>): string {
  const { cheapest } = planned;
  return `Needs a node: ${formatOffering(cheapest)} would do, ${formatNodeUsd(cheapest.hourlyUsd)}/h`;
}

function decidedGroup(
  targets: readonly string[],
  byName: ReadonlyMap<string, NodeView>,
): Pick<PendingGroup, 'status' | 'line' | 'nodes'> {
  const nodes = targets.flatMap((name) => byName.get(name) ?? []);
  const starting = nodes.filter(({ state }) => state === 'starting' || state === 'registered');
  const where = targets.length === 1 ? `${targets[0]}` : plural(targets.length, 'node');
  if (starting.length === 0) {
    return { status: 'fits', line: { text: `Room on ${where}` }, nodes: targets };
  }
  return { status: 'starting', line: startingLine(where, starting), nodes: targets };
}

function startingLine(where: string, starting: readonly NodeView[]): Note {
  const ready = starting.flatMap(({ note }) => note?.until ?? []);
  return ready.length === 0
    ? { text: `On ${where}` }
    : { text: `On ${where}, ready in about`, until: Math.max(...ready) };
}

/** Formats `shop/web ×6, search ×5`, with each namespace once. */
function titleOf(pods: readonly PodView[]): string {
  const counts = new Map<string, number>();
  for (const { namespace, workload } of pods) {
    const name = `${namespace}/${workload}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const sorted = [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const named = sorted.slice(0, 2).map(([name, count], index) => {
    const namespace = name.slice(0, name.indexOf('/') + 1);
    const repeated = index > 0 && sorted[0]?.[0].startsWith(namespace);
    const shown = repeated ? name.slice(namespace.length) : name;
    return count === 1 ? shown : `${shown} ×${formatCount(count)}`;
  });
  const more = sorted.length - named.length;
  return more > 0 ? `${named.join(', ')} and ${formatCount(more)} more` : named.join(', ');
}

function blockedLine(unplaced: Unplaced): string {
  const [refusal] = rankRefusals(unplaced.pools).near;
  const reason = refusal?.reasons[0];
  return refusal && reason ? `NodePool ${refusal.pool}: ${reasonSentence(reason)}` : 'No NodePool can hold it';
}
