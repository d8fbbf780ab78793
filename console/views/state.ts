import type { DisruptionCommand } from '../../shared/model/plans.ts';
import { plural } from '../format.ts';
import type { PlaygroundView, PodView, ProposalView, StateView } from '../views.ts';
import { dominantShare, sumAmounts } from './amounts.ts';
import type { ConsoleFacts } from './facts.ts';
import { nodeViews } from './nodes.ts';
import { pendingGroups } from './pending.ts';
import { podViews } from './pods.ts';
import { totalsView } from './totals.ts';

/** Builds the complete state of one instant. */
export function stateView(facts: ConsoleFacts): StateView {
  const pods = podViews(facts);
  const nodes = nodeViews(facts, pods);
  const play = playgroundView(facts);
  return {
    info: facts.info,
    clock: facts.clock,
    totals: totalsView(facts, nodes, pods),
    nodes,
    pods,
    pending: pendingGroups(facts, pods, nodes),
    namespaces: namespacesBySize(pods),
    ...(facts.notices && { notices: facts.notices }),
    ...(facts.proposal && { proposal: proposalView(facts.proposal) }),
    ...(play !== undefined && { play }),
  };
}

function proposalView({ candidates, replacements, savingHourlyUsd }: DisruptionCommand): ProposalView {
  const removes = `remove ${plural(candidates.length, 'node')}`;
  const launches = replacements.map(({ cheapest }) => `${cheapest.instanceType} ${cheapest.capacityType}`);
  const text = launches.length === 0 ? removes : `${removes}, launch ${launches.join(' and ')}`;
  return { text, nodes: candidates, savingHourlyUsd };
}

/** Largest requests first, then by name. */
function namespacesBySize(pods: readonly PodView[]): string[] {
  const all = sumAmounts(pods.map(({ requests }) => requests));
  const byNamespace = Map.groupBy(
    pods.filter(({ daemon }) => !daemon),
    ({ namespace }) => namespace,
  );
  return [...byNamespace]
    .map(([name, members]) => {
      const requested = sumAmounts(members.map(({ requests }) => requests));
      return { name, share: dominantShare(requested, all) };
    })
    .toSorted((a, b) => b.share - a.share || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
}

function playgroundView({ playable }: ConsoleFacts): PlaygroundView | undefined {
  if (!playable) return undefined;
  return {
    ...playable,
  };
}
