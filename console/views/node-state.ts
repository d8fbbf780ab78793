import type { Node } from '../../shared/model/nodes/node.ts';
import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import { phaseOf } from '../../shared/model/nodes/node-claim.ts';
import { formatTaint, isEphemeralTaint, isSameTaint } from '../../shared/model/requirements/taints.ts';
import type { EpochMs } from '../../shared/model/time.ts';
import { findUsualStartMs } from '../../shared/what-if/estimate-duration.ts';
import type { NodeView, PodView } from '../views.ts';
import { type ConsoleFacts, reasonSentence } from './facts.ts';

type StateOfNode = Pick<NodeView, 'state' | 'stateSince' | 'note' | 'holds'>;

const NO_HOLDS: readonly string[] = [];

/** Computes the state of a claim for its box. */
export function nodeStateOf(
  facts: ConsoleFacts,
  claim: NodeClaim,
  node: Node | undefined,
  pods: readonly PodView[],
): StateOfNode {
  const phase = phaseOf(claim);
  switch (phase) {
    case 'launching':
    case 'launched':
      return starting(facts, claim);
    case 'registered':
      return {
        state: 'registered',
        stateSince: claim.registeredAt ?? claim.createdAt,
        note: { text: missingToInitialize(claim, node) },
        holds: NO_HOLDS,
      };
    case 'draining':
      return draining(claim);
    case 'terminating':
    case 'terminated':
      return {
        state: 'draining',
        stateSince: claim.terminatingAt ?? claim.drainedAt ?? claim.createdAt,
        note: { text: 'instance ends' },
        holds: NO_HOLDS,
      };
    case 'initialized':
      return initializedState(facts, claim, node, pods);
  }
}

function starting(facts: ConsoleFacts, claim: NodeClaim): StateOfNode {
  const usualMs = findUsualStartMs(facts.snapshot.claims);
  const readyBy = usualMs === undefined ? undefined : claim.createdAt + usualMs;
  return {
    state: 'starting',
    stateSince: claim.launch?.at ?? claim.createdAt,
    note:
      readyBy === undefined || readyBy <= facts.clock.now
        ? { text: 'starting' }
        : { text: 'starting, ready in about', until: readyBy },
    holds: NO_HOLDS,
  };
}

function missingToInitialize({ startupTaints }: NodeClaim, node: Node | undefined): string {
  if (!node) return 'its Node is missing';
  if (!node.ready) return 'kubelet not ready';
  const taint =
    node.taints.find((candidate) => startupTaints.some((startupTaint) => isSameTaint(startupTaint, candidate))) ??
    node.taints.find(isEphemeralTaint);
  return taint ? `waits for taint ${formatTaint(taint)} to go` : 'resources not reported yet';
}

function draining(claim: NodeClaim): StateOfNode {
  const since = claim.drainingAt ?? claim.deletingAt ?? claim.createdAt;
  const until = claim.drainDeadline;
  if (claim.removal === 'Interrupted') {
    return {
      state: 'interrupted',
      stateSince: since,
      note: until === undefined ? { text: 'interrupted' } : { text: 'gone in', until },
      holds: NO_HOLDS,
    };
  }
  return {
    state: 'draining',
    stateSince: since,
    note: until === undefined ? { text: 'draining' } : { text: 'draining, at most', until },
    holds: NO_HOLDS,
  };
}

function initializedState(
  facts: ConsoleFacts,
  claim: NodeClaim,
  node: Node | undefined,
  pods: readonly PodView[],
): StateOfNode {
  const since = claim.initializedAt ?? claim.createdAt;
  if (!node?.ready) {
    return { state: 'not-ready', stateSince: since, note: { text: 'not ready' }, holds: NO_HOLDS };
  }
  const holds = holdsOf(facts, claim);
  const leaving = facts.commands.find(({ candidates }) => candidates.includes(claim.name));
  if (leaving) {
    const text = leaving.replacements.length > 0 ? 'goes once replaced' : 'goes next';
    return { state: 'ready', stateSince: leaving.decidedAt, note: { text }, holds };
  }
  if (pods.every(({ daemon }) => daemon)) return empty(facts, claim, since, holds);
  if (claim.drift) {
    // The answer about the node names what holds it.
    const text = holds.length > 0 ? 'drifted, held' : 'drifted';
    return { state: 'drifted', stateSince: claim.drift.since, note: { text }, holds };
  }
  if (holds.length > 0) return { state: 'held', stateSince: since, note: { text: 'held' }, holds };
  return { state: 'ready', stateSince: since, holds };
}

function empty(facts: ConsoleFacts, claim: NodeClaim, since: EpochMs, holds: readonly string[]): StateOfNode {
  const lookAgainAt = facts.decisions.stayOf(claim.name)?.verdict.lookAgainAt;
  return {
    state: 'empty',
    stateSince: claim.lastPodEventAt ?? since,
    note:
      lookAgainAt === undefined || lookAgainAt <= facts.clock.now
        ? { text: 'empty' }
        : { text: 'empty, may go in', until: lookAgainAt },
    holds,
  };
}

const HOLDING = new Set(['blocked-by-pdb', 'blocked-restart', 'blocked-by-do-not-disrupt']);

function holdsOf({ decisions }: ConsoleFacts, { name }: NodeClaim): readonly string[] {
  const verdict = decisions.stayOf(name)?.verdict;
  return verdict?.outcome === 'stays' && HOLDING.has(verdict.reason.code) ? [reasonSentence(verdict.reason)] : NO_HOLDS;
}
