import { describe, expect, it } from 'vitest';
import { advance } from '../../shared/lifecycle/advance.ts';
import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import type { NodeClaimObject } from '../../shared/model/nodes/node-claim-object.ts';
import { MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import { toNodeClaimObject } from '../../shared/simulation/control-plane/node-claim-objects.ts';
import { aLaunch, aNode, aNodeClaim, anInitializedClaim, NOON } from '../support/builders.ts';

const CLAIM = anInitializedClaim('node-1');
const NOW = NOON + MINUTE_MS;
const DO_NOT_DISRUPT = 'karpenter.sh/do-not-disrupt';

/** One look at a claim whose Node is well and whose object says this. */
const look = (claim: NodeClaim, object: Partial<NodeClaimObject> | 'missing') =>
  advance(claim, {
    now: NOW,
    nodes: [aNode()],
    pods: [],
    object: object === 'missing' ? object : { ...toNodeClaimObject(claim), ...object },
  });

describe('the object of a claim', () => {
  it('that somebody deleted takes the claim along, from the time of the request', () => {
    const asked = NOW - 5 * SECOND_MS;
    const claim = { ...CLAIM, terminationGracePeriodMs: 300 * SECOND_MS };

    expect(look(claim, { deletionAt: asked }).claim).toMatchObject({
      deletingAt: asked,
      removal: 'Requested',
      drainDeadline: asked + 300 * SECOND_MS,
    });
  });

  it('that somebody deleted takes a claim along that has no Node yet', () => {
    const claim = aNodeClaim({ launch: aLaunch() });
    const object = { ...toNodeClaimObject(claim), deletionAt: NOW };

    const step = advance(claim, { now: NOW, nodes: [], pods: [], object });

    expect(step.claim).toMatchObject({ deletingAt: NOW, removal: 'Requested' });
    expect(step.effects).toEqual([]);
  });

  it('that vanished is no wish to delete: it is written again', () => {
    const step = look(CLAIM, 'missing');

    expect(step.claim).toBe(CLAIM);
    expect(step.effects).toEqual([{ kind: 'show' }]);
  });

  it('that is not there before the launch is written with the launch', () => {
    const step = advance(aNodeClaim(), { now: NOON, nodes: [], pods: [], object: 'missing' });

    expect(step.effects).toEqual([{ kind: 'launch' }]);
  });

  it('that nobody could read changes nothing', () => {
    const step = advance(CLAIM, { now: NOW, nodes: [aNode()], pods: [] });

    expect(step).toMatchObject({ claim: CLAIM, effects: [] });
  });

  it('keeps its node while it carries do-not-disrupt, and no longer', () => {
    const kept = look(CLAIM, { annotations: { [DO_NOT_DISRUPT]: 'true' } }).claim;
    expect(kept.keptByHand).toBe(true);
    expect(look(kept, { annotations: { [DO_NOT_DISRUPT]: 'true' } }).claim).toBe(kept);

    expect(look(kept, { annotations: {} }).claim).toEqual(CLAIM);
  });

  it.each(['false', '5m', ''])('do-not-disrupt of %j keeps no node', (value) => {
    expect(look(CLAIM, { annotations: { [DO_NOT_DISRUPT]: value } }).claim).toBe(CLAIM);
  });

  it('23.12-149: a deadline on it that is earlier stands, a later one does not', () => {
    const going = { ...CLAIM, deletingAt: NOON, drainingAt: NOON, drainDeadline: NOW + MINUTE_MS };

    expect(look(going, { deadline: NOW + SECOND_MS }).claim.drainDeadline).toBe(NOW + SECOND_MS);
    expect(look(going, { deadline: NOW + 2 * MINUTE_MS }).claim.drainDeadline).toBe(
      NOW + MINUTE_MS,
    );
  });

  it('a deadline that we wrote ourselves, to the second, is no earlier one', () => {
    const going = { ...CLAIM, deletingAt: NOON, drainingAt: NOON, drainDeadline: NOW + 1_500 };

    expect(look(going, { deadline: NOW + SECOND_MS }).claim.drainDeadline).toBe(NOW + 1_500);
  });

  it('a deadline that was there before the deletion holds for it', () => {
    const { claim } = look(CLAIM, { deletionAt: NOW, deadline: NOW });

    expect(claim).toMatchObject({ deletingAt: NOW, drainDeadline: NOW });
  });

  it('says nothing new with the do-not-disrupt of its pool’s template', () => {
    const claim = { ...CLAIM, annotations: { [DO_NOT_DISRUPT]: 'true' } };

    expect(look(claim, { annotations: claim.annotations }).claim).toBe(claim);
  });
});
