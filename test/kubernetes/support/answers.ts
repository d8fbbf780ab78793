/** A response of the API double. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export const ok = (body: unknown, status = 200): Answer => ({ status, body });

/** A refusal in the API server's format. */
export const refusal = (
  status: number,
  reason: string,
  message: string,
  causes: readonly object[] = [],
): Answer => ({
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

export const notFound = (name: string): Answer => refusal(404, 'NotFound', `"${name}" not found`);
/** @see kubernetes, ValidateObjectMetaUpdate: the uid never changes */
export const otherUid = (name: string): Answer =>
  refusal(422, 'Invalid', `"${name}" is invalid: metadata.uid: field is immutable`);
export const conflict = (name: string): Answer =>
  refusal(409, 'Conflict', `Operation cannot be fulfilled on "${name}"`);
