import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { kubernetesCluster } from '../../../shared/kubernetes/kubernetes-cluster.ts';
import type { Cluster } from '../../../shared/ports/cluster.ts';
import { NOON } from '../../support/builders.ts';
import { MISSING_RIGHT } from '../support/answers.ts';
import { type ApiDouble, startApiDouble } from '../support/api-double.ts';
import { connect } from '../support/connect.ts';
import { COLLECTIONS } from '../support/live-objects.ts';

let double: ApiDouble;
let cluster: Cluster;
beforeEach(async () => {
  double = await startApiDouble();
  cluster = kubernetesCluster({ api: connect(double).api, clock: { now: () => NOON } });
  const put = (name: string, spec: Record<string, unknown>) =>
    double.put(COLLECTIONS.services, { metadata: { name, namespace: 'shop' }, spec });
  put('web', { selector: { app: 'web' } });
  put('elsewhere', { externalName: 'example.com' });
});
afterEach(async () => double.close());

describe('Services', () => {
  it('are those that select pods', async () => {
    const { services } = await cluster.observe({ services: true });

    expect(services).toEqual([{ namespace: 'shop', name: 'web', selector: { app: 'web' } }]);
  });

  it('are not listed unless requested', async () => {
    expect(await cluster.observe({ owners: true })).not.toHaveProperty('services');
    expect(double.requests.map(({ path }) => path)).not.toContain(COLLECTIONS.services);
  });

  it('are none if RBAC does not allow to list them', async () => {
    double.fail(COLLECTIONS.services, MISSING_RIGHT);

    expect((await cluster.observe({ services: true })).services).toEqual([]);
  });
});
