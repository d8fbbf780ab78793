/** An error as the service's JSON protocol reports it; the SDK throws it under its `code`. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: string;
  /** Further fields of the answer. */
  readonly details: object;

  constructor(code: string, message: string, details: object = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

export type AnswerOperation = (operation: string, input: unknown) => Promise<object>;

interface ServiceRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * Answers an SDK client's requests in this process, without a connection, so that requests can
 * take virtual time. For services with the AWS JSON protocol.
 */
export const inProcessService = (answer: AnswerOperation) => ({
  async handle({ headers, body }: ServiceRequest) {
    const operation = String(headers['x-amz-target']).split('.').at(-1) ?? '';
    const [statusCode, content] = await answerSafely(answer, operation, await readBody(body));
    const json = new TextEncoder().encode(JSON.stringify(content));
    const type = { 'content-type': 'application/x-amz-json-1.0' };
    return { response: { statusCode, headers: type, body: json } };
  },
  updateHttpClientConfig() {},
  httpHandlerConfigs: () => ({}),
});

/** Answers one request: the status code, and what the body contains as JSON. */
export async function answerSafely(
  answer: AnswerOperation,
  operation: string,
  body: string,
): Promise<readonly [number, object]> {
  try {
    return [200, await answer(operation, JSON.parse(body))];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, message, details } = error;
    return [400, { __type: code, message, ...details }];
  }
}

const readBody = async (body: unknown): Promise<string> => {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  throw new TypeError('a request without a body');
};
