import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { kubernetesPendingPods } from '../../shared/kubernetes/kubernetes-pending-pods.ts';
import { type ApiDouble, startApiDouble } from './support/api-double.ts';
import { connect } from './support/connect.ts';
import { aLivePod, COLLECTIONS, NOON_TEXT } from './support/live-objects.ts';

let server: ApiDouble;
beforeEach(async () => {
  server = await startApiDouble();
});
afterEach(() => server.close());

const waiting = () => kubernetesPendingPods(connect(server).api).fingerprint();
const add = (name: string, over: Parameters<typeof aLivePod>[0] = {}) =>
  server.put(COLLECTIONS.pods, aLivePod({ name, ...over }));
const remove = (name: string) => server.table.remove(COLLECTIONS.pods, `default/${name}`);

describe('the fingerprint of the pending pods', () => {
  it('is empty if there are none', async () => {
    expect(await waiting()).toBe('');
  });

  it('is short and equal for the same pods', async () => {
    add('web-1');
    add('web-2');
    const both = await waiting();

    expect(both).toMatch(/^[0-9a-f]{16}$/);
    expect(await waiting()).toBe(both);
  });

  it('changes when a pod comes or goes', async () => {
    add('web-1');
    const one = await waiting();
    add('web-2');
    const both = await waiting();
    remove('web-1');
    const other = await waiting();

    expect(new Set([one, both, other]).size).toBe(3);
  });

  it.each([
    ['that kube-scheduler has not tried yet', { status: { conditions: [] } }],
    ['of a DaemonSet', { metadata: { ownerReferences: [aController('DaemonSet')] } }],
    [
      'that is being deleted and waits for a finalizer',
      { metadata: { deletionTimestamp: NOON_TEXT, finalizers: ['example.com/never'] } },
    ],
    ['that failed without a node', { status: { phase: 'Failed' } }],
  ])('ignores a pod %s', async (_, over) => {
    add('other', over);
    expect(await waiting()).toBe('');
  });

  it('does not list pods that have a node', async () => {
    await waiting();
    expect(server.requests.map(({ query }) => query.get('fieldSelector'))).toEqual(['spec.nodeName=']);
  });
});

function aController(kind: string): object {
  return { apiVersion: 'apps/v1', kind, name: 'agent', uid: 'u-1', controller: true };
}
