import { createServer } from 'node:https';
import {
  type Answer,
  forwardTo,
  type Listening,
  listen,
  type Request,
  respondWith,
} from '../forward.ts';
import { textAt } from '../json.ts';

/**
 * What happens to a call of the API server's: connections are not taken, are cut, or swallow what is
 * sent; or somebody else answers.
 */
export type HookFault = 'none' | 'refuse' | 'reset' | 'swallow' | FaultyAnswer;

interface FaultyAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface HookCall {
  readonly at: number;
  /** Until the answer was sent; absent: it never was. */
  readonly tookMs?: number;
  readonly status?: number;
  /** As in `events.events.k8s.io` or `nodes/status`. */
  readonly resource: string;
  readonly operation: string;
  /** Who wrote. */
  readonly user: string;
}

/** The function URL as the Internet has it: https, and its own host name. */
export interface HookProxy extends Listening {
  readonly url: string;
  readonly calls: readonly HookCall[];
  fault(next: HookFault): void;
  /** How to find out where the calls go on to, asked at the first call. */
  find(functionUrl: () => Promise<string>): void;
}

/**
 * The local AWS starts a process for each call that is under way, and a burst of pods would be a burst
 * of processes on the cores that everything else runs on.
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
  // Comes before the listener that answers.
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
      // Kept connections would not notice.
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
    resource: [resource.filter((part) => part !== '').join('.'), subresource]
      .filter((part) => part !== '')
      .join('/'),
    operation: textAt(review, 'request', 'operation'),
    user: textAt(review, 'request', 'userInfo', 'username'),
  };
}

/** Lets so many run at once; the others wait, first come, first served. */
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
