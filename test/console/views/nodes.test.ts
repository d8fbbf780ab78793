import { describe, expect, it } from 'vitest';
import { nodeViews } from '../../../console/views/nodes.ts';
import { podViews } from '../../../console/views/pods.ts';
import type { Node } from '../../../shared/model/nodes/node.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import {
  aLaunch,
  aNode,
  aNodeClaim,
  anInitializedClaim,
  aPodSpec,
  aRunningPod,
  NOON,
  resources,
} from '../../support/builders.ts';
import { aDisruption, aPlannedClaim, aProvisioning } from '../support/decisions.ts';
import { someFacts } from '../support/facts.ts';

const viewsOf = (facts: ReturnType<typeof someFacts>) => nodeViews(facts, podViews(facts));

/** The view of one claim, with a pod on it and its Node `ip-1`. */
function viewOf(claim: NodeClaim, node: Partial<Node> = {}, over: Parameters<typeof someFacts>[0] = {}) {
  const [view] = viewsOf(
    someFacts({
      snapshot: {
        claims: [claim],
        nodes: claim.nodeName === undefined ? [] : [aNode({ name: 'ip-1', ...node })],
        pods: [aRunningPod('ip-1')],
      },
      ...over,
    }),
  );
  return view;
}

describe('states of a node', () => {
  it.each([
    ['asked for', aNodeClaim(), 'starting'],
    ['launched', aNodeClaim({ launch: aLaunch() }), 'starting'],
    ['registered', aNodeClaim({ launch: aLaunch(), nodeName: 'ip-1', registeredAt: NOON }), 'registered'],
    ['initialized', anInitializedClaim('ip-1'), 'ready'],
    [
      'drifted',
      anInitializedClaim('ip-1', {
        drift: { reason: 'AMIDrift', text: 'its AMI is not the newest', since: NOON },
      }),
      'drifted',
    ],
    ['being drained', anInitializedClaim('ip-1', { deletingAt: NOON }), 'draining'],
    ['taken back by EC2', anInitializedClaim('ip-1', { deletingAt: NOON, removal: 'Interrupted' }), 'interrupted'],
    ['terminating', anInitializedClaim('ip-1', { deletingAt: NOON, terminatingAt: NOON }), 'draining'],
  ])('shows a claim that is %s as %3$s', (_, claim, state) => {
    expect(viewOf(claim)).toMatchObject({ state });
  });

  it('shows an initialized node without heartbeats as not ready', () => {
    expect(viewOf(anInitializedClaim('ip-1'), { ready: false })).toMatchObject({
      state: 'not-ready',
    });
  });

  it('shows a node with only DaemonSets as empty, and when it can be removed', () => {
    const claim = anInitializedClaim('ip-1');
    const stays = aDisruption({
      verdicts: [
        {
          claim: claim.name,
          outcome: 'stays',
          reason: { code: 'consolidate-after', fields: {} },
          lookAgainAt: NOON + 30_000,
        },
      ],
    });

    expect(viewOf(claim, {}, { decisions: [stays], snapshot: emptyNode(claim) })).toMatchObject({
      state: 'empty',
      note: { text: 'empty, may go in', until: NOON + 30_000 },
    });
  });

  it('shows a node that a PodDisruptionBudget protects as held, with the reason', () => {
    const claim = anInitializedClaim('ip-1');
    const stays = aDisruption({
      verdicts: [
        {
          claim: claim.name,
          outcome: 'stays',
          reason: { code: 'blocked-by-pdb', fields: { pdb: 'shop/web', rule: 'r', healthy: '2' } },
        },
      ],
    });

    expect(viewOf(claim, {}, { decisions: [stays] })).toMatchObject({
      state: 'held',
      holds: ['shop/web allows 0 disruptions (r, healthy 2)'],
    });
  });

  it('shows that a node of a command waits for its replacement', () => {
    const command = {
      id: 'c-1',
      reason: 'Underutilized',
      decidedAt: NOON,
      candidates: ['general-1'],
      replacements: [aPlannedClaim()],
      placements: [],
      savingHourlyUsd: 0.1,
    } as const;

    expect(viewOf(anInitializedClaim('ip-1'), {}, { commands: [command] })).toMatchObject({
      state: 'ready',
      note: { text: 'goes once replaced' },
    });
  });

  it('counts a starting node down by the usual duration', () => {
    const facts = someFacts({
      snapshot: {
        claims: [
          aNodeClaim({ name: 'general-2', launch: aLaunch() }),
          anInitializedClaim('ip-1', { initializedAt: NOON + 40_000 }),
        ],
        nodes: [aNode({ name: 'ip-1' })],
      },
    });

    expect(viewsOf(facts)[0]?.note).toEqual({
      text: 'starting, ready in about',
      until: NOON + 40_000,
    });
  });

  it('names the taint that a registered node waits for', () => {
    const taint = { key: 'example.com/agent', effect: 'NoSchedule' } as const;
    const claim = aNodeClaim({
      launch: aLaunch(),
      nodeName: 'ip-1',
      registeredAt: NOON,
      startupTaints: [taint],
    });

    expect(viewOf(claim, { taints: [taint] })?.note).toEqual({
      text: 'waits for taint example.com/agent:NoSchedule to go',
    });
  });
});

const emptyNode = (claim: NodeClaim) => ({
  claims: [claim],
  nodes: [aNode({ name: 'ip-1' })],
  pods: [aRunningPod('ip-1', { owner: { kind: 'DaemonSet', name: 'logs', uid: 'ds' } })],
});

describe('views of nodes', () => {
  it('sum the requests, with DaemonSets apart', () => {
    const logs = aRunningPod('ip-1', {
      name: 'logs-1',
      owner: { kind: 'DaemonSet', name: 'logs', uid: 'ds' },
      spec: aPodSpec({ requests: resources(0.1, 0.125, { pods: 1 }) }),
    });
    const facts = someFacts({
      snapshot: {
        claims: [anInitializedClaim('ip-1')],
        nodes: [aNode({ name: 'ip-1' })],
        pods: [aRunningPod('ip-1'), logs],
      },
    });

    expect(viewsOf(facts)).toMatchObject([
      {
        requested: { cpuMilli: 1_100, memoryMib: 1_152, gpu: 0, pods: 2 },
        daemon: { cpuMilli: 100, memoryMib: 128, gpu: 0, pods: 1 },
      },
    ]);
  });

  it('show the planned values until EC2 has answered', () => {
    const facts = someFacts({
      snapshot: { claims: [aNodeClaim()] },
      decisions: [aProvisioning({ claims: [aPlannedClaim()] })],
    });

    expect(viewsOf(facts)).toMatchObject([{ instanceType: 'm7i.large', zone: 'us-east-1a', hourlyUsd: 0.1008 }]);
  });

  it('leave out a Node without a claim', () => {
    const facts = someFacts({ snapshot: { nodes: [aNode({ name: 'system-1', labels: {} })] } });

    expect(viewsOf(facts)).toMatchObject([
      { name: 'system-1', state: 'not-ours', note: { text: 'not ours' }, zone: 'no zone' },
    ]);
  });
});
