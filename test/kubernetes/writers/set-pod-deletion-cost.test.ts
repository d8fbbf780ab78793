import { expect, it } from 'vitest';
import {
  ApiForbiddenError,
  ApiUnreachableError,
} from '../../../shared/kubernetes/client/api-errors.ts';
import type { ApiRequest } from '../../../shared/kubernetes/client/kubernetes-api.ts';
import { setPodDeletionCost } from '../../../shared/kubernetes/writers/set-pod-deletion-cost.ts';
import { aPod } from '../../support/builders.ts';
import { startApiDouble } from '../support/api-double.ts';
import { connect } from '../support/connect.ts';

/** An API server that fails every patch. */
async function setWith(toError: (request: ApiRequest) => Error) {
  const double = await startApiDouble();
  const { api } = connect(double);
  const send = async (request: ApiRequest): Promise<never> => {
    throw toError(request);
  };
  try {
    return await setPodDeletionCost({ ...api, send }, aPod(), -1);
  } finally {
    await double.close();
  }
}

it('tells that the right to patch pods is missing, which is no error', async () => {
  expect(await setWith((request) => new ApiForbiddenError(request, 'cannot patch'))).toBe(
    'forbidden',
  );
});

it('fails if the API server does not answer', async () => {
  const failed = setWith((request) => new ApiUnreachableError(request, { why: 'no answer' }));
  await expect(failed).rejects.toThrow(ApiUnreachableError);
});
