/** A response of the API double. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export const ok = (body: unknown, status = 200): Answer => ({ status, body });

/** A refusal in the API server's format. */
export const refusal = (status: number, reason: string, message: string, causes: readonly object[] = []): Answer => ({
  status,
  body: {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code: status,
    reason,
    message,
    details: { causes },
  },
});

/** The API server's answer to a request that RBAC has no rule for. */
export const MISSING_RIGHT: Answer = refusal(
  403,
  'Forbidden',
  'nodes is forbidden: User "x" cannot list resource "nodes" in API group "" at the cluster scope',
);

/** A refusal of the eviction API that names the budget. */
export const refusalOfBudget = (budget: string, why: string): Answer => {
  const message = `poddisruptionbudgets.policy "${budget}" is forbidden: ${why}`;
  const details = { name: budget, group: 'policy', kind: 'poddisruptionbudget' };
  return { status: 403, body: { kind: 'Status', reason: 'Forbidden', message, details } };
};

export const notFound = (name: string): Answer => refusal(404, 'NotFound', `"${name}" not found`);
/** @see kubernetes, ValidateObjectMetaUpdate: the uid never changes */
export const otherUid = (name: string): Answer =>
  refusal(422, 'Invalid', `"${name}" is invalid: metadata.uid: field is immutable`);
export const conflict = (name: string): Answer =>
  refusal(409, 'Conflict', `Operation cannot be fulfilled on "${name}"`);
