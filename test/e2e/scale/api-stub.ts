import { createServer, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { budgetAt, type ClusterSize, DEPLOYMENTS, nodeAt, nodeName, POOL, podAt } from './cluster-content.ts';

/**
 * An API server that lists a large cluster, in a process of its own: it must not share memory or CPU
 * time with the function that is measured. It sends its port to the parent, and answers `stats` with
 * the requests and bytes since the last question. A number makes that many milliseconds pass.
 *
 * Each millisecond it reaches another version. As a busy API server does, it keeps the events of the
 * last 75 s: a watch from an older version is accepted and then ended as expired.
 */
const FIRST_VERSION = 1_000_000;
const HISTORY_MS = 75_000;
let passedMs = 0;
const currentVersion = (): number => FIRST_VERSION + Math.floor(performance.now()) + passedMs;

const size: ClusterSize = {
  nodes: Number(process.argv[2]),
  podsPerNode: Number(process.argv[3]),
};
const podCount = size.nodes * size.podsPerNode;
const NO_STATS = { requests: 0, bytes: 0, sentBytes: 0, fullLists: 0, expired: 0 };
let stats = { ...NO_STATS };

type ObjectAt = (index: number) => object;
const pod: ObjectAt = (index) => podAt(index, size, index + 1);
const node: ObjectAt = (index) => nodeAt(index, index + 1);

interface Listing {
  readonly count: number;
  readonly at: ObjectAt;
}
const NOTHING: Listing = { count: 0, at: () => ({}) };

function findListing(path: string, selector: string): Listing {
  const [field, value = ''] = selector.split('=');
  if (path.endsWith('/pods')) {
    if (field !== 'spec.nodeName') return { count: podCount, at: pod };
    const index = value === '' ? -1 : findNode(value);
    return index < 0 ? NOTHING : { count: size.podsPerNode, at: (one) => pod(index + one * size.nodes) };
  }
  if (path.endsWith('/nodes')) {
    if (field === 'metadata.name') return { count: 1, at: () => node(findNode(value)) };
    return { count: size.nodes, at: node };
  }
  if (path.endsWith('/poddisruptionbudgets')) return { count: DEPLOYMENTS, at: (index) => budgetAt(index, size) };
  return path.endsWith('/nodepools') ? { count: 1, at: () => POOL } : NOTHING;
}

const indexByName = new Map(Array.from({ length: size.nodes }, (_, index) => [nodeName(index), index] as const));
const findNode = (name: string): number => indexByName.get(name) ?? -1;

/** All pages of a list are of the version of the first one. */
function list({ count, at }: Listing, query: URLSearchParams): object {
  const [start = 0, version = currentVersion()] = (query.get('continue') ?? '0').split('@').map(Number);
  const end = Math.min(count, start + Number(query.get('limit') ?? count));
  const items = Array.from({ length: end - start }, (_, index) => at(start + index));
  const metadata = {
    resourceVersion: `${version}`,
    ...(end < count && { continue: `${end}@${version}` }),
  };
  return { kind: 'List', apiVersion: 'v1', metadata, items };
}

function send(response: ServerResponse, body: object, isCompressed: boolean): void {
  const text = Buffer.from(JSON.stringify(body));
  const sent = isCompressed ? gzipSync(text, { level: 1 }) : text;
  stats.bytes += text.length;
  stats.sentBytes += sent.length;
  response.writeHead(200, {
    'content-type': 'application/json',
    ...(isCompressed && { 'content-encoding': 'gzip' }),
  });
  response.end(sent);
}

const EXPIRED = {
  type: 'ERROR',
  object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' },
};

const createBookmark = (): object => ({
  type: 'BOOKMARK',
  object: { kind: 'Bookmark', metadata: { resourceVersion: `${currentVersion()}` } },
});

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  stats.requests += 1;
  if (searchParams.has('watch')) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    if (Number(searchParams.get('resourceVersion')) < currentVersion() - HISTORY_MS) {
      stats.expired += 1;
      response.end(`${JSON.stringify(EXPIRED)}\n`);
      return;
    }
    // In place of the events of a busy cluster, which advance the version of a watch.
    const advance = (): void => void response.write(`${JSON.stringify(createBookmark())}\n`);
    const timer = setInterval(advance, 100);
    response.on('close', () => clearInterval(timer));
    advance();
    return;
  }
  const isFirstPage = !searchParams.has('continue') && searchParams.get('limit') !== '1';
  if (pathname.endsWith('/pods') && !searchParams.has('fieldSelector') && isFirstPage) stats.fullLists += 1;
  const selectsUnregistered = searchParams.get('labelSelector') === 'karpenter.sh/registered!=true';
  const listing = selectsUnregistered ? NOTHING : findListing(pathname, searchParams.get('fieldSelector') ?? '');
  send(response, list(listing, searchParams), request.headers['accept-encoding'] === 'gzip');
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' ? address?.port : undefined });
});
process.on('message', (message) => {
  if (typeof message === 'number') passedMs += message;
  process.send?.(stats);
  stats = { ...NO_STATS };
});
process.on('disconnect', () => process.exit());
