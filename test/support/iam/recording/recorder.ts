import { relative } from 'node:path';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { AwsRequest } from '../requests/request.ts';
import { decodeRequest } from '../wire/decode.ts';
import type { RecordedRequest } from './recordings.ts';
import { readCommand } from './sdk-command.ts';

/** The requests of the current test file, without repetitions. */
const requests = new Map<string, RecordedRequest>();
const ROOT = process.cwd();

/** Deep enough for the SDK's paginators between an adapter and its client. */
const MAX_FRAMES = 50;

function listOwnFiles(): readonly string[] {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = MAX_FRAMES;
  const { stack = '' } = new Error('for its stack');
  Error.stackTraceLimit = stackTraceLimit;
  const files = [...stack.matchAll(/(\/[^():\s]+\.ts):\d+/g)].map(([, file = '']) => relative(ROOT, file));
  return [...new Set(files.filter((file) => /^(?:shared|functions|cli)\//.test(file)))];
}

export function record(request: AwsRequest | undefined): void {
  const files = listOwnFiles();
  // Tests send requests of their own, such as those that create tables.
  if (!request || files.length === 0) return;
  const recorded = { ...request, files };
  requests.set(JSON.stringify(recorded), recorded);
}

interface Sender {
  send: (...args: readonly unknown[]) => unknown;
}

const hasSend = (value: unknown): value is Sender => typeof value === 'object' && value !== null && 'send' in value;

/** All clients of the SDK share this `send`; doubles replace it (mock-client.ts). */
function recordClients(): void {
  const prototype: unknown = Object.getPrototypeOf(SQSClient.prototype);
  if (!hasSend(prototype)) throw new Error('clients of the SDK have another prototype');
  const { send } = prototype;
  prototype.send = function recordAndSend(this: unknown, ...args) {
    record(readCommand(this, args[0]));
    const result: unknown = Reflect.apply(send, this, args);
    return result;
  };
}

/** Adapters without an SDK client sign requests of `fetch`. */
function recordFetch(): void {
  const { fetch } = globalThis;
  globalThis.fetch = async (input, init) => {
    const { method, url, headers } = new Request(input, init);
    if (headers.has('authorization')) {
      const body = typeof init?.body === 'string' ? init.body : '';
      const { pathname, search } = new URL(url);
      record(
        decodeRequest({
          method,
          url: pathname + search,
          headers: Object.fromEntries(headers),
          body,
        }),
      );
    }
    return fetch(input, init);
  };
}

/** Returns what was recorded since the last call. */
export function takeRequests(): readonly RecordedRequest[] {
  const taken = [...requests.values()];
  requests.clear();
  return taken;
}

recordClients();
recordFetch();
