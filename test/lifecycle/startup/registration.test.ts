import { describe, expect, it } from 'vitest';
import { register } from '../../../shared/lifecycle/startup/registration.ts';
import type { Node } from '../../../shared/model/nodes/node.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import {
  EXPENSIVE_POOL_TAINT,
  FILL_LAST_TAINT,
  type Taint,
  UNREGISTERED_TAINT,
} from '../../../shared/model/requirements/taints.ts';
import { toNodeClaimObject } from '../../../shared/simulation/control-plane/cluster.ts';
import { aLaunch, aNode, aNodeClaim, NOON } from '../../support/builders.ts';

const T: Taint = { key: 'team', value: 'a', effect: 'NoSchedule' };
const S: Taint = { key: 'starting', effect: 'NoSchedule' };

const joined = (over: Partial<Node> = {}): Node =>
  aNode({ labels: {}, taints: [UNREGISTERED_TAINT], finalizers: [], ...over });
const launched = (over: Partial<NodeClaim> = {}): NodeClaim =>
  aNodeClaim({ launch: aLaunch({ labels: {} }), labels: {}, ...over });

/** The node change of the registration. */
function findNodeChange(claim: NodeClaim, node: Node) {
  const { effects } = register(claim, { nodes: [node], pods: [], now: NOON });
  const [effect] = effects;
  if (effect?.kind !== 'change-node') throw new Error('the Node was not changed');
  return effect.change;
}

describe('registration', () => {
  it('waits for a Node', () => {
    const claim = launched();

    expect(register(claim, { nodes: [], pods: [], now: NOON })).toEqual({
      claim,
      effects: [],
      events: [],
    });
  });

  it('removes the unregistered taint and adds the claim’s metadata to the Node', () => {
    const node = joined();
    const { claim, effects } = register(launched(), { nodes: [node], pods: [], now: NOON });

    expect(claim).toMatchObject({ registeredAt: NOON, nodeName: 'node-1' });
    expect(effects).toEqual([
      {
        kind: 'change-node',
        node,
        change: {
          finalizers: ['karpenter.sh/termination'],
          labels: { 'karpenter.sh/registered': 'true' },
          annotations: {},
          taints: [],
        },
      },
    ]);
  });

  it('continues with a warning if the bootstrap set no taint', () => {
    const node = joined({ taints: [] });

    expect(findNodeChange(launched(), node).taints).toEqual([]);
    expect(register(launched(), { nodes: [node], pods: [], now: NOON }).events).toEqual([
      { kind: 'unguarded', at: NOON, claim: 'general-1' },
    ]);
  });

  it.each<[string, Partial<Node>]>([
    ['removed the taint', { labels: { 'karpenter.sh/registered': 'true' } }],
    ['registered a Node that has lost its labels', { finalizers: ['karpenter.sh/termination'] }],
  ])('neither warns nor sets startup taints again if a previous pass %s', (_, over) => {
    const node = joined({ taints: [], ...over });
    const claim = launched({ startupTaints: [S] });

    expect(register(claim, { nodes: [node], pods: [], now: NOON }).events).toEqual([]);
    expect(findNodeChange(claim, node)).toMatchObject({
      labels: { 'karpenter.sh/registered': 'true' },
      taints: [],
    });
  });

  it('refuses two Nodes of one instance, even after one of them is gone', () => {
    const [a, b] = [joined({ name: 'a' }), joined({ name: 'b' })];

    const { claim, effects } = register(launched(), { nodes: [a, b], pods: [], now: NOON });

    expect(effects).toEqual([]);
    expect(claim.waitsFor).toEqual({
      condition: 'Registered',
      status: 'False',
      reason: 'MultipleNodesFound',
      message: 'a, b have one provider id',
      since: NOON,
    });
    expect(register(claim, { nodes: [a], pods: [], now: NOON }).claim).toBe(claim);
  });

  it('copies what users wrote on the NodeClaim to the Node, except for kubectl’s annotation', () => {
    const claim = launched({ annotations: { note: 'ours' } });
    const object = {
      ...toNodeClaimObject(claim),
      labels: { team: 'a' },
      annotations: {
        'karpenter.sh/do-not-disrupt': 'true',
        'kubectl.kubernetes.io/last-applied-configuration': '{}',
      },
    };

    const { effects } = register(claim, { nodes: [joined()], pods: [], now: NOON, object });

    expect(effects).toMatchObject([
      {
        change: {
          labels: { team: 'a', 'karpenter.sh/registered': 'true' },
          annotations: { note: 'ours', 'karpenter.sh/do-not-disrupt': 'true' },
        },
      },
    ]);
    expect(JSON.stringify(effects)).not.toContain('last-applied');
  });

  it('prefers the claim’s labels to the instance’s', () => {
    const claim = launched({
      labels: { a: '1' },
      annotations: { note: 'kept' },
      launch: aLaunch({ labels: { a: '0', zone: 'b' } }),
    });

    expect(findNodeChange(claim, joined({ labels: { a: '0', b: '2' } }))).toMatchObject({
      labels: { a: '1', zone: 'b', 'karpenter.sh/registered': 'true' },
      annotations: { note: 'kept' },
    });
  });

  it.each<[string, Partial<Node>, readonly Taint[]]>([
    ['sets taints and startup taints', {}, [T, S]],
    ['sets no taint twice', { taints: [UNREGISTERED_TAINT, T] }, [T, S]],
    ['sets none if the Node has the do-not-sync label', { labels: { 'karpenter.sh/do-not-sync-taints': 'true' } }, []],
    ['sets them if the label’s value is false', { labels: { 'karpenter.sh/do-not-sync-taints': 'false' } }, [T, S]],
    [
      'does not restore taints removed after a previous, unrecorded pass',
      { labels: { 'karpenter.sh/registered': 'true' }, taints: [T] },
      [T],
    ],
  ])('%s', (_, over, taints) => {
    const claim = launched({ taints: [T], startupTaints: [S] });

    expect(findNodeChange(claim, joined(over)).taints).toEqual(taints);
  });

  it.each([
    ['adds the taint of an expensive NodePool', {}, [T, EXPENSIVE_POOL_TAINT]],
    [
      'adds none of its own taints if the Node has the do-not-sync label',
      { labels: { 'karpenter.sh/do-not-sync-taints': 'true' } },
      [],
    ],
  ])('%s', (_, over, taints) => {
    const annotations = { 'mortise.sh/expensive-pool': 'true' };
    const claim = launched({ taints: [T], annotations });

    expect(findNodeChange(claim, joined(over)).taints).toEqual(taints);
  });

  it('adds the taint of a node that fills last', () => {
    const claim = launched({ annotations: { 'mortise.sh/fill-last': 'true' } });

    expect(findNodeChange(claim, joined()).taints).toEqual([FILL_LAST_TAINT]);
  });

  it('keeps the finalizers of others', () => {
    const node = joined({ finalizers: ['example.com/hold'] });

    expect(findNodeChange(launched(), node).finalizers).toEqual(['example.com/hold', 'karpenter.sh/termination']);
  });
});
