import { createHttpTransport } from '../../../../shared/kubernetes/client/http-transport.ts';
import { createKubernetesApi, type KubernetesApi } from '../../../../shared/kubernetes/client/kubernetes-api.ts';
import { listAt, textAt, valueAt } from '../json.ts';
import { ADMIN } from './kubernetes-files.ts';

/** The API server with the administrator's permissions, for the lab's own reads and writes. */
export interface AdminClient {
  /** Lists the objects of a collection, such as `/api/v1/pods`. */
  list(path: string): Promise<readonly unknown[]>;
  get(path: string): Promise<unknown>;
  create(path: string, body: object): Promise<void>;
  /** Sends a merge patch; does nothing if the object does not exist. */
  patch(path: string, body: object): Promise<void>;
  /** Changes the status of a Node as kubelets do: conditions that the body does not name stay. */
  patchNodeStatus(node: string, body: object): Promise<void>;
  /** Deletes the object; does nothing if it does not exist. */
  remove(path: string, options?: object): Promise<void>;
  /**
   * Calls `tell` for each object of a collection, now and after each change, until the signal
   * aborts. After an error it lists again.
   */
  watch(path: string, tell: (type: string, object: unknown) => void, signal: AbortSignal): void;
}

export function createKubeClient(server: { readonly url: string; readonly certificateAuthority: string }): AdminClient {
  const api = createKubernetesApi({
    userAgent: 'lab',
    transport: createHttpTransport(server),
    tokens: { token: async () => ADMIN.token, renew: () => undefined },
  });
  const list = async (pathAndQuery: string): Promise<unknown> => {
    const [path = '', search] = pathAndQuery.split('?');
    return api.read({ verb: 'list', resource: path, path, query: Object.fromEntries(new URLSearchParams(search)) });
  };
  const unlessGone = async (request: Parameters<KubernetesApi['send']>[0]): Promise<void> => {
    const { status, body } = await api.send(request);
    if (status >= 300 && status !== 404) throw new Error(`${status}: ${JSON.stringify(body)}`);
  };

  return {
    list: async (path) => listAt(await list(path), 'items'),
    get: (path) => api.read({ verb: 'get', resource: path, path }),
    async create(path, body) {
      await api.read({ verb: 'create', resource: path, path, body });
    },
    patch: (path, body) =>
      unlessGone({
        verb: 'patch',
        resource: path,
        path,
        body,
        contentType: 'application/merge-patch+json',
      }),
    async patchNodeStatus(node, body) {
      const path = `/api/v1/nodes/${node}/status`;
      const contentType = 'application/strategic-merge-patch+json';
      await unlessGone({ verb: 'patch', resource: path, path, body, contentType });
    },
    remove: (path, body = {}) => unlessGone({ verb: 'delete', resource: path, path, body }),
    watch(path, tell, signal) {
      void followForever(api, path, tell, signal);
    },
  };
}

async function followForever(
  api: KubernetesApi,
  path: string,
  tell: (type: string, object: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await follow(api, path, tell, signal);
    } catch {
      await new Promise((resolve) => {
        setTimeout(resolve, 200);
      });
    }
  }
}

async function follow(
  api: KubernetesApi,
  path: string,
  tell: (type: string, object: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  const listed = await api.read({ verb: 'list', resource: path, path });
  for (const item of listAt(listed, 'items')) tell('ADDED', item);
  const query = { watch: 'true', resourceVersion: textAt(listed, 'metadata', 'resourceVersion') };
  const stream = await api.stream({ verb: 'watch', resource: path, path, query });
  signal.addEventListener('abort', () => stream.close(), { once: true });
  for await (const line of stream.lines) {
    const event: unknown = JSON.parse(line);
    const type = textAt(event, 'type');
    // The resource version has expired: list again.
    if (type === 'ERROR') return;
    tell(type, valueAt(event, 'object'));
  }
}
