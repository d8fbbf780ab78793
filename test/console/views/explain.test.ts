import { describe, expect, it } from 'vitest';
import type { Explanation } from '../../../console/explanation.ts';
import { explainNode } from '../../../console/views/explain/explain-node.ts';
import { explainPod } from '../../../console/views/explain/explain-pod.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import {
  aLaunch,
  aNode,
  aNodeClaim,
  anInitializedClaim,
  anOffering,
  aPod,
  aRunningPod,
  NOON,
} from '../../support/builders.ts';
import { anUnplaced, aPlannedClaim, aProvisioning } from '../support/decisions.ts';
import { someFacts } from '../support/facts.ts';

const part = (explanation: Explanation | undefined, title: string) =>
  explanation?.evidence.find((evidence) => evidence.title.startsWith(title));

const running = {
  claims: [anInitializedClaim('ip-1')],
  nodes: [aNode({ name: 'ip-1' })],
  pods: [aRunningPod('ip-1')],
};

describe('the explanation of a pending pod', () => {
  it('names the pool, the limit and where the offerings were excluded for a pod at a limit', () => {
    const explanation = explainPod(
      someFacts({
        snapshot: { pods: [aPod()] },
        decisions: [aProvisioning({ unplaced: [anUnplaced()] })],
      }),
      'default/web-1',
    );

    expect(explanation).toMatchObject({
      question: 'Why is this pod pending?',
      tone: 'bad',
      verdict: {
        text: 'NodePool general cannot hold it: cpu 48 of 48 in use; smallest fitting node m7i.large adds 2.',
      },
      decision: { id: 'p-1' },
    });
    expect(part(explanation, 'Where the offerings went')).toMatchObject({
      rows: [{ count: 100 }, { count: 50 }, { count: 40 }, { count: 30 }, { count: 20 }, { count: 0 }],
    });
  });

  it('says that a pod that is being deleted gets no node, and what it waits for', () => {
    const pod = aPod({ deletionAt: NOON, awaitedFinalizers: ['example.com/never'] });
    const explain = (over: Partial<Pod>) =>
      explainPod(someFacts({ snapshot: { pods: [{ ...pod, ...over }] } }), 'default/web-1');

    for (const phase of ['Pending', 'Failed'] as const)
      expect(explain({ phase })).toMatchObject({
        question: 'Why is this pod still here?',
        verdict: {
          text: 'It is being deleted, and gets no node. It waits for finalizer example.com/never.',
        },
      });
  });

  it('names the pool whose offerings met the most conditions', () => {
    const [general] = anUnplaced().pools;
    const batch = {
      pool: 'batch',
      reasons: [{ code: 'taint-not-tolerated', fields: { taint: 'a=b:NoSchedule' } }],
    } as const;
    const unplaced = anUnplaced({ pools: general ? [batch, general] : [batch] });
    const facts = someFacts({
      snapshot: { pods: [aPod()] },
      decisions: [aProvisioning({ unplaced: [unplaced] })],
    });

    expect(explainPod(facts, 'default/web-1')?.verdict.text).toMatch(
      /^None of 2 NodePools can hold it. general comes closest: cpu 48 of 48/,
    );
  });

  it('names the starting node for a pod and shows it as evidence', () => {
    const explanation = explainPod(
      someFacts({
        snapshot: { pods: [aPod()], claims: [aNodeClaim({ launch: aLaunch() })] },
        decisions: [aProvisioning({ claims: [aPlannedClaim()] })],
      }),
      'default/web-1',
    );

    expect(explanation?.verdict).toEqual({
      text: 'A node for it is starting: general-1.',
      objects: [{ kind: 'node', name: 'general-1' }],
    });
    expect(part(explanation, 'From pending to running')).toMatchObject({
      rows: [
        { label: 'created', at: NOON },
        { label: 'decided', at: NOON },
        { label: 'node launched', at: NOON },
        { label: 'node registered' },
        { label: 'node ready' },
        { label: 'running' },
      ],
    });
  });

  it('keeps the first decision as the reason if a later plan counts on the same node', () => {
    const facts = someFacts({
      snapshot: { pods: [aPod()], claims: [aNodeClaim({ launch: aLaunch() })] },
      decisions: [
        aProvisioning({ claims: [aPlannedClaim()] }),
        aProvisioning(
          { placements: [{ target: 'general-1', pods: ['default/web-1'] }] },
          { id: 'p-2', at: NOON + 10_000 },
        ),
      ],
    });

    expect(explainPod(facts, 'default/web-1')?.decision).toMatchObject({ id: 'p-1' });
  });

  it('says that no decision has considered the pod yet', () => {
    expect(explainPod(someFacts({ snapshot: { pods: [aPod()] } }), 'default/web-1')?.verdict.text).toBe(
      'No decision has looked at it yet.',
    );
  });

  it('is undefined for a pod that does not exist', () => {
    expect(explainPod(someFacts(), 'default/web-1')).toBeUndefined();
  });
});

describe('the explanation of a running pod', () => {
  it('says that a node was launched for the pod', () => {
    const facts = someFacts({
      snapshot: running,
      decisions: [aProvisioning({ claims: [aPlannedClaim()] })],
    });
    expect(explainPod(facts, 'default/web-1')?.verdict.text).toBe('general-1 was launched for it.');
  });

  it('says that another node than the planned one had room first', () => {
    const planned = aPlannedClaim();
    const elsewhere = { ...planned, claim: { ...planned.claim, name: 'general-2' } };
    const facts = someFacts({
      snapshot: running,
      decisions: [aProvisioning({ claims: [elsewhere] })],
    });
    expect(explainPod(facts, 'default/web-1')?.verdict.text).toBe(
      'It was planned for general-2; kube-scheduler found room on general-1 first.',
    );
  });

  it('says that kube-scheduler found a node that no decision names', () => {
    expect(explainPod(someFacts({ snapshot: running }), 'default/web-1')?.verdict.text).toBe(
      'kube-scheduler found room for it on general-1 without our help.',
    );
  });
});

describe('the explanation of a node', () => {
  it('says that a drain waits for a change, also if only its objects are known', () => {
    const [claim] = running.claims;
    const kept = aRunningPod('ip-1', {
      name: 'kept-1',
      annotations: { 'karpenter.sh/do-not-disrupt': 'true' },
    });
    const leaving = claim && { ...claim, deletingAt: NOON, drainingAt: NOON };
    const snapshot = { ...running, claims: [leaving ?? aNodeClaim()], pods: [kept] };

    expect(explainNode(someFacts({ snapshot }), 'general-1')?.verdict.text).toBe(
      'It is going away. default/kept-1: it has the annotation karpenter.sh/do-not-disrupt; remove it.',
    );
  });

  it('says that it was the cheapest for its pods, with the next best offering', () => {
    const nextBest = anOffering({ instanceType: 'm7a.large', hourlyUsd: 0.11088 });
    const planned = aPlannedClaim({ nextBest });
    const explanation = explainNode(
      someFacts({ snapshot: running, decisions: [aProvisioning({ claims: [planned] })] }),
      'general-1',
    );

    expect(part(explanation, 'Why it was launched, 12:00:00')).toMatchObject({
      sentences: [
        {
          text: '1 pod needed 1 CPU, DaemonSets included, and no node had room. Cheapest of 1 instance type that fit: m7i.large on-demand in us-east-1a at $0.1008/h; next best m7a.large on-demand, +10 %.',
        },
      ],
    });
  });

  it('names the nodes to which kube-scheduler bound pods of its launch', () => {
    const snapshot = {
      ...running,
      nodes: [...running.nodes, aNode({ name: 'node-2' })],
      pods: [aPod({ nodeName: 'node-2', phase: 'Running' })],
    };
    const decisions = [aProvisioning({ claims: [aPlannedClaim()] })];
    const explanation = explainNode(someFacts({ snapshot, decisions }), 'general-1');

    expect(part(explanation, 'Pods of its launch that run elsewhere')).toMatchObject({
      sentences: [
        {
          text: 'kube-scheduler bound 1 of the 1 pod to other nodes, which had room first: 1 on node-2. A spread over zones with DoNotSchedule and minDomains makes pods wait for their zone.',
        },
      ],
    });
  });

  it('says why it stays, as decided on the cluster as it is now', () => {
    const until = Date.parse('2026-01-01T22:00:00.000Z');
    const snapshot = { ...running, nominations: { 'general-1': until } };

    expect(explainNode(someFacts({ snapshot }), 'general-1')?.verdict.text).toBe(
      'It stays: pods were planned onto it; looked at again at 22:00:00.',
    );
  });

  it('divides its cost between pods, DaemonSets and free room, which add up', () => {
    const money = part(explainNode(someFacts({ snapshot: running }), 'general-1'), 'Where its');
    const rows = money?.kind === 'shares' ? money.rows : [];

    expect(rows.map(({ label }) => label)).toEqual(['pods', 'DaemonSets', 'free']);
    expect(rows.reduce((sum, { hourlyUsd = 0 }) => sum + hourlyUsd, 0)).toBeCloseTo(0.1008, 10);
  });

  it('is found by its Kubernetes name too', () => {
    expect(explainNode(someFacts({ snapshot: running }), 'ip-1')?.subject.name).toBe('general-1');
  });

  it('counts an interrupted node down', () => {
    const claims = [
      anInitializedClaim('ip-1', {
        deletingAt: NOON,
        removal: 'Interrupted',
        drainDeadline: NOON + 120_000,
      }),
    ];
    expect(explainNode(someFacts({ snapshot: { ...running, claims } }), 'general-1')).toMatchObject({
      tone: 'warn',
      verdict: { text: 'EC2 takes it back; it is gone in' },
      until: NOON + 120_000,
    });
  });

  it('is undefined for a node that does not exist', () => {
    expect(explainNode(someFacts(), 'general-1')).toBeUndefined();
  });
});
