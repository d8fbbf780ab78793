import * as z from 'zod';
import { ownValue } from '../../../shared/model/own-value.ts';
import { type Answer, conflict, notFound, ok, refusal } from './answers.ts';
import { markDeleted } from './deletion.ts';
import type { ObjectTable } from './object-table.ts';
import type { RawObject } from './raw-object.ts';

const evictionSchema = z.object({
  deleteOptions: z.object({ preconditions: z.object({ uid: z.string() }) }),
});
const budgetSchema = z.object({
  spec: z.object({ selector: z.object({ matchLabels: z.record(z.string(), z.string()) }) }),
  status: z.object({ disruptionsAllowed: z.number() }),
});

const BUDGETS = '/apis/policy/v1/poddisruptionbudgets';

/** @see kubernetes, registry/core/pod/storage/eviction.go */
export function evict(table: ObjectTable, pods: string, key: string, body: unknown): Answer {
  const pod = table.find(pods, key);
  if (!pod) return notFound(key);
  const { deleteOptions } = evictionSchema.parse(body);
  if (deleteOptions.preconditions.uid !== pod.metadata.uid) return conflict(key);
  if (pod.metadata.deletionTimestamp !== undefined) return ok({}, 201);

  const [budget, another] = table.list(BUDGETS).filter((one) => covers(one, pod));
  if (another) {
    const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    return refusal(500, 'InternalError', message);
  }
  if (budget && allowedBy(budget) < 1) {
    const message = `The disruption budget ${budget.metadata.name} needs 3 healthy pods and has 3 currently`;
    return refusal(429, 'TooManyRequests', 'Cannot evict pod as it would violate a budget.', [
      { reason: 'DisruptionBudget', message },
    ]);
  }
  if (budget) {
    const status = { ...budget.status, disruptionsAllowed: allowedBy(budget) - 1 };
    table.put(BUDGETS, { ...budget, status });
  }
  markDeleted(table, pods, pod, undefined);
  return ok({}, 201);
}

const allowedBy = (budget: RawObject): number => budgetSchema.parse(budget).status.disruptionsAllowed;

const covers = (budget: RawObject, pod: RawObject): boolean =>
  budget.metadata.namespace === pod.metadata.namespace &&
  Object.entries(budgetSchema.parse(budget).spec.selector.matchLabels).every(
    ([key, value]) => ownValue(pod.metadata.labels, key) === value,
  );
