/** The request in RBAC's words: `list` and `nodes`, `create` and `pods/eviction`. */
export interface ApiAction {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'patch' | 'delete';
  readonly resource: string;
}

const describeAction = ({ verb, resource }: ApiAction): string => `${verb} ${resource}`;

interface ApiFailure extends ErrorOptions {
  readonly why: string;
}

/** No usable answer: network, timeout or a server error. Another try may succeed. */
export class ApiUnreachableError extends Error {
  override readonly name = 'ApiUnreachableError';
  readonly isRetriable = true;

  constructor(action: ApiAction, { why, ...options }: ApiFailure) {
    super(`${describeAction(action)}: the API server does not answer: ${why}`, options);
  }
}

/** Other writers changed the object between every read and write of ours. Another try may succeed. */
export class ApiConflictError extends Error {
  override readonly name = 'ApiConflictError';
  readonly isRetriable = true;

  constructor(action: ApiAction, object: string) {
    super(`${describeAction(action)}: ${object} was changed by another writer each time before our write`);
  }
}

/** The API server throttles us for longer than one call waits. */
export class ApiThrottledError extends Error {
  override readonly name = 'ApiThrottledError';
  readonly isRetriable = true;
  readonly retryAfterMs: number;

  constructor(action: ApiAction, retryAfterMs: number) {
    super(`${describeAction(action)}: throttled, try again in ${retryAfterMs} ms`);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The API server no longer has the requested history: the caller lists again. */
export class ApiExpiredError extends Error {
  override readonly name = 'ApiExpiredError';
  readonly isRetriable = true;

  constructor(action: ApiAction) {
    super(`${describeAction(action)}: the resourceVersion is too old`);
  }
}

/** The API server refused two tokens, the second one new: it does not know this identity. */
export class ApiUnauthorizedError extends Error {
  override readonly name = 'ApiUnauthorizedError';
  readonly isRetriable = false;

  constructor(action: ApiAction) {
    super(`${describeAction(action)}: the API server does not accept our identity`);
  }
}

/** RBAC has no rule for the request. */
export class ApiForbiddenError extends Error {
  override readonly name = 'ApiForbiddenError';
  readonly isRetriable = false;
  readonly action: ApiAction;

  constructor(action: ApiAction, message: string) {
    super(`${describeAction(action)}: not allowed: ${message}`);
    this.action = action;
  }
}

/** The API server does not serve the kind, because its CRD is not installed. */
export class KindNotServedError extends Error {
  override readonly name = 'KindNotServedError';
  readonly isRetriable = false;
  readonly resource: string;

  constructor({ resource }: ApiAction) {
    super(`the API server does not know ${resource}: its CRD is not installed`);
    this.resource = resource;
  }
}

/** The response is not JSON, or not of the shape that the API promises. */
export class ApiMalformedAnswerError extends Error {
  override readonly name = 'ApiMalformedAnswerError';
  readonly isRetriable = true;

  constructor(action: ApiAction, { why, ...options }: ApiFailure) {
    super(`${describeAction(action)}: an answer that cannot be read: ${why}`, options);
  }
}

/** Any other refusal: the request itself is wrong, so another try fails as well. */
export class ApiRefusedError extends Error {
  override readonly name = 'ApiRefusedError';
  readonly isRetriable = false;
  readonly status: number;

  constructor(action: ApiAction, status: number, message: string) {
    super(`${describeAction(action)}: refused with ${status}: ${message}`);
    this.status = status;
  }
}
