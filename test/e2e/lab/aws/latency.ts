import { ClientRequest } from 'node:http';

/** Milliseconds that services take to answer within a region, which the local ones do not take. */
const AWS_LIKE: ReadonlyMap<string, number> = new Map([
  ['sqs', 15],
  ['dynamodb', 5],
  ['kubernetes', 10],
]);
/** The proxy of EC2 waits so long before it answers. */
export const CREATE_FLEET_MS = 1_200;

/**
 * Sends every request of this process that much later than its caller has completed it.
 *
 * @param nameOf - the service of a request, a dot and its action
 */
export function delayRequests(nameOf: (request: ClientRequest) => string): void {
  const { end } = ClientRequest.prototype;
  ClientRequest.prototype.end = function delayed(this: ClientRequest, ...args: unknown[]) {
    const [service = ''] = nameOf(this).split('.');
    const ms = AWS_LIKE.get(service) ?? 0;
    const send = (): unknown => Reflect.apply(end, this, args);
    if (ms === 0) send();
    else setTimeout(send, ms);
    return this;
  };
}
