// Runs first in each process that stands for an execution environment of Lambda.
const { subscribe } = require('node:diagnostics_channel');
const { appendFileSync, writeFileSync } = require('node:fs');
const https = require('node:https');
const { join } = require('node:path');

const { AWS_LAMBDA_FUNCTION_NAME: name = 'person', LAB_WORKERS: folder } = process.env;
const file = (kind) => join(folder, `${process.pid}.${kind}`);

// The local AWS turns https to this machine into http to itself. The API server is here as well.
const { request, get } = https;
Object.defineProperty(https, 'request', { get: () => request, set: () => {}, enumerable: true });
Object.defineProperty(https, 'get', { get: () => get, set: () => {}, enumerable: true });

// The first word of a process says that its handler is loaded: a cold start ends there.
const write = process.stdout.write.bind(process.stdout);
let isStarted = false;
process.stdout.write = (chunk, ...rest) => {
  if (!isStarted) {
    isStarted = true;
    const worker = { name, pid: process.pid, initMs: Math.round(process.uptime() * 1000) };
    writeFileSync(file('json'), JSON.stringify(worker));
  }
  return write(chunk, ...rest);
};

// JSON protocols name the action in a header; the others are known by their service and verb.
subscribe('http.client.request.start', ({ request: sent }) => {
  const scope = /\/\d{8}\/[^/]+\/([^/]+)\/aws4_request/.exec(sent.getHeader('authorization') ?? '');
  const target = String(sent.getHeader('x-amz-target') ?? sent.method)
    .split('.')
    .at(-1);
  appendFileSync(file('requests'), `${scope?.[1] ?? 'kubernetes'}.${target}\n`);
});
