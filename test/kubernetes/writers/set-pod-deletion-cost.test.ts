import { expect, it } from 'vitest';
import { ApiForbiddenError, ApiUnreachableError } from '../../../shared/kubernetes/client/api-errors.ts';
import type { ApiRequest } from '../../../shared/kubernetes/client/kubernetes-api.ts';
import { createDeletionCostWriter } from '../../../shared/kubernetes/writers/set-pod-deletion-cost.ts';
import { HOUR_MS } from '../../../shared/model/time.ts';
import { aPod, NOON } from '../../support/builders.ts';
import { startApiDouble } from '../support/api-double.ts';
import { connect } from '../support/connect.ts';

/** An API server that fails every patch, and what became of one patch at each of the times. */
async function setWith(
  toError: (request: ApiRequest) => Error,
  tries: readonly { readonly at: number; readonly namespace?: string }[] = [{ at: NOON }],
) {
  const double = await startApiDouble();
  const { api } = connect(double);
  const sentAt: number[] = [];
  let now = NOON;
  const send = async (request: ApiRequest): Promise<never> => {
    sentAt.push(now);
    throw toError(request);
  };
  const setCost = createDeletionCostWriter({ ...api, send }, { now: () => now });
  try {
    const outcomes = [];
    for (const { at, namespace = 'shop' } of tries) {
      now = at;
      outcomes.push(await setCost(aPod({ namespace }), -1));
    }
    return { outcomes, sentAt };
  } finally {
    await double.close();
  }
}

const forbid = (request: ApiRequest) => new ApiForbiddenError(request, 'cannot patch');

it('tells that the right to patch pods is missing, which is no error', async () => {
  expect(await setWith(forbid)).toMatchObject({ outcomes: ['forbidden'] });
});

it('tries again in a namespace without the right after an hour', async () => {
  const tries = [{ at: NOON }, { at: NOON + HOUR_MS - 1 }, { at: NOON + HOUR_MS }];
  expect(await setWith(forbid, tries)).toEqual({
    outcomes: ['forbidden', 'forbidden', 'forbidden'],
    sentAt: [NOON, NOON + HOUR_MS],
  });
});

it('tries every namespace', async () => {
  const tries = [{ at: NOON }, { at: NOON, namespace: 'batch' }];
  expect(await setWith(forbid, tries)).toMatchObject({ sentAt: [NOON, NOON] });
});

it('fails if the API server does not answer', async () => {
  const failed = setWith((request) => new ApiUnreachableError(request, { why: 'no answer' }));
  await expect(failed).rejects.toThrow(ApiUnreachableError);
});
