import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type EpochMs, HOUR_MS } from '../../shared/model/time.ts';
import { UnknownObjectError } from '../errors.ts';
import { COST_GROUPINGS, type CostHistoryView } from '../screen-views.ts';
import type { ConsoleSource, PlayActions } from '../source.ts';
import type { SeriesView } from '../timeline-views.ts';
import { type Keyframe, OBJECT_KINDS, type ObjectRef } from '../views.ts';
import { type Assets, ICON_SVG, pageHtml } from './assets.ts';
import { RECENT_EVENTS } from './change-feed.ts';
import { COMMON_HEADERS, contentSecurityPolicy, hasToken } from './guard.ts';
import { play } from './play-requests.ts';
import { readBody } from './read-body.ts';
import { sendAsset, sendFile, sendJson, sendText } from './send.ts';
import type { StreamHub } from './stream-hub.ts';
import { parseWhatIf } from './what-if-requests.ts';

export interface Rooms {
  readonly source: ConsoleSource;
  readonly hub: StreamHub;
  readonly assets: Assets;
  readonly token: string;
}

export async function answer(
  rooms: Rooms,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://loopback');
  const { pathname, searchParams } = url;
  if (request.method === 'POST') return onPost(rooms, url, request, response);
  if (request.method !== 'GET') return sendText(response, 405, 'Only GET and POST.');

  if (pathname === '/') return sendPage(rooms, response);
  if (pathname === '/icon.svg') return sendIcon(response);
  const at = readMoment(searchParams.get('at'));
  if (pathname === '/api/state') return sendJson(response, 200, await readState(rooms, at));
  if (pathname === '/api/timeline') {
    const window = readWindow(rooms, searchParams);
    return sendJson(response, 200, rooms.source.timeline(window));
  }
  if (pathname === '/api/decisions') {
    const from = readMoment(searchParams.get('from')) ?? 0;
    const to = readMoment(searchParams.get('to')) ?? Number.POSITIVE_INFINITY;
    const decisions = rooms.source.decisions(from).filter(({ at: when }) => when <= to);
    return sendJson(response, 200, decisions);
  }
  if (pathname === '/api/series') return sendJson(response, 200, readSeries(rooms, searchParams));
  if (pathname === '/api/cost') return sendJson(response, 200, await rooms.source.cost(at));
  if (pathname === '/api/pools') return sendJson(response, 200, await rooms.source.pools(at));
  if (pathname === '/api/what-if')
    return sendJson(response, 200, await rooms.source.whatIfOptions(at));
  if (pathname === '/api/snapshot' && rooms.source.play)
    return sendFile(response, await rooms.source.play.exportSnapshot());
  if (pathname === '/api/stream') {
    return openStream(rooms, request, response, searchParams.get('after') ?? undefined);
  }
  if (pathname.startsWith('/api/explain/'))
    return sendExplanation(rooms, { pathname, at }, response);

  const asset = await rooms.assets.find(pathname);
  if (asset) sendAsset(request, response, asset);
  else sendText(response, 404, 'There is nothing here.');
}

function sendPage({ token }: Rooms, response: ServerResponse): void {
  const nonce = randomBytes(16).toString('base64url');
  response.writeHead(200, {
    ...COMMON_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentSecurityPolicy(nonce),
    'cache-control': 'no-store',
  });
  response.end(pageHtml({ token, nonce }));
}

function sendIcon(response: ServerResponse): void {
  response.writeHead(200, { ...COMMON_HEADERS, 'content-type': 'image/svg+xml' });
  response.end(ICON_SVG);
}

/**
 * @param after - sent by a page that reconnects by itself; the browser's own retry uses a header
 */
async function openStream(
  { hub }: Rooms,
  request: IncomingMessage,
  response: ServerResponse,
  after: string | undefined,
): Promise<void> {
  const lastId = request.headers['last-event-id'] ?? after;
  response.writeHead(200, {
    ...COMMON_HEADERS,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
  });
  await hub.connect(response, typeof lastId === 'string' ? lastId : undefined);
}

/** The times `from` and `to`, or the time `last` until now; an hour if none is given. */
function readWindow({ source }: Rooms, query: URLSearchParams) {
  const to = readMoment(query.get('to')) ?? source.clock().now;
  const lastMs = readMoment(query.get('last')) ?? HOUR_MS;
  return { from: readMoment(query.get('from')) ?? to - lastMs, to };
}

/** The curve of the last hour, or the cost of a window by a grouping. */
function readSeries(rooms: Rooms, query: URLSearchParams): SeriesView | CostHistoryView {
  const by = COST_GROUPINGS.find((grouping) => grouping === query.get('by'));
  if (by === undefined) return rooms.source.series();
  return rooms.source.costHistory(by, readWindow(rooms, query));
}

/** A time of the cluster in milliseconds; everything else is ignored. */
function readMoment(text: string | null): EpochMs | undefined {
  const at = Number(text === null || text === '' ? Number.NaN : text);
  return Number.isSafeInteger(at) ? at : undefined;
}

/** The state of a moment of the past has the events until then. */
async function readState({ source, hub }: Rooms, at: EpochMs | undefined): Promise<Keyframe> {
  if (at === undefined) return await hub.keyframe();
  const state = await source.state(at);
  const events = source.events(0).filter((event) => event.at <= at);
  return { ...state, events: events.slice(-RECENT_EVENTS) };
}

async function sendExplanation(
  { source }: Rooms,
  { pathname, at }: { readonly pathname: string; readonly at: EpochMs | undefined },
  response: ServerResponse,
): Promise<void> {
  const object = objectIn(pathname);
  if (!object) {
    const what = 'Only pods, nodes, NodePools and decisions can be explained.';
    return sendJson(response, 404, { what });
  }

  const explanation = await source.explain(object, at);
  if (explanation) return sendJson(response, 200, explanation);
  sendJson(response, 404, { what: `There is no ${object.kind} ${object.name} now.` });
}

/** `/api/explain/pod/shop/web-1` → pod shop/web-1. */
function objectIn(pathname: string): ObjectRef | undefined {
  const [first, ...parts] = pathname.slice('/api/explain/'.length).split('/');
  const kind = OBJECT_KINDS.find((one) => one === first);
  const name = parts.map(decoded).join('/');
  return kind && name !== '' ? { kind, name } : undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Larger than any request of the page. */
const MAX_ACTION_BYTES = 16 * 1024;
const MAX_MANIFEST_BYTES = 1024 * 1024;

async function onPost(
  rooms: Rooms,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { source, token } = rooms;
  const { pathname } = url;
  if (!hasToken(request, token)) return sendJson(response, 403, { what: 'Reload the page.' });
  const isWhatIf = pathname === '/api/what-if';
  if (!isWhatIf && !(source.play && pathname.startsWith('/api/play/'))) {
    return sendJson(response, 404, { what: 'There is nothing here to change.' });
  }
  const body = await readBody(request, isWhatIf ? MAX_MANIFEST_BYTES : MAX_ACTION_BYTES);
  if (body.outcome === 'too-large') return sendJson(response, 413, { what: 'Too large.' });
  if (body.outcome === 'malformed') return sendJson(response, 400, { what: 'This is not JSON.' });
  if (isWhatIf) {
    const at = readMoment(url.searchParams.get('at'));
    return await sendWhatIf(rooms, { json: body.json, at }, response);
  }
  if (source.play) await sendPlayed(source.play, { pathname, json: body.json }, response);
}

async function sendWhatIf(
  { source }: Rooms,
  { json, at }: { readonly json: unknown; readonly at: EpochMs | undefined },
  response: ServerResponse,
): Promise<void> {
  const parsed = parseWhatIf(json);
  if (parsed.outcome === 'refused') return sendJson(response, 400, { what: parsed.why });
  sendJson(response, 200, await source.whatIf(parsed.request, at));
}

async function sendPlayed(
  actions: PlayActions,
  { pathname, json }: { readonly pathname: string; readonly json: unknown },
  response: ServerResponse,
): Promise<void> {
  const action = pathname.slice('/api/play/'.length);
  try {
    const played = await play(actions, action, json);
    if (played.outcome === 'done') return sendJson(response, 200, {});
    if (played.outcome === 'refused') return sendJson(response, 400, { what: played.why });
    sendJson(response, 404, { what: `There is no action ${action}.` });
  } catch (error) {
    if (!(error instanceof UnknownObjectError)) throw error;
    sendJson(response, 404, { what: `There is no ${error.object}.` });
  }
}
