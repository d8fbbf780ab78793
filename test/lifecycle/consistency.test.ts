import { describe, expect, it } from 'vitest';
import { advance } from '../../shared/lifecycle/advance.ts';
import type { Node } from '../../shared/model/nodes/node.ts';
import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import { aLaunch, aNode, anInitializedClaim, NOON, resources } from '../support/builders.ts';

const CLAIM = anInitializedClaim('node-1', {
  requests: resources(1, 1),
  launch: aLaunch({ capacity: resources(16, 128, { 'vendor.com/nic': 4 }) }),
});
const look = (claim: NodeClaim, node: Partial<Node>, now = NOON) =>
  advance(claim, { now, nodes: [aNode(node)], pods: [] });

describe('the consistency check of a node', () => {
  it('reports half of the expected memory and keeps the node', () => {
    const { claim, events, effects } = look(CLAIM, { capacity: resources(16, 64) });

    const text = 'expected 128Gi of memory, found 64Gi (50.0 %)';
    expect(claim).toEqual({ ...CLAIM, shortfall: { text, since: NOON } });
    expect(events).toEqual([{ kind: 'inconsistent', at: NOON, claim: 'general-1', text }]);
    expect(effects).toEqual([]);
  });

  it('accepts more than nine tenths of the expected memory', () => {
    expect(look(CLAIM, { capacity: resources(16, 120) }).claim).toBe(CLAIM);
  });

  it('compares only resources that the claim requests', () => {
    expect(look(CLAIM, { capacity: resources(16, 128) }).claim).toBe(CLAIM);
  });

  it.each<[string, Partial<NodeClaim>]>([
    ['the node is not initialized', { registeredAt: NOON }],
    ['the claim is being deleted', { ...CLAIM, deletingAt: NOON }],
  ])('is skipped while %s', (_, over) => {
    const { initializedAt: _initialized, ...young } = CLAIM;
    const node = { capacity: resources(1, 1), ready: false };

    expect(look({ ...young, ...over }, node).claim).not.toHaveProperty('shortfall');
  });

  it('reports a shortfall once and clears it when the node has grown', () => {
    const { claim } = look(CLAIM, { capacity: resources(16, 64) });

    const again = look(claim, { capacity: resources(16, 64) }, NOON + MINUTE_MS);
    expect(again).toMatchObject({ claim, events: [] });

    const { claim: grown } = look(claim, { capacity: resources(16, 128) }, NOON + MINUTE_MS);
    expect(grown).toEqual(CLAIM);
  });
});
