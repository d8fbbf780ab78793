import { describe, expect, it } from 'vitest';
import { createTolerantApi } from '../../../cli/explain/tolerant-api.ts';
import { decideWithoutActing } from '../../../cli/record/take-snapshot.ts';
import { createExplainer } from '../../../shared/explain/explain.ts';
import {
  ApiForbiddenError,
  KindNotServedError,
} from '../../../shared/kubernetes/client/api-errors.ts';
import type {
  ApiRequest,
  KubernetesApi,
} from '../../../shared/kubernetes/client/kubernetes-api.ts';
import { aLivePod, COLLECTIONS } from '../../kubernetes/support/live-objects.ts';
import { aControllerRuntimeDouble } from '../controller/controller-runtime-double.ts';

/** An API that refuses every request with the error. */
function refusing(toError: (request: ApiRequest) => Error): KubernetesApi {
  const refuse = async (request: ApiRequest) => {
    throw toError(request);
  };
  return { send: refuse, read: refuse, stream: refuse };
}

const list = (resource: string): ApiRequest => ({ verb: 'list', resource, path: `/${resource}` });
const forbidden = refusing((request) => new ApiForbiddenError(request, 'no rule'));

describe('a cluster of which not everything may be read', () => {
  it('has empty lists, and names what is unknown because of each', async () => {
    const { api, listGaps } = createTolerantApi(forbidden);

    expect(await api.read(list('poddisruptionbudgets'))).toMatchObject({ items: [] });
    expect(await api.send({ ...list('jobs'), verb: 'get' })).toMatchObject({ status: 404 });
    expect(listGaps()).toEqual([
      'may not get jobs: it is unknown how many pods their owners have still to create',
      'may not list poddisruptionbudgets: it is unknown if a PodDisruptionBudget keeps a node',
    ]);
  });

  it.each(['pods', 'nodes'])('cannot be explained without %s', async (resource) => {
    const { api } = createTolerantApi(forbidden);

    await expect(api.read(list(resource))).rejects.toThrow(ApiForbiddenError);
  });

  it('lacks nothing if a CRD is not installed', async () => {
    const { api, listGaps } = createTolerantApi(
      refusing((request) => new KindNotServedError(request)),
    );

    expect(await api.read(list('nodepools'))).toMatchObject({ items: [] });
    expect(listGaps()).toEqual([]);
  });

  it('ends the watch of a kind that may not be read when it is closed', async () => {
    const { api } = createTolerantApi(forbidden);
    const watch = await api.stream({ ...list('leases'), verb: 'watch' });
    const lines: string[] = [];
    watch.close();
    for await (const line of watch.lines) lines.push(line);

    expect(lines).toEqual([]);
  });
});

describe('the explanation of a live cluster', () => {
  it('is made from reads alone', async () => {
    const { double, runtime } = await aControllerRuntimeDouble();
    double.put(
      COLLECTIONS.pods,
      aLivePod({
        metadata: { name: 'huge', namespace: 'default', uid: 'huge' },
        spec: { containers: [{ name: 'main', resources: { requests: { cpu: '9000' } } }] },
        status: {
          phase: 'Pending',
          conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
        },
      }),
    );
    const decisions = await decideWithoutActing(runtime('explain'));
    const explainer = createExplainer(
      decisions.flatMap(({ id, at, input }) => (input ? [{ id, at, input }] : [])),
    );

    expect(explainer?.listPendingPods()).toEqual(['default/huge']);
    expect(explainer?.explain({ kind: 'pod', name: 'default/huge' })).toMatchObject({
      outcome: 'pending',
      reasons: [{ object: 'general', reason: { code: 'too-large' } }],
    });
    expect(double.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});
