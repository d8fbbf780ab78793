import { describe, expect, it } from 'vitest';
import { advance } from '../../shared/lifecycle/advance.ts';
import type { Observed } from '../../shared/lifecycle/observed.ts';
import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import { HOUR_MS, MINUTE_MS } from '../../shared/model/time.ts';
import { aLaunch, aNode, aNodeClaim, anInitializedClaim, NOON } from '../support/builders.ts';

const claim = anInitializedClaim('node-1');
const absent = (now: number, over: Partial<Observed> = {}): Observed => ({
  nodes: [],
  pods: [],
  instance: { state: 'running' },
  now,
  ...over,
});
const noticed = (before: NodeClaim): NodeClaim => advance(before, absent(NOON)).claim;

describe('a Node that is missing while its instance runs', () => {
  it('is recorded first, and looked for again after three minutes', () => {
    const step = advance(claim, absent(NOON));

    expect(step.claim).toEqual({ ...claim, nodeMissingSince: NOON });
    expect(step.effects).toEqual([]);
    expect(step.wakeAt).toBe(NOON + 3 * MINUTE_MS);
  });

  it('keeps its claim for three minutes, because a restarted kubelet registers again', () => {
    const step = advance(noticed(claim), absent(NOON + 3 * MINUTE_MS - 1));

    expect(step.claim).toEqual({ ...claim, nodeMissingSince: NOON });
    expect(step.wakeAt).toBe(NOON + 3 * MINUTE_MS);
  });

  it.each([
    ['initialized', claim],
    ['only registered', aNodeClaim({ launch: aLaunch(), registeredAt: NOON, nodeName: 'node-1' })],
  ])('ends its claim and its instance after three minutes if it was %s', (_, before) => {
    const now = NOON + 3 * MINUTE_MS;
    const step = advance(noticed(before), absent(now));

    expect(step.claim).toMatchObject({ deletingAt: now, removal: 'Unhealthy' });
    expect(step.events).toEqual([{ kind: 'node-missing', at: now, claim: 'general-1', since: NOON }]);
    expect(advance(step.claim, absent(now)).effects).toEqual([
      { kind: 'terminate-instance', providerId: before.launch?.providerId },
    ]);
  });

  it('is forgotten when it is back', () => {
    const back = absent(NOON + MINUTE_MS, { nodes: [aNode()] });

    expect(advance(noticed(claim), back).claim).toEqual(claim);
  });

  it('is not recorded if EC2 was not asked', () => {
    const { instance: _, ...observed } = absent(NOON);

    expect(advance(claim, observed).claim).toBe(claim);
  });

  it('is not recorded if the object of the Node cannot be read', () => {
    expect(advance(claim, absent(NOON, { hasUnreadableNode: true })).claim).toBe(claim);
  });

  it('is not expected before it has registered', () => {
    const launched = aNodeClaim({ launch: aLaunch() });

    expect(advance(launched, absent(NOON + MINUTE_MS)).claim).toBe(launched);
  });
});

describe('a Node that cannot be read', () => {
  it('does not let the instance of its claim end without a drain', () => {
    const deleting = { ...claim, deletingAt: NOON, removal: 'Empty' as const };
    const step = advance(deleting, absent(NOON + HOUR_MS, { hasUnreadableNode: true }));

    expect(step.effects).toEqual([]);
    expect(step.claim).toBe(deleting);
  });
});
