import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Effect } from '../../../shared/lifecycle/step.ts';
import { planDrain } from '../../../shared/lifecycle/termination/drain.ts';
import { DO_NOT_DISRUPT_ANNOTATION } from '../../../shared/model/labels.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import type { PodDisruptionBudget } from '../../../shared/model/pods/workload.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { aPodDisruptionBudget, aPodSpec, aRunningPod, NOON } from '../../support/builders.ts';

const daemon = { owner: { kind: 'DaemonSet', name: 'agent', uid: 'ds' } };
const critical = { priorityClassName: 'system-node-critical' };

const aLeavingPod = (name: string, over: Partial<Pod> = {}, spec: Partial<Pod['spec']> = {}): Pod =>
  aRunningPod('node-1', { name, spec: aPodSpec(spec), ...over });

const app = aLeavingPod('app');
const agent = aLeavingPod('agent', daemon);
const dns = aLeavingPod('dns', {}, critical);
const proxy = aLeavingPod('proxy', daemon, critical);

/** Effects as text, such as `evict app` and `delete app 30s`. */
const summary = (effects: readonly Effect[]): readonly string[] =>
  effects.map((effect) => {
    if (effect.kind === 'evict') return `evict ${effect.pod.name}`;
    if (effect.kind === 'delete-pod') {
      return `delete ${effect.pod.name} ${effect.gracePeriodMs / SECOND_MS}s`;
    }
    return effect.kind;
  });

describe('the order of evictions', () => {
  it.each([
    ['ordinary pods first', [app, agent, dns, proxy], ['evict app']],
    ['then ordinary DaemonSet pods', [agent, dns, proxy], ['evict agent']],
    ['then critical pods', [dns, proxy], ['evict dns']],
    ['then critical DaemonSet pods', [proxy], ['evict proxy']],
    ['nothing if no pod is left', [], []],
  ])('evicts %s', (_, pods, expected) => {
    expect(summary(planDrain(pods, NOON).effects)).toEqual(expected);
  });

  it('waits for a terminating pod before it evicts the next tier', () => {
    const leaving = aLeavingPod('app', { deletionAt: NOON + 30 * SECOND_MS });
    const drain = planDrain([leaving, agent], NOON);

    expect(summary(drain.effects)).toEqual([]);
    expect(drain.waiting).toEqual([leaving, agent]);
  });

  it('treats a pod as critical by its class, not by its priority', () => {
    const important = aLeavingPod('important', {}, { priority: 2_000_000_000 });

    expect(summary(planDrain([important, dns], NOON).effects)).toEqual(['evict important']);
  });

  it.each<[string, Pod]>([
    ['a pod that tolerates the taint', aLeavingPod('x', daemon, { tolerations: [{ operator: 'Exists' }] })],
    ['a mirror pod', aLeavingPod('x', { owner: { kind: 'Node', name: 'n', uid: 'n' } })],
    ['a finished pod', aLeavingPod('x', { phase: 'Succeeded' })],
    ['a pod that is stuck terminating', aLeavingPod('x', { deletionAt: NOON - 90 * SECOND_MS })],
  ])('neither evicts nor awaits %s', (_, pod) => {
    expect(planDrain([pod], NOON)).toEqual({ effects: [], waiting: [], next: [] });
  });

  it('awaits a pod that terminates for up to 30 s past its grace period, until it counts as stuck', () => {
    const pod = aLeavingPod('x', { deletionAt: NOON - 30 * SECOND_MS });

    expect(planDrain([pod], NOON)).toEqual({
      effects: [],
      waiting: [pod],
      next: [pod],
      wakeAt: NOON + 30 * SECOND_MS + 1,
    });
  });
});

describe('do-not-disrupt while draining', () => {
  const guarded = (value: string) => aLeavingPod('app', { annotations: { [DO_NOT_DISRUPT_ANNOTATION]: value } });

  it('is respected without limit if there is no deadline', () => {
    const pod = guarded('true');

    expect(planDrain([pod], NOON + 60 * MINUTE_MS)).toEqual({
      effects: [],
      waiting: [pod],
      next: [pod],
    });
  });

  it('ends with its duration', () => {
    expect(summary(planDrain([guarded('2m')], NOON + 3 * MINUTE_MS).effects)).toEqual(['evict app']);
  });

  it('ends at the deadline', () => {
    const drain = planDrain([guarded('true')], NOON + 1, { deadline: NOON });

    expect(summary(drain.effects)).toEqual(['delete app 1s']);
  });
});

describe('the deadline', () => {
  const in300s = NOON + 300 * SECOND_MS;
  const graceful = (seconds: number, over: Partial<Pod> = {}) =>
    aLeavingPod('app', over, { terminationGracePeriodMs: seconds * SECOND_MS });
  const at = (seconds: number) => NOON + seconds * SECOND_MS;

  it.each<[string, Pod, number, readonly string[]]>([
    ['deletes a pod at once if its grace period is the whole time left', graceful(300), 0.001, ['delete app 299s']],
    ['evicts a pod with a grace period of 60 s at 90 s', graceful(60), 90, ['evict app']],
    ['deletes the same pod at 265 s', graceful(60), 265, ['delete app 35s']],
    [
      'shortens a grace period that would outlast the deadline',
      graceful(6000, { deletionAt: at(6000) }),
      90,
      ['delete app 210s'],
    ],
    ['gives a grace period of at least a second past the deadline', graceful(30), 301, ['delete app 1s']],
    ['ignores a pod that terminates in time', graceful(60, { deletionAt: at(200) }), 150, []],
  ])('%s', (_, pod, seconds, expected) => {
    expect(summary(planDrain([pod], at(seconds), { deadline: in300s }).effects)).toEqual(expected);
  });

  it('deletes a critical pod next to the eviction of an ordinary one', () => {
    const slow = aLeavingPod('dns', {}, { ...critical, terminationGracePeriodMs: 600 * SECOND_MS });

    expect(summary(planDrain([app, slow], NOON, { deadline: in300s }).effects)).toEqual([
      'delete dns 300s',
      'evict app',
    ]);
  });

  it('wakes when the first pod has to be deleted', () => {
    expect(planDrain([graceful(60), graceful(30)], NOON, { deadline: in300s }).wakeAt).toBe(at(240) + 1);
  });
});

describe('an interruption notice of two minutes', () => {
  const limit = { deadline: NOON + 2 * MINUTE_MS, noticedAt: NOON };
  const SLOW = { terminationGracePeriodMs: 10 * MINUTE_MS };
  const at = (seconds: number) => NOON + seconds * SECOND_MS;
  const replica = (name: string, graceMs = SLOW.terminationGracePeriodMs) =>
    aLeavingPod(
      name,
      { owner: { kind: 'ReplicaSet', name: 'web', uid: 'rs-web' } },
      { terminationGracePeriodMs: graceMs },
    );
  /** The seconds after the notice in which pods are deleted, if no eviction succeeds. */
  const deletionsOf = (pods: readonly Pod[], budgets: readonly PodDisruptionBudget[] = []): readonly string[] => {
    const remaining = new Set(pods);
    const deletions: string[] = [];
    for (let seconds = 0; seconds <= 121; seconds += 1) {
      for (const effect of planDrain([...remaining], at(seconds), limit, budgets).effects) {
        if (effect.kind !== 'delete-pod') continue;
        remaining.delete(effect.pod);
        deletions.push(`${effect.pod.name} ${seconds}`);
      }
    }
    return deletions;
  };

  it('evicts a pod whose grace period is longer than the notice, and deletes it after a minute', () => {
    const slow = aLeavingPod('app', {}, SLOW);

    expect(summary(planDrain([slow], at(1), limit).effects)).toEqual(['evict app']);
    expect(deletionsOf([slow])).toEqual(['app 61']);
  });

  it('deletes a pod that nothing evicts when its grace period just fits', () => {
    expect(deletionsOf([aLeavingPod('app')])).toEqual(['app 91']);
  });

  it('leaves a pod with do-not-disrupt alone until then', () => {
    const guarded = aLeavingPod('app', { annotations: { [DO_NOT_DISRUPT_ANNOTATION]: 'true' } });

    expect(summary(planDrain([guarded], at(80), limit).effects)).toEqual([]);
    expect(deletionsOf([guarded])).toEqual(['app 91']);
  });

  it.each([
    ['a long grace period', 10 * MINUTE_MS, ['a 41', 'b 51', 'c 61']],
    ['a short grace period', 30 * SECOND_MS, ['a 71', 'b 81', 'c 91']],
  ])('deletes replicas with %s one after the other', (_, graceMs, expected) => {
    const replicas = ['a', 'b', 'c'].map((name) => replica(name, graceMs));

    expect(deletionsOf(replicas)).toEqual(expected);
  });

  describe('to pods of several owners that share a budget', () => {
    const shared = aPodDisruptionBudget();
    const member = (name: string, graceMs = 10 * MINUTE_MS) =>
      aLeavingPod(
        name,
        {
          owner: { kind: 'StatefulSet', name, uid: `set-${name}` },
          labels: { app: 'web' },
          annotations: { [DO_NOT_DISRUPT_ANNOTATION]: 'true' },
        },
        { terminationGracePeriodMs: graceMs },
      );

    it('deletes them one after the other', () => {
      expect(deletionsOf([member('a'), member('b'), member('c')], [shared])).toEqual(['a 41', 'b 51', 'c 61']);
    });

    it('deletes them one after the other also if their grace periods differ', () => {
      expect(deletionsOf([member('a', 50_000), member('b', 60_000)], [shared])).toEqual(['b 61', 'a 71']);
    });

    it('never deletes all of them at once while time is left', () => {
      const graces = fc.array(fc.integer({ min: 0, max: 600_000 }), { minLength: 2, maxLength: 8 });
      fc.assert(
        fc.property(graces, (graceMs) => {
          const pods = graceMs.map((ms, index) => member(`p${index}`, ms));
          const times = deletionsOf(pods, [shared]).map((text) => text.split(' ')[1]);

          expect(times).toHaveLength(pods.length);
          expect(new Set(times).size).toBeGreaterThan(1);
        }),
        { numRuns: 20 },
      );
    });
  });

  it('deletes all replicas in time even if the notice comes late', () => {
    const late = { deadline: NOON + 40 * SECOND_MS, noticedAt: NOON };
    const replicas = ['a', 'b'].map((name) => replica(name));

    expect(summary(planDrain(replicas, at(1), late).effects)).toEqual(['evict a', 'evict b']);
    expect(summary(planDrain(replicas, at(11), late).effects)).toEqual(['delete a 29s', 'delete b 29s']);
  });

  it('wakes for the next deletion', () => {
    expect(planDrain([replica('a'), replica('b')], at(52), limit).wakeAt).toBe(at(60) + 1);
  });
});

describe('a repeated drain', () => {
  const anyPod = fc
    .record({
      name: fc.string({ minLength: 1, maxLength: 3 }),
      graceMs: fc.integer({ min: 0, max: 600_000 }),
      deletionIn: fc.option(fc.integer({ min: -120_000, max: 600_000 }), { nil: undefined }),
      isDaemon: fc.boolean(),
      isCritical: fc.boolean(),
    })
    .map(({ name, graceMs, deletionIn, ...is }) =>
      aLeavingPod(
        name,
        {
          ...(deletionIn !== undefined && { deletionAt: NOON + deletionIn }),
          ...(is.isDaemon && daemon),
        },
        { terminationGracePeriodMs: graceMs, ...(is.isCritical && critical) },
      ),
    );

  it('acts only on pods that it awaits, and once on each', () => {
    fc.assert(
      fc.property(
        fc.array(anyPod),
        fc.option(fc.integer({ min: -60_000, max: 900_000 }), { nil: undefined }),
        fc.option(fc.integer({ min: -120_000, max: 0 }), { nil: undefined }),
        (pods, deadlineIn, noticedIn) => {
          const limit = {
            ...(deadlineIn === undefined ? {} : { deadline: NOON + deadlineIn }),
            ...(noticedIn === undefined ? {} : { noticedAt: NOON + noticedIn }),
          };
          const { effects, waiting } = planDrain(pods, NOON, limit);
          const touched = effects.flatMap((effect) => ('pod' in effect ? [effect.pod] : []));

          expect(new Set(touched).size).toBe(touched.length);
          expect(touched.every((pod) => waiting.includes(pod))).toBe(true);
        },
      ),
    );
  });

  it('deletes all remaining pods past the deadline', () => {
    fc.assert(
      fc.property(fc.array(anyPod), (pods) => {
        const { effects, waiting } = planDrain(pods, NOON, { deadline: NOON - 1 });
        const late = waiting.filter(({ deletionAt }) => (deletionAt ?? NOON) > NOON - 1);

        expect(effects.filter(({ kind }) => kind === 'delete-pod')).toHaveLength(late.length);
        expect(effects.some(({ kind }) => kind === 'evict')).toBe(false);
      }),
    );
  });
});
