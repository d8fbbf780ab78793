import { describe, expect, it } from 'vitest';
import { nodeSpans } from '../../console/history/node-spans.ts';
import type { NodeView } from '../../console/views.ts';
import { aNodeClaim, NOON } from '../support/builders.ts';

const NOTHING = { cpuMilli: 0, memoryMib: 0, gpu: 0, pods: 0 };
const STARTING: NodeView = {
  name: 'general-1',
  pool: 'general',
  instanceType: 'm5.large',
  zone: 'us-east-1a',
  vcpu: 2,
  allocatable: NOTHING,
  requested: NOTHING,
  daemon: NOTHING,
  bornAt: NOON,
  state: 'starting',
  stateSince: NOON,
  holds: [],
};
const REFUSED = {
  kind: 'unavailable',
  at: NOON,
  claim: 'general-1',
  until: NOON + 180_000,
  offerings: [{ instanceType: 'm5.large', zone: 'us-east-1a', capacityType: 'spot' }],
} as const;
const STARTED = { name: 'general-1' };

describe('the end of a node', () => {
  it('is the missing capacity of EC2 if the node never launched', () => {
    const spans = nodeSpans();
    spans.update(NOON, [STARTING], [aNodeClaim(STARTED)]);
    spans.learn(REFUSED);
    spans.update(NOON + 1_000, [], []);

    expect(spans.list({ from: NOON, to: NOON + 1_000 })).toMatchObject([
      { name: 'general-1', goneAt: NOON + 1_000, why: 'no capacity' },
    ]);
  });

  it('is that it was not launched if no event says why', () => {
    const spans = nodeSpans();
    spans.update(NOON, [STARTING], [aNodeClaim(STARTED)]);
    spans.update(NOON + 1_000, [], []);

    expect(spans.list({ from: NOON, to: NOON + 1_000 })).toMatchObject([{ why: 'not launched' }]);
  });

  it('is another one if the node launched from another offering', () => {
    const spans = nodeSpans();
    spans.update(NOON, [STARTING], [aNodeClaim(STARTED)]);
    spans.learn(REFUSED);
    const claim = aNodeClaim({ ...STARTED, initializedAt: NOON + 40_000, removal: 'Empty' });
    spans.update(NOON + 60_000, [{ ...STARTING, state: 'draining' }], [claim]);

    expect(spans.list({ from: NOON, to: NOON + 60_000 })).toMatchObject([{ why: 'empty' }]);
  });
});
