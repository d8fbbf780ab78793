import { describe, expect, it } from 'vitest';
import { splitAtObjects } from '../../../console/page/controls/linked-text.tsx';
import { curveData, curveWindow, pendingStretches, totalAt } from '../../../console/page/dock/curve-data.ts';
import { createClusterModel } from '../../../console/page/store/cluster-model.ts';
import { clusterNow } from '../../../console/page/store/page-clock.ts';
import { toParentSelection } from '../../../console/page/ui/address.ts';
import type { SeriesPoint } from '../../../console/timeline-views.ts';
import { stateView } from '../../../console/views/state.ts';
import { aNode, anInitializedClaim, aRunningPod, NOON } from '../../support/builders.ts';
import { someFacts } from '../support/facts.ts';

const model = createClusterModel({
  ...stateView(
    someFacts({
      snapshot: {
        claims: [anInitializedClaim('ip-1')],
        nodes: [aNode({ name: 'ip-1' })],
        pods: [aRunningPod('ip-1')],
      },
    }),
  ),
  events: [],
});

describe('time on the page', () => {
  const heard = { now: NOON, speed: 10, paused: false, heardAt: 1_000 } as const;

  it('continues between two messages at the speed of the cluster', () => {
    expect(clusterNow(heard, 1_200)).toBe(NOON + 2_000);
  });

  it('continues only for a short time without messages', () => {
    expect(clusterNow(heard, 60_000)).toBe(NOON + 10_000);
  });

  it.each([[{ ...heard, paused: true }], [{ ...heard, speed: 'max' } as const]])(
    'stands still if its speed is unknown: %o',
    (clock) => {
      expect(clusterNow(clock, 1_500)).toBe(NOON);
    },
  );
});

describe('object names in a sentence', () => {
  const node = (name: string) => ({ kind: 'node', name }) as const;
  const linked = (text: string, ...names: readonly string[]) =>
    splitAtObjects(text, names.map(node)).flatMap(({ part, object }) => (object ? [part] : []));

  it('are found as whole words', () => {
    expect(linked('Moving 3 pods off web-1.', 'web-1')).toEqual(['web-1']);
    expect(linked('web-10 and a-web-1 stay, web-1 goes', 'web-1')).toEqual(['web-1']);
    expect(linked('shop/web-1 waits', 'web-1')).toEqual([]);
    expect(linked('taint workload=web-1:NoSchedule', 'web-1')).toEqual([]);
  });

  it('leave the text unchanged', () => {
    const text = 'Removing a-1 and b-2: their pods fit.';
    const parts = splitAtObjects(text, [node('b-2'), node('a-1'), node('c-3')]);
    expect(parts.map(({ part }) => part).join('')).toBe(text);
    expect(parts.filter(({ object }) => object)).toHaveLength(2);
  });
});

describe('Escape', () => {
  it('leads from a pod to its node, and from the node to no selection', () => {
    const node = toParentSelection({ kind: 'pod', name: 'default/web-1' }, model);
    expect(node).toEqual({ kind: 'node', name: 'general-1' });
    expect(toParentSelection(node, model)).toBeUndefined();
  });
});

describe('the cost curve', () => {
  const point = (seconds: number, pendingPods = 0): SeriesPoint => ({
    at: NOON + seconds * 1_000,
    hourlyUsd: { 'on-demand': 1, reserved: 0.5, spot: seconds },
    pendingPods,
  });
  const T = NOON / 1_000;

  it('stacks the costs and extends the last step until now', () => {
    const data = curveData([point(0), point(10)], NOON + 20_000);

    expect(data.at).toEqual([T, T + 10, T + 20]);
    expect(data.total).toEqual([1.5, 11.5, 11.5]);
    expect(data.bound).toEqual([null, null, null]);
  });

  it('shows pending pods from the first step that has them until the first that has none', () => {
    const data = curveData([point(0), point(10, 3), point(20, 1), point(30), point(40, 1)], NOON + 50_000);
    expect(pendingStretches(data)).toEqual([
      [T + 10, T + 30],
      [T + 40, T + 50],
    ]);
  });

  it('returns the cost at a moment', () => {
    const data = curveData([point(0), point(10)], NOON + 20_000);
    expect([totalAt(data, T + 5), totalAt(data, T - 5)]).toEqual([1.5, undefined]);
  });

  it.each([
    [60, 600],
    [1_800, 1_800],
    [7_200, 3_600],
  ])('shows after %i s a window of %i s', (age, shown) => {
    const [from, to] = curveWindow([point(0)], NOON + age * 1_000);
    expect(to - from).toBe(shown);
  });
});
