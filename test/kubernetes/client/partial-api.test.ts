import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiForbiddenError } from '../../../shared/kubernetes/client/api-errors.ts';
import { collectionPath, NODE_POOLS, PODS } from '../../../shared/kubernetes/client/api-resources.ts';
import type { ApiRequest } from '../../../shared/kubernetes/client/kubernetes-api.ts';
import { createPartialApi } from '../../../shared/kubernetes/client/partial-api.ts';
import { MISSING_RIGHT } from '../support/answers.ts';
import { type ApiDouble, startApiDouble } from '../support/api-double.ts';
import { connect } from '../support/connect.ts';
import { COLLECTIONS } from '../support/live-objects.ts';

let server: ApiDouble;
beforeEach(async () => {
  server = await startApiDouble();
});
afterEach(() => server.close());

const listOf = (resource: typeof PODS): ApiRequest => ({
  verb: 'list',
  resource: resource.name,
  path: collectionPath(resource),
});

describe('access to a cluster without all rights', () => {
  it('lists a kind that it may not read as empty, and reports the gap until it may', async () => {
    const { api, gaps } = createPartialApi(connect(server).api);
    server.fail(COLLECTIONS.pods, MISSING_RIGHT);
    expect(await api.read(listOf(PODS))).toMatchObject({ items: [] });
    expect(gaps()).toEqual([{ resource: 'pods', cause: 'forbidden' }]);

    await api.read(listOf(PODS));
    expect(gaps()).toEqual([]);
  });

  it('lists a kind without a CRD as empty', async () => {
    server.unserved.add(COLLECTIONS.pools);
    const { api, gaps } = createPartialApi(connect(server).api);
    await api.read(listOf(NODE_POOLS));

    expect(gaps()).toEqual([{ resource: 'nodepools', cause: 'not-served' }]);
  });

  it('still fails if the API server does not answer', async () => {
    const { api } = createPartialApi(connect(server).api);
    server.fail(COLLECTIONS.pods, 'cut');
    await expect(api.read(listOf(PODS))).rejects.toThrow(/does not answer/);
  });

  it('refuses every request that would write', async () => {
    const { api } = createPartialApi(connect(server).api);
    const write = { ...listOf(PODS), verb: 'delete' as const };
    await expect(api.send(write)).rejects.toThrow('this access only reads');
    await expect(api.read(write)).rejects.toThrow('this access only reads');
    expect(server.requests).toEqual([]);
  });

  it('asks for a right, which is no write', async () => {
    const { api } = createPartialApi(connect(server).api);
    const resource = 'subjectaccessreviews';
    const path = `/apis/authorization.k8s.io/v1/${resource}`;
    await api.read({ verb: 'create', resource, path, body: { metadata: { name: 'review' } } });

    expect(server.requests.map((request) => request.path)).toEqual([path]);
  });

  it('takes an object that it may not read for missing', async () => {
    const { api, gaps } = createPartialApi(connect(server).api);
    const path = `${COLLECTIONS.pods}/web`;
    server.fail(path, MISSING_RIGHT);

    expect(await api.send({ verb: 'get', resource: PODS.name, path })).toMatchObject({
      status: 404,
    });
    expect(gaps()).toEqual([{ resource: 'pods', cause: 'forbidden' }]);
  });

  it('fails without a kind that its caller needs', async () => {
    const { api, gaps } = createPartialApi(connect(server).api, new Set([PODS.name]));
    server.fail(COLLECTIONS.pods, MISSING_RIGHT);

    await expect(api.read(listOf(PODS))).rejects.toThrow(ApiForbiddenError);
    expect(gaps()).toEqual([]);
  });
});
