import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { advance } from '../../shared/lifecycle/advance.ts';
import type { Observed, ObservedInstance } from '../../shared/lifecycle/observed.ts';
import type { Effect } from '../../shared/lifecycle/step.ts';
import { recordDrainBlockers } from '../../shared/lifecycle/termination/drain.ts';
import type { Node } from '../../shared/model/nodes/node.ts';
import { type ClaimProgress, type NodeClaim, phaseOf } from '../../shared/model/nodes/node-claim.ts';
import { UNREGISTERED_TAINT } from '../../shared/model/requirements/taints.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import { toNodeClaimObject } from '../../shared/simulation/control-plane/cluster.ts';
import { aLaunch, aNode, aNodeClaim, aRunningPod, NOON } from '../support/builders.ts';

const INSTANTS = [
  'registeredAt',
  'initializedAt',
  'deletingAt',
  'drainingAt',
  'drainedAt',
  'volumesDetachedAt',
  'terminatingAt',
  'terminatedAt',
] as const satisfies readonly (keyof ClaimProgress)[];

const STATES: readonly ObservedInstance['state'][] = ['pending', 'running', 'shutting-down', 'gone'];

/** Any observed state, in any order. */
const anyObserved: fc.Arbitrary<Omit<Observed, 'now'> & { readonly after: number }> = fc.record({
  after: fc.integer({ min: 0, max: 10 * MINUTE_MS }),
  nodes: fc.array(
    fc.record({ ready: fc.boolean(), held: fc.boolean(), going: fc.boolean() }).map(
      ({ ready, held, going }): Node =>
        aNode({
          ready,
          taints: [UNREGISTERED_TAINT],
          finalizers: held ? ['karpenter.sh/termination'] : [],
          ...(going && { deletionAt: NOON }),
        }),
    ),
    { maxLength: 2 },
  ),
  pods: fc.constantFrom([], [aRunningPod('node-1')]),
  instance: fc.constantFrom(...STATES).map((state) => ({ providerId: 'i-1', state })),
  volumes: fc.constantFrom([], [{ name: 'csi-1' }]),
  object: fc.constantFrom<NonNullable<Observed['object']>>(
    'missing',
    toNodeClaimObject(aNodeClaim()),
    {
      ...toNodeClaimObject(aNodeClaim()),
      annotations: { 'karpenter.sh/do-not-disrupt': 'true' },
      deadline: NOON + MINUTE_MS,
    },
    { ...toNodeClaimObject(aNodeClaim()), deletionAt: NOON },
  ),
});

/** The claims and effects that a history of observations leads to. */
function replay(history: readonly (Omit<Observed, 'now'> & { readonly after: number })[]) {
  let now = NOON;
  let claim: NodeClaim = aNodeClaim({ expireAfterMs: 60 * MINUTE_MS });
  const claims = [claim];
  const effects: Effect[] = [];
  for (const { after, ...observed } of history) {
    now += after;
    const step = advance(claim, { ...observed, now });
    const launched = step.effects.some(({ kind }) => kind === 'launch');
    claim = launched ? { ...step.claim, launch: aLaunch({ at: now }) } : step.claim;
    claims.push(claim);
    effects.push(...step.effects);
  }
  return { claims, effects };
}

describe('a claim under any observations', () => {
  it('never changes a recorded timestamp', () => {
    fc.assert(
      fc.property(fc.array(anyObserved, { maxLength: 30 }), (history) => {
        const { claims } = replay(history);
        for (const [index, claim] of claims.entries()) {
          const before = claims[index - 1];
          for (const instant of INSTANTS) {
            const had = before?.[instant];
            if (had !== undefined) expect(claim[instant]).toBe(had);
          }
        }
      }),
    );
  });

  it('never reverts its deletion', () => {
    const LAST = ['draining', 'terminating', 'terminated'];
    fc.assert(
      fc.property(fc.array(anyObserved, { maxLength: 30 }), (history) => {
        const ranks = replay(history).claims.map((claim) => LAST.indexOf(phaseOf(claim)));

        expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
      }),
    );
  });

  it('terminates its instance only after its deletion', () => {
    fc.assert(
      fc.property(fc.array(anyObserved, { maxLength: 30 }), (history) => {
        const { claims, effects } = replay(history);
        if (claims.every(({ deletingAt }) => deletingAt === undefined)) {
          expect(effects.map(({ kind }) => kind)).not.toContain('terminate-instance');
        }
      }),
    );
  });

  it('comes to the same step when the step is repeated', () => {
    fc.assert(
      fc.property(fc.array(anyObserved, { maxLength: 10 }), anyObserved, (history, last) => {
        const claim = replay(history).claims.at(-1) ?? aNodeClaim();
        const observed = { ...last, now: NOON + 3 * MINUTE_MS };

        expect(advance(claim, observed)).toEqual(advance(claim, observed));
      }),
    );
  });

  it('reaches its end if the instance is gone and time passes', () => {
    const gone = { nodes: [], pods: [], instance: { state: 'gone' as const } };
    fc.assert(
      fc.property(fc.array(anyObserved, { maxLength: 20 }), (history) => {
        const day = 24 * 60 * MINUTE_MS;
        const rest = Array.from({ length: 10 }, () => ({ ...gone, after: day }));
        const last = replay([...history, ...rest]).claims.at(-1);

        expect(last && phaseOf(last)).toBe('terminated');
      }),
    );
  });
});

it('does nothing once it has ended', () => {
  const claim = aNodeClaim({ terminatedAt: NOON });

  expect(advance(claim, { now: NOON, nodes: [aNode()], pods: [] })).toEqual({
    claim,
    effects: [],
    events: [],
  });
});

describe('recorded drain blockers', () => {
  const claim = aNodeClaim();

  it('keep the time of their first refusal until they are gone', () => {
    const first = recordDrainBlockers(claim, ['shop/a'], NOON);
    const second = recordDrainBlockers(first, ['shop/b', 'shop/a'], NOON + 1);

    expect(second.heldUpBy).toEqual({ 'shop/a': NOON, 'shop/b': NOON + 1 });
    expect(recordDrainBlockers(second, ['shop/b'], NOON + 2).heldUpBy).toEqual({
      'shop/b': NOON + 1,
    });
  });

  it('do not change the claim if they are recorded already', () => {
    const first = recordDrainBlockers(claim, ['shop/a'], NOON);

    expect(recordDrainBlockers(first, ['shop/a'], NOON + 1)).toBe(first);
    expect(recordDrainBlockers(claim, [], NOON)).toBe(claim);
  });
});
