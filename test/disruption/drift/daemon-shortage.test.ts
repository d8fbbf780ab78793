import { describe, expect, it } from 'vitest';
import { explainDaemonWait, findDaemonShortages } from '../../../shared/disruption/drift/daemon-shortage.ts';
import { markDriftedClaims } from '../../../shared/disruption/drift/mark-drift.ts';
import { planDisruption } from '../../../shared/disruption/plan-disruption.ts';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { explainIn } from '../../explain/explain-case.ts';
import { aDaemonSet, aPod, aPodSpec, aPodTemplate, aRunningPod, NOON, resources } from '../../support/builders.ts';
import { aFleet, type FleetNode, onDemand, TYPES, web, willing } from '../fleet.ts';

const owner = { kind: 'DaemonSet', name: 'agent', uid: 'ds-agent' };
const requests = resources(0.5, 1, { pods: 1 });
const agent = aDaemonSet({
  name: 'agent',
  template: aPodTemplate({ spec: aPodSpec({ requests }) }),
});
/** A pod of the DaemonSet that has been unschedulable for three minutes. */
const pendingAgent = (over: Partial<Pod> = {}): Pod =>
  aPod({
    name: 'agent-1',
    owner,
    unschedulableSince: NOON - 3 * MINUTE_MS,
    spec: aPodSpec({ requests }),
    ...over,
  });
const runningAgent = (node: string): Pod =>
  aRunningPod(node, { name: `agent-on-${node}`, owner, spec: aPodSpec({ requests }) });

const full: FleetNode = { name: 'full', pods: [web('p', 1.75)] };
const roomy: FleetNode = { name: 'roomy', pods: [web('q', 1)] };

const aShortFleet = (over: Partial<ClusterSnapshot> = {}): ClusterSnapshot =>
  aFleet([full, roomy], { daemonSets: [agent], pods: [pendingAgent()], ...over });
const shortNodes = (over: Partial<ClusterSnapshot> = {}) => [...findDaemonShortages(aShortFleet(over)).keys()];

describe('a node without room for a DaemonSet', () => {
  it('is one on which a pod of the DaemonSet is missing and does not fit', () => {
    expect([...findDaemonShortages(aShortFleet())]).toEqual([
      ['full', { daemonSet: 'default/agent', resource: 'cpu', requested: 500, free: 250 }],
    ]);
    expect(shortNodes({ pods: [pendingAgent(), runningAgent('full')] })).toEqual([]);
  });

  it('is looked for three minutes after a pod became unschedulable', () => {
    const waiting = (ms: number) => shortNodes({ pods: [pendingAgent({ unschedulableSince: ms })] });

    expect(waiting(NOON - 3 * MINUTE_MS + 1)).toEqual([]);
    expect(waiting(NOON - 3 * MINUTE_MS)).toEqual(['full']);
  });

  it('is left to kube-scheduler while pods of lower priority make room', () => {
    expect(shortNodes({ pods: [pendingAgent({ nominatedNodeName: 'full' })] })).toEqual([]);
  });

  it('is left alone if the DaemonSet does not want room to be made', () => {
    const annotations = { 'mortise.sh/make-room': 'false' };

    expect(shortNodes({ daemonSets: [{ ...agent, annotations }] })).toEqual([]);
  });

  it('is none that the DaemonSet does not select', () => {
    const elsewhere = aDaemonSet({
      name: 'agent',
      template: aPodTemplate({
        spec: aPodSpec({ requests, nodeSelector: { 'kubernetes.io/arch': 'arm64' } }),
      }),
    });

    expect(shortNodes({ daemonSets: [elsewhere] })).toEqual([]);
  });

  it('has to have room for two DaemonSets together', () => {
    const logs = aDaemonSet({ ...agent, name: 'logs' });
    const pods = [pendingAgent(), pendingAgent({ name: 'logs-1', owner: { ...owner, name: 'logs' } })];
    const nodes = aFleet([{ name: 'half', pods: [web('p', 1.25)] }], {
      daemonSets: [agent, logs],
      pods,
    });

    expect([...findDaemonShortages(nodes).values()]).toMatchObject([{ daemonSet: 'default/logs', free: 250 }]);
  });
});

describe('room for a DaemonSet', () => {
  const marked = (snapshot: ClusterSnapshot): ClusterSnapshot => {
    const claims = new Map(markDriftedClaims(snapshot).map((claim) => [claim.name, claim]));
    return {
      ...snapshot,
      claims: snapshot.claims.map((claim) => claims.get(claim.name) ?? claim),
    };
  };
  const plan = (over: Partial<ClusterSnapshot> = {}) => planDisruption(marked(aShortFleet(over)), [], 'd-1');
  const fleet = { daemonSets: [agent], pods: [pendingAgent()] };

  it('is made by a replacement that holds the pods of the node and the DaemonSet', () => {
    const { command, verdicts } = plan();

    expect(command).toMatchObject({ reason: 'Drifted', candidates: ['full'] });
    expect(command?.replacements.map(({ cheapest }) => cheapest.instanceType)).toEqual(['medium']);
    expect(verdicts.find(({ claim }) => claim === 'full')?.reason).toEqual({
      code: 'drifted',
      fields: {
        claim: 'full',
        drift: 'NoRoomForDaemonSet',
        text: 'DaemonSet default/agent needs 500m cpu, more than it has free',
      },
    });
  });

  it('is made by moving pods if another node has room for them and the DaemonSet', () => {
    const other: FleetNode = { name: 'other', type: 'medium', pods: [web('q', 1)] };
    const { command } = planDisruption(marked(aFleet([full, other], fleet)), [], 'd-1');

    expect(command).toMatchObject({ candidates: ['full'], replacements: [] });
    expect(command?.placements.map(({ target }) => target)).toEqual(['other']);
  });

  it('is not made in a closed budget, for a protected pod, or in a static pool', () => {
    const closed = [willing({ budgets: [{ nodes: '0' }] })];
    expect(plan({ pools: closed }).command).toBeUndefined();

    const annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
    const kept = { ...full, pods: [{ ...web('p', 1.75), annotations }] };
    const { verdicts } = planDisruption(marked(aFleet([kept], fleet)), [], 'd-1');
    expect(verdicts.map(({ reason }) => reason.code)).toEqual(['blocked-by-do-not-disrupt']);

    const fixed = [{ ...willing({}), replicas: 2 }];
    expect(markDriftedClaims(aShortFleet({ pools: fixed }))).toEqual([]);
  });

  it('is not made if no instance type has more', () => {
    const small = TYPES.slice(0, 1);
    const { command, verdicts } = plan({
      offerings: small.flatMap((type) => onDemand(type)),
      instanceTypes: { general: small },
    });

    expect(command).toBeUndefined();
    expect(verdicts.find(({ claim }) => claim === 'full')?.reason.code).toBe('pods-do-not-fit');
  });
});

describe('the answer about a pending pod of a DaemonSet', () => {
  it('is part of the explanations of the command and the console', () => {
    const why = 'node full has no room for its DaemonSet, 250m of 500m cpu free';
    const snapshot = aShortFleet();

    const answer = explainIn(snapshot, { kind: 'pod', name: 'default/agent-1' });

    expect(answer?.outcome).toBe('held');
    expect(answer?.verdict).toContain(why);
    expect(answer?.next.text).toContain('such nodes are replaced');
  });

  const answer = (over: Partial<ClusterSnapshot> = {}) => explainDaemonWait(pendingAgent(), aShortFleet(over));

  it('names a node without room, and from when on it is replaced', () => {
    expect(answer()).toEqual({
      why: 'node full has no room for its DaemonSet, 250m of 500m cpu free',
      next: 'From 2026-01-01T12:00:00Z on, such nodes are replaced by nodes with room, as the budgets for drift allow; mortise explain node full says when.',
    });
  });

  it('says that nothing is done if the DaemonSet or the node does not allow it', () => {
    const annotations = { 'mortise.sh/make-room': 'false' };

    expect(answer({ daemonSets: [{ ...agent, annotations }] }).next).toBe(
      'It runs as soon as its node has room: mortise.sh/make-room of the DaemonSet is false.',
    );
    expect(answer({ pools: [{ ...willing({}), replicas: 2 }] }).next).toMatch(
      /^It runs as soon as its node has room: Mortise/,
    );
  });

  it('says so if resources are not the cause', () => {
    expect(answer({ pods: [pendingAgent(), runningAgent('full')] }).why).toMatch(/other than/);
  });
});
