import { describe, expect, it } from 'vitest';
import { advance } from '../../shared/lifecycle/advance.ts';
import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import type { NodeClaimObject } from '../../shared/model/nodes/node-claim-object.ts';
import { MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import { toNodeClaimObject } from '../../shared/simulation/control-plane/cluster.ts';
import { aLaunch, aNode, aNodeClaim, aNodePool, anInitializedClaim, NOON } from '../support/builders.ts';

const CLAIM = anInitializedClaim('node-1');
const NOW = NOON + MINUTE_MS;
const DO_NOT_DISRUPT = 'karpenter.sh/do-not-disrupt';

/** A step of a claim with a healthy Node and this object. */
const advanceWithObject = (claim: NodeClaim, object: Partial<NodeClaimObject> | 'missing') =>
  advance(claim, {
    now: NOW,
    nodes: [aNode()],
    pods: [],
    object: object === 'missing' ? object : { ...toNodeClaimObject(claim), ...object },
  });

describe('the NodeClaim object', () => {
  it('deletes the claim when a user deletes it, from the time of the request', () => {
    const requested = NOW - 5 * SECOND_MS;
    const claim = { ...CLAIM, terminationGracePeriodMs: 300 * SECOND_MS };

    expect(advanceWithObject(claim, { deletionAt: requested }).claim).toMatchObject({
      deletingAt: requested,
      removal: 'Requested',
      drainDeadline: requested + 300 * SECOND_MS,
    });
  });

  it.each([
    ['it alone', { poolVersion: aNodePool() }, 'NodeClaim'],
    ['its NodePool', {}, 'NodePool'],
  ])('names the object whose deletion is the cause: %s', (_, over, requestedBy) => {
    const object = { ...toNodeClaimObject(CLAIM), deletionAt: NOW };
    const { claim } = advance(CLAIM, { now: NOW, nodes: [], pods: [], object, ...over });

    expect(claim).toMatchObject({ removal: 'Requested', requestedBy });
  });

  it('deletes a claim without a Node when a user deletes it', () => {
    const claim = aNodeClaim({ launch: aLaunch() });
    const object = { ...toNodeClaimObject(claim), deletionAt: NOW };

    const step = advance(claim, { now: NOW, nodes: [], pods: [], object });

    expect(step.claim).toMatchObject({ deletingAt: NOW, removal: 'Requested' });
    expect(step.effects).toEqual([]);
  });

  it('is written again if it vanished without a deletion', () => {
    const step = advanceWithObject(CLAIM, 'missing');

    expect(step.claim).toBe(CLAIM);
    expect(step.effects).toEqual([{ kind: 'show' }]);
  });

  it('is written with the launch if it is missing before', () => {
    const step = advance(aNodeClaim(), { now: NOON, nodes: [], pods: [], object: 'missing' });

    expect(step.effects).toEqual([{ kind: 'launch' }]);
  });

  it('changes nothing if it could not be read', () => {
    const step = advance(CLAIM, { now: NOW, nodes: [aNode()], pods: [] });

    expect(step).toMatchObject({ claim: CLAIM, effects: [] });
  });

  it('keeps its node from repair while it has do-not-repair', () => {
    const annotations = { 'karpenter.sh/do-not-repair': 'true' };
    const vetoed = advanceWithObject(CLAIM, { annotations }).claim;

    expect(vetoed.repairVetoed).toBe(true);
    expect(advanceWithObject(vetoed, { annotations: {} }).claim.repairVetoed).toBeUndefined();
  });

  it('protects its node while it has do-not-disrupt', () => {
    const kept = advanceWithObject(CLAIM, { annotations: { [DO_NOT_DISRUPT]: 'true' } }).claim;
    expect(kept.keptByHand).toBe(true);
    expect(advanceWithObject(kept, { annotations: { [DO_NOT_DISRUPT]: 'true' } }).claim).toBe(kept);

    expect(advanceWithObject(kept, { annotations: {} }).claim).toEqual(CLAIM);
  });

  it.each(['false', '5m', ''])('does not protect a node with do-not-disrupt %j', (value) => {
    expect(advanceWithObject(CLAIM, { annotations: { [DO_NOT_DISRUPT]: value } }).claim).toBe(CLAIM);
  });

  it('sets an earlier deadline but not a later one', () => {
    const going = { ...CLAIM, deletingAt: NOON, drainingAt: NOON, drainDeadline: NOW + MINUTE_MS };

    expect(advanceWithObject(going, { deadline: NOW + SECOND_MS }).claim.drainDeadline).toBe(NOW + SECOND_MS);
    expect(advanceWithObject(going, { deadline: NOW + 2 * MINUTE_MS }).claim.drainDeadline).toBe(NOW + MINUTE_MS);
  });

  it('does not shorten a deadline that we wrote and Kubernetes rounded to seconds', () => {
    const going = { ...CLAIM, deletingAt: NOON, drainingAt: NOON, drainDeadline: NOW + 1_500 };

    expect(advanceWithObject(going, { deadline: NOW + SECOND_MS }).claim.drainDeadline).toBe(NOW + 1_500);
  });

  it('sets the deadline of a later deletion', () => {
    const { claim } = advanceWithObject(CLAIM, { deletionAt: NOW, deadline: NOW });

    expect(claim).toMatchObject({ deletingAt: NOW, drainDeadline: NOW });
  });

  it('changes nothing by do-not-disrupt from its pool’s template', () => {
    const claim = { ...CLAIM, annotations: { [DO_NOT_DISRUPT]: 'true' } };

    expect(advanceWithObject(claim, { annotations: claim.annotations }).claim).toBe(claim);
  });
});
