import { randomBytes } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { z } from 'zod';
import { type EpochMs, HOUR_MS } from '../../shared/model/time.ts';
import { UnknownObjectError } from '../errors.ts';
import { COST_GROUPINGS, type WhatIfRequest } from '../screen-views.ts';
import type { ConsoleSource } from '../source.ts';
import { type Keyframe, MAX_REPLICAS, OBJECT_KINDS } from '../views.ts';
import { type Assets, ICON_SVG, pageHtml } from './assets.ts';
import { RECENT_EVENTS } from './change-feed.ts';
import { COMMON_HEADERS, contentSecurityPolicy, hasToken, isLocalRequest } from './guard.ts';
import type { PeerCheck } from './peer-user.ts';
import { play } from './play-requests.ts';
import type { StreamHub } from './stream-hub.ts';

export interface ConsoleParts {
  readonly source: ConsoleSource;
  readonly hub: StreamHub;
  readonly assets: Assets;
  readonly peers: PeerCheck;
  /** Authorizes the requests of the page. */
  readonly token: string;
  /** The port on which the server listens. */
  port(): number;
}

type ConsoleApp = Hono<{ Bindings: HttpBindings }>;
type ConsoleContext = Context<{ Bindings: HttpBindings }>;

/** Larger than any request of the page. */
const MAX_ACTION_BYTES = 16 * 1024;
const MAX_MANIFEST_BYTES = 1024 * 1024;

/** Answers the requests of the page, and of no other page or user. */
export function createConsoleApp(parts: ConsoleParts): ConsoleApp {
  const app: ConsoleApp = new Hono();
  app.onError((_, c) => c.text('The console could not answer.\n', 500));
  guard(app, parts);
  servePage(app, parts);
  serveViews(app, parts);
  serveActions(app, parts);
  app.notFound((c) => {
    if (c.req.method === 'POST') return sayMissing(c, 'There is nothing here to change.');
    return c.text('There is nothing here.\n', 404);
  });
  return app;
}

const sayMissing = (c: Context, what: string): Response => c.json({ what }, 404);

function guard(app: ConsoleApp, { peers, port, token }: ConsoleParts): void {
  app.use(async (c, next) => {
    const { incoming } = c.env;
    for (const [name, value] of Object.entries(COMMON_HEADERS)) c.header(name, value);
    if (!isLocalRequest(incoming, port())) {
      return c.text('This page answers its own machine only.\n', 403);
    }
    if (!(await peers.isOwnUser(incoming.socket))) {
      return c.text('This page answers only the user that started it.\n', 403);
    }
    const { method } = c.req;
    if (method !== 'GET' && method !== 'POST') return c.text('Only GET and POST.\n', 405);
    if (method === 'POST' && !hasToken(incoming, token)) {
      return c.json({ what: 'Reload the page.' }, 403);
    }
    return await next();
  });
}

function servePage(app: ConsoleApp, { assets, token }: ConsoleParts): void {
  app.get('/', (c) => {
    const nonce = randomBytes(16).toString('base64url');
    c.header('content-security-policy', contentSecurityPolicy(nonce));
    c.header('cache-control', 'no-store');
    return c.html(pageHtml({ token, nonce }));
  });
  app.get('/icon.svg', (c) => c.body(ICON_SVG, 200, { 'content-type': 'image/svg+xml' }));
  app.get('*', async (c, next) => {
    const asset = await assets.find(c.req.path);
    if (!asset) return await next();
    const { type, body, gzipped } = asset;
    const isCompressed = gzipped && c.req.header('accept-encoding')?.includes('gzip');
    if (isCompressed) c.header('content-encoding', 'gzip');
    const headers = { 'content-type': type, 'cache-control': 'no-cache' };
    return c.body(new Uint8Array(isCompressed ? gzipped : body), 200, headers);
  });
}

function serveViews(app: ConsoleApp, { source, hub }: ConsoleParts): void {
  app.use('/api/*', async (c, next) => {
    c.header('cache-control', 'no-store');
    await next();
  });
  app.get('/api/state', async (c) => c.json(await readState({ source, hub }, readTime(c, 'at'))));
  app.get('/api/timeline', (c) => c.json(source.timeline(readWindow(source, c))));
  app.get('/api/decisions', (c) => {
    const to = readTime(c, 'to') ?? Number.POSITIVE_INFINITY;
    return c.json(source.decisions(readTime(c, 'from') ?? 0).filter(({ at }) => at <= to));
  });
  // The curve of the last hour, or the cost of a window by a grouping.
  app.get('/api/series', (c) => {
    const by = COST_GROUPINGS.find((grouping) => grouping === c.req.query('by'));
    return c.json(by ? source.costHistory(by, readWindow(source, c)) : source.series());
  });
  app.get('/api/cost', async (c) => c.json(await source.cost(readTime(c, 'at'))));
  app.get('/api/pools', async (c) => c.json(await source.pools(readTime(c, 'at'))));
  app.get('/api/what-if', async (c) => c.json(await source.whatIfOptions(readTime(c, 'at'))));
  app.get('/api/explain/:kind/:name{.+}', async (c) => {
    const { kind: requestedKind, name } = c.req.param();
    const kind = OBJECT_KINDS.find((one) => one === requestedKind);
    const explanation = kind && (await source.explain({ kind, name }, readTime(c, 'at')));
    if (explanation) return c.json(explanation);
    if (kind) return sayMissing(c, `There is no ${kind} ${name} now.`);
    return sayMissing(c, 'Only pods, nodes, NodePools and decisions can be explained.');
  });
  app.get('/api/stream', async (c) => {
    const { outgoing } = c.env;
    outgoing.writeHead(200, {
      ...COMMON_HEADERS,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    });
    // A page that reconnects by itself sends `after`; the browser's own retry uses the header.
    await hub.connect(outgoing, c.req.header('last-event-id') ?? c.req.query('after'));
    return RESPONSE_ALREADY_SENT;
  });
}

function serveActions(app: ConsoleApp, { source }: ConsoleParts): void {
  app.post('/api/what-if', limitTo(MAX_MANIFEST_BYTES), async (c) => {
    const body = await readJson(c);
    if (!body) return c.json({ what: 'This is not JSON.' }, 400);
    const parsed = parseWhatIf(body.json);
    if (parsed.outcome === 'refused') return c.json({ what: parsed.why }, 400);
    return c.json(await source.whatIf(parsed.request, readTime(c, 'at')));
  });
  const { play: actions } = source;
  if (!actions) return;
  app.get('/api/snapshot', async (c) => {
    const { name, bytes } = await actions.exportSnapshot();
    c.header('content-disposition', `attachment; filename="${name}"`);
    return c.body(new Uint8Array(bytes), 200, { 'content-type': 'application/gzip' });
  });
  app.post('/api/play/:action', limitTo(MAX_ACTION_BYTES), async (c) => {
    const body = await readJson(c);
    if (!body) return c.json({ what: 'This is not JSON.' }, 400);
    const { action } = c.req.param();
    try {
      const played = await play(actions, action, body.json);
      if (played.outcome === 'done') return c.json({});
      if (played.outcome === 'refused') return c.json({ what: played.why }, 400);
      return sayMissing(c, `There is no action ${action}.`);
    } catch (error) {
      if (!(error instanceof UnknownObjectError)) throw error;
      return sayMissing(c, `There is no ${error.object}.`);
    }
  });
}

const limitTo = (maxSize: number) => bodyLimit({ maxSize, onError: (c) => c.json({ what: 'Too large.' }, 413) });

/** Returns undefined for a body that is no JSON. */
async function readJson(c: Context): Promise<{ readonly json: unknown } | undefined> {
  const text = await c.req.text();
  try {
    const json: unknown = JSON.parse(text);
    return { json };
  } catch {
    return undefined;
  }
}

/** The times `from` and `to`, or the time `last` until now; an hour if none is given. */
function readWindow(source: ConsoleSource, c: ConsoleContext) {
  const to = readTime(c, 'to') ?? source.clock().now;
  const lastMs = readTime(c, 'last') ?? HOUR_MS;
  return { from: readTime(c, 'from') ?? to - lastMs, to };
}

/** A time of the cluster in milliseconds; everything else is ignored. */
function readTime(c: ConsoleContext, name: string): EpochMs | undefined {
  const at = Number(c.req.query(name) || Number.NaN);
  return Number.isSafeInteger(at) ? at : undefined;
}

/** The state of a time in the past has the events until then. */
async function readState(
  { source, hub }: Pick<ConsoleParts, 'source' | 'hub'>,
  at: EpochMs | undefined,
): Promise<Keyframe> {
  if (at === undefined) return await hub.keyframe();
  const state = await source.state(at);
  const events = source.events(0).filter((event) => event.at <= at);
  return { ...state, events: events.slice(-RECENT_EVENTS) };
}

const name = z.string().min(1).max(253);

const schema = z.strictObject({
  yaml: z.string().exactOptional(),
  fix: z
    .strictObject({
      object: z.strictObject({ kind: z.enum(OBJECT_KINDS), name: z.string().min(1).max(600) }),
      id: z.string().max(4_000),
    })
    .exactOptional(),
  scale: z.strictObject({ namespace: name, name, replicas: z.int().min(0).max(MAX_REPLICAS) }).exactOptional(),
  lostZone: name.exactOptional(),
  losesSpot: z.boolean().exactOptional(),
  spotPriceFactor: z.number().min(0.01).max(100).exactOptional(),
});

type Parsed =
  | { readonly outcome: 'parsed'; readonly request: WhatIfRequest }
  | { readonly outcome: 'refused'; readonly why: string };

function parseWhatIf(json: unknown): Parsed {
  const { data, error } = schema.safeParse(json);
  return data ? { outcome: 'parsed', request: data } : { outcome: 'refused', why: z.prettifyError(error) };
}
