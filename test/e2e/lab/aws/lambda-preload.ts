import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync, writeFileSync } from 'node:fs';
import type { ClientRequest } from 'node:http';
import https from 'node:https';
import { join } from 'node:path';
import { delayRequests } from './latency.ts';

/** Runs first in each process that represents an execution environment of Lambda. */

const { AWS_LAMBDA_FUNCTION_NAME: name = 'person', LAB_WORKERS: folder = '.', LAB_LATENCY: latency } = process.env;
const file = (kind: string): string => join(folder, `${process.pid}.${kind}`);

// The emulator rewrites https requests to this machine into http requests to itself. The API server
// runs on this machine too, so its requests must bypass that.
const { request, get } = https;
Object.defineProperty(https, 'request', { get: () => request, set: () => undefined });
Object.defineProperty(https, 'get', { get: () => get, set: () => undefined });

// The first output of a process means that its handler is loaded: the cold start ends there.
const write = process.stdout.write.bind(process.stdout);
let isStarted = false;
process.stdout.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
  if (!isStarted) {
    isStarted = true;
    const worker = { name, pid: process.pid, initMs: Math.round(process.uptime() * 1000) };
    writeFileSync(file('json'), JSON.stringify(worker));
  }
  const done = rest.find((one): one is () => void => typeof one === 'function');
  return write(chunk, done);
};

subscribe('http.client.request.start', (message) => {
  appendFileSync(file('requests'), `${nameOf(requestIn(message))}\n`);
});

if (latency === 'aws') delayRequests(nameOf);

/** JSON protocols name the action in a header; other requests are named by service and method. */
function nameOf(sent: ClientRequest): string {
  const header = (key: string): string => String(sent.getHeader(key) ?? '');
  const scope = /\/\d{8}\/[^/]+\/([^/]+)\/aws4_request/.exec(header('authorization'));
  const action = header('x-amz-target').split('.').at(-1) || sent.method;
  return `${scope?.[1] ?? 'kubernetes'}.${action}`;
}

/**
 * @see Node.js, "Diagnostics Channel", built-in channels
 */
const requestIn = (message: unknown): ClientRequest =>
  // The type of the message is documented but not declared.
  (message as { readonly request: ClientRequest }).request;
