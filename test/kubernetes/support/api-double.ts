import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Answer, notFound, ok, refusal } from './answers.ts';
import { createObject } from './creation.ts';
import { deleteObject } from './deletion.ts';
import { evict } from './eviction.ts';
import { createObjectTable, type ObjectTable } from './object-table.ts';
import { createPages } from './pages.ts';
import { patchObject } from './patches.ts';
import type { RawObject } from './raw-object.ts';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly token: string;
  readonly userAgent: string;
  readonly contentType: string;
  readonly body: unknown;
}

/** The result of the next matching request: a response, no response, or a closed connection. */
export type Fault = Answer | 'silence' | 'cut' | { readonly text: string; readonly status: number };

/** A double of the API server on loopback with the parts that the adapter uses, and with faults. */
export interface ApiDouble {
  readonly url: string;
  readonly table: ObjectTable;
  readonly requests: readonly SeenRequest[];
  /** Kinds that are not served, by collection. */
  readonly unserved: Set<string>;
  /** The maximum of objects per page, whatever the request says. */
  pageSize: number;
  put(collection: string, object: RawObject): RawObject;
  /** Applies the fault to the next `times` requests whose path ends like this. */
  fail(path: string, fault: Fault, times?: number): void;
  /** The number of watches that are open. */
  countWatches(): number;
  /** Closes every watch like a lost network; resolves when the connections are gone. */
  cutWatches(): Promise<void>;
  close(): Promise<void>;
}

export async function startApiDouble(): Promise<ApiDouble> {
  const table = createObjectTable();
  const pages = createPages(table);
  const requests: SeenRequest[] = [];
  const faults: { readonly path: string; readonly fault: Fault }[] = [];
  const watches = new Set<ServerResponse>();
  const unserved = new Set<string>();
  const served = { pageSize: 500 };

  function answerTo(request: SeenRequest): Answer | 'watch' | { text: string; status: number } {
    const target = targetOf(request.path);
    if (!target || unserved.has(target.collection)) return { text: '404 page not found', status: 404 };
    const { collection, namespace, name, subresource } = target;
    if (name === undefined) {
      if (request.query.has('watch')) return 'watch';
      if (request.method === 'POST') return createObject(table, collection, request.body);
      return pages.page(collection, { namespace, query: request.query, size: served.pageSize });
    }
    const key = `${namespace ?? ''}/${name}`;
    switch (request.method) {
      case 'POST':
        return evict(table, collection, key, request.body);
      case 'DELETE':
        return deleteObject(table, collection, key, request.body);
      case 'PATCH':
        return patchObject(table, {
          collection,
          key,
          isStatus: subresource === 'status',
          isApply: request.contentType === 'application/apply-patch+yaml',
          body: request.body,
        });
      default: {
        const result = table.find(collection, key);
        return result ? ok(result) : notFound(name);
      }
    }
  }

  function watch({ path, query }: SeenRequest, response: ServerResponse): void {
    const { collection = '' } = targetOf(path) ?? {};
    const past = table.since(collection, Number(query.get('resourceVersion')));
    if (!past) {
      send(response, refusal(410, 'Expired', 'too old resource version'));
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    for (const event of past) response.write(`${JSON.stringify(event)}\n`);
    const stop = table.watch(collection, (event) => response.write(`${JSON.stringify(event)}\n`));
    watches.add(response);
    response.on('close', () => {
      stop();
      watches.delete(response);
    });
  }

  async function handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(message);
    requests.push(request);
    const index = faults.findIndex(({ path }) => request.path.endsWith(path));
    const [fault] = index >= 0 ? faults.splice(index, 1) : [];
    if (fault?.fault === 'silence') return;
    if (fault?.fault === 'cut') {
      message.socket.destroy();
      return;
    }
    const answer = fault?.fault ?? answerTo(request);
    if (answer === 'watch') watch(request, response);
    else send(response, answer);
  }

  const server = createServer((message, response) => void handle(message, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;

  return Object.assign(served, {
    url: `http://127.0.0.1:${port}`,
    table,
    requests,
    unserved,
    put: (collection: string, object: RawObject) => table.put(collection, object),
    fail(path: string, fault: Fault, times = 1) {
      for (let count = 0; count < times; count += 1) faults.push({ path, fault });
    },
    countWatches() {
      return watches.size;
    },
    async cutWatches() {
      const gone = [...watches].map((watched) => once(watched, 'close'));
      for (const watched of watches) watched.destroy();
      await Promise.all(gone);
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  });
}

function send(response: ServerResponse, answer: Answer | { text: string; status: number }): void {
  const headers = 'headers' in answer ? answer.headers : {};
  response.writeHead(answer.status, { 'content-type': 'application/json', ...headers });
  response.end('text' in answer ? answer.text : JSON.stringify(answer.body));
}

async function readRequest(message: IncomingMessage): Promise<SeenRequest> {
  let text = '';
  for await (const chunk of message) text += String(chunk);
  const url = new URL(message.url ?? '/', 'http://localhost');
  const body: unknown = text === '' ? undefined : JSON.parse(text);
  return {
    method: message.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    token: (message.headers.authorization ?? '').replace('Bearer ', ''),
    userAgent: message.headers['user-agent'] ?? '',
    contentType: message.headers['content-type'] ?? '',
    body,
  };
}

const TARGET = /^(\/api\/v1|\/apis\/[^/]+\/[^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+)(?:\/([^/]+))?)?$/;

interface Target {
  readonly collection: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

function targetOf(path: string): Target | undefined {
  const match = TARGET.exec(path);
  if (!match) return undefined;
  const [, root, namespace, resource, name, subresource] = match;
  return { collection: `${root}/${resource}`, namespace, name, subresource };
}
