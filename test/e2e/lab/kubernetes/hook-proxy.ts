import { createServer } from 'node:https';
import { type Answer, forwardTo, type Listening, listen, type Request, respondWith } from '../forward.ts';
import { textAt } from '../json.ts';

/**
 * The fault for calls of the API server: connections are refused, reset or never answered, or
 * another response is sent.
 */
export type HookFault = 'none' | 'refuse' | 'reset' | 'swallow' | FaultyAnswer;

interface FaultyAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface HookCall {
  readonly at: number;
  /** Time until the response was sent; undefined if it never was. */
  readonly tookMs?: number;
  readonly status?: number;
  /** For example `events.events.k8s.io` or `nodes/status`. */
  readonly resource: string;
  readonly operation: string;
  /** The user of the request under review. */
  readonly user: string;
}

/** The function URL with https and a host name of its own, as on the Internet. */
export interface HookProxy extends Listening {
  readonly url: string;
  readonly calls: readonly HookCall[];
  fault(next: HookFault): void;
  /** Sets the lookup of the function URL; the proxy calls it at the first request. */
  find(functionUrl: () => Promise<string>): void;
}

/**
 * The local AWS starts one process for each concurrent call. Without a limit, a burst of pods would
 * start a burst of processes on the cores that everything else uses.
 */
const MAX_AT_ONCE = 4;

const NEVER = new Promise<Answer>(() => undefined);

export async function startHookProxy(
  certificate: { readonly cert: string; readonly key: string },
  emulator: string,
): Promise<HookProxy> {
  const forward = forwardTo(emulator);
  const runLimited = limitConcurrency(MAX_AT_ONCE);
  const calls: HookCall[] = [];
  let fault: HookFault = 'none';
  let find: () => Promise<string> = () => Promise.reject(new Error('nothing is deployed'));
  let host: Promise<string> | undefined;

  async function answer(request: Request): Promise<Answer> {
    const at = Date.now();
    const call = { at, ...reviewOf(request) };
    const index = calls.push(call) - 1;
    if (fault === 'swallow') return NEVER;
    if (typeof fault === 'object') {
      const { status, body, headers = {} } = fault;
      return { status, headers, body: Buffer.from(body) };
    }

    host ??= find();
    const headers = { ...request.headers, host: await host, 'x-forwarded-proto': 'https' };
    const response = await runLimited(() => forward({ ...request, headers }));
    calls[index] = { ...call, tookMs: Date.now() - at, status: response.status };
    return response;
  }

  const server = createServer(certificate, respondWith(answer));
  // Runs before the listener that responds.
  server.prependListener('request', ({ socket }) => {
    if (fault === 'reset') socket.destroy();
  });
  server.on('connection', (socket) => {
    if (fault === 'refuse') socket.destroy();
  });
  const listening = await listen(server);
  return {
    ...listening,
    url: `https://127.0.0.1:${listening.port}`,
    calls,
    fault(next) {
      fault = next;
      // Kept-alive connections would not see the new fault.
      server.closeAllConnections();
    },
    find(functionUrl) {
      find = async () => new URL(await functionUrl()).host;
      host = undefined;
    },
  };
}

function reviewOf({ body }: Request): Pick<HookCall, 'resource' | 'operation' | 'user'> {
  const review: unknown = JSON.parse(body.toString());
  const resource = ['resource', 'group'].map((key) => textAt(review, 'request', 'resource', key));
  const subresource = textAt(review, 'request', 'subResource');
  return {
    resource: [resource.filter((part) => part !== '').join('.'), subresource].filter((part) => part !== '').join('/'),
    operation: textAt(review, 'request', 'operation'),
    user: textAt(review, 'request', 'userInfo', 'username'),
  };
}

/** Runs at most `maxRunning` calls at once; further calls wait in order of arrival. */
function limitConcurrency(maxRunning: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;

  return async (work) => {
    if (running >= maxRunning) {
      await new Promise<void>((go) => {
        waiting.push(go);
      });
    }
    running += 1;
    try {
      return await work();
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  };
}
