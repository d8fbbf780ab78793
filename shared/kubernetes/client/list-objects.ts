import * as z from 'zod';
import { type LiveReading, readObjectIdentity } from '../readers/live-object.ts';
import { type ObjectStore, objectKey } from '../watch/object-store.ts';
import { ApiExpiredError, ApiMalformedAnswerError } from './api-errors.ts';
import { type ApiResource, collectionPath } from './api-resources.ts';
import type { ApiRequest, KubernetesApi } from './kubernetes-api.ts';

/**
 * The page size of kubectl.
 *
 * @see
 *   https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
 */
const PAGE_SIZE = 500;
/**
 * etcd keeps five minutes of history. After three lists that took longer, a fourth would fail too.
 */
const MAX_STARTS = 3;

export interface ObjectListing<T> {
  readonly parsed: ReadonlyMap<string, LiveReading<T>>;
  /** The resourceVersion of each object. */
  readonly versions: ReadonlyMap<string, string>;
  /** The resourceVersion at which all pages were read. */
  readonly resourceVersion: string;
}

interface ListableKind<T> {
  readonly resource: ApiResource;
  /** `undefined` for all namespaces. */
  readonly namespace?: string;
  /** Objects that the store holds in the same version are not parsed again. */
  readonly store?: Pick<ObjectStore<T>, 'findReading'>;
  read(raw: unknown): LiveReading<T>;
}

const pageSchema = z.object({
  metadata: z.object({ resourceVersion: z.string(), continue: z.string().default('') }),
  items: z.array(z.unknown()).nullable(),
});
type Page = z.output<typeof pageSchema>;

/**
 * Lists a kind at one resourceVersion, page by page. A partial list is never returned.
 *
 * @throws ApiExpiredError - the history ended several times before the last page
 */
export async function listObjects<T>(
  api: KubernetesApi,
  kind: ListableKind<T>,
  filter: Readonly<Record<string, string>> = {},
): Promise<ObjectListing<T>> {
  for (let starts = 1; ; starts += 1) {
    try {
      return await listOnce(api, kind, filter);
    } catch (error) {
      if (!(error instanceof ApiExpiredError) || starts >= MAX_STARTS) throw error;
    }
  }
}

/** Reads the current resourceVersion of a kind, with a list of one object. */
export async function readCurrentVersion(api: KubernetesApi, resource: ApiResource): Promise<string> {
  const request = listRequest(resource);
  const body = await api.read({ ...request, query: { limit: '1' } });
  return readPage(request, body).metadata.resourceVersion;
}

const listRequest = (resource: ApiResource, namespace?: string): ApiRequest => ({
  verb: 'list',
  resource: resource.name,
  path: collectionPath(resource, namespace),
});

async function listOnce<T>(
  api: KubernetesApi,
  { resource, namespace, read, store }: ListableKind<T>,
  filter: Readonly<Record<string, string>>,
): Promise<ObjectListing<T>> {
  const request = listRequest(resource, namespace);
  const parsed = new Map<string, LiveReading<T>>();
  const versions = new Map<string, string>();
  let resourceVersion: string | undefined;
  let next = '';

  do {
    const query = { limit: `${PAGE_SIZE}`, ...filter, ...(next && { continue: next }) };
    const { metadata, items } = readPage(request, await api.read({ ...request, query }));
    resourceVersion ??= metadata.resourceVersion;
    // Pages of different resourceVersions may repeat or miss an object.
    if (metadata.resourceVersion !== resourceVersion) throw new ApiExpiredError(request);
    // Each page is parsed before the next is fetched: the parsed objects take a tenth of the
    // memory.
    for (const raw of items ?? []) {
      const identity = readObjectIdentity(raw);
      if (!identity) throw new ApiMalformedAnswerError(request, { why: 'an object without a name' });
      const key = objectKey(identity);
      const { resourceVersion: version = '' } = identity;
      parsed.set(key, store?.findReading(key, version) ?? read(raw));
      versions.set(key, version);
    }
    next = metadata.continue;
  } while (next !== '');

  return { parsed, versions, resourceVersion };
}

function readPage(request: ApiRequest, body: unknown): Page {
  const parsed = pageSchema.safeParse(body);
  if (!parsed.success) throw new ApiMalformedAnswerError(request, { why: 'no list' });
  return parsed.data;
}
