import { describe, expect, it } from 'vitest';
import { findObjects, type Searched } from '../../../console/page/search/find-objects.ts';
import { createClusterModel } from '../../../console/page/store/cluster-model.ts';
import { stateView } from '../../../console/views/state.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { aNode, anInitializedClaim, aPod, aRunningPod, NOON, podsOf } from '../../support/builders.ts';
import { someFacts } from '../support/facts.ts';

const web = podsOf(3, { namespace: 'shop' }).map((pod, index) =>
  index === 1 ? { ...pod, createdAt: NOON - MINUTE_MS, unschedulableSince: NOON - MINUTE_MS } : pod,
);
const pods = [
  ...web,
  aRunningPod('ip-1'),
  ...Array.from({ length: 20 }, (_, index) => aPod({ name: `job-${index}`, namespace: 'batch' })),
];

const searched: Searched = {
  model: createClusterModel({
    ...stateView(
      someFacts({
        snapshot: {
          claims: [anInitializedClaim('ip-1')],
          nodes: [aNode({ name: 'ip-1' })],
          pods,
        },
      }),
    ),
    events: [],
  }),
  decisions: [{ id: 'p-7', at: NOON, kind: 'provisioning', text: '2 nodes are launched', acts: true }],
  pools: ['general'],
  now: NOON + MINUTE_MS,
};

const namesFor = (text: string) => findObjects(searched, text).shown.map(({ name }) => name);

describe('the search', () => {
  it.each([
    ['general', ['general', 'general-1']],
    ['m7i 1a', ['general-1']],
    ['default/web', ['default/web-1']],
    ['p-7', ['12:00:00']],
    ['2 nodes launched', ['12:00:00']],
    ['', []],
    ['nothing', []],
  ])('finds for %j the objects %o', (text, names) => {
    expect(namesFor(text)).toEqual(names);
  });

  it('shows eight objects and counts the others', () => {
    const { shown, more } = findObjects(searched, 'batch');
    expect([shown.length, shown.length + more]).toEqual([8, 20]);
  });

  it.each([
    ['12:00:30', NOON + MINUTE_MS / 2],
    ['11:00', NOON - 60 * MINUTE_MS],
    ['23:00', NOON - 13 * 60 * MINUTE_MS],
  ])('offers the newest moment at %s that has passed', (text, at) => {
    expect(findObjects(searched, text).shown[0]?.target).toEqual({ kind: 'moment', at });
  });

  it('offers the decisions of a time of day after the moment itself', () => {
    const targets = findObjects(searched, '12:00').shown.map(({ target }) => target);
    expect(targets).toEqual([
      { kind: 'moment', at: NOON },
      { kind: 'object', object: { kind: 'decision', name: 'p-7' } },
    ]);
  });

  it('opens the pod of a workload that waits longest', () => {
    const [first] = findObjects(searched, 'shop/web').shown;
    expect(first).toMatchObject({
      name: 'shop/web',
      about: 'workload of 3 pods, 3 pending',
      target: { object: { kind: 'pod', name: 'shop/web-2' } },
    });
  });
});
