import { type ApiAction, ApiExpiredError, ApiForbiddenError, KindNotServedError } from './api-errors.ts';
import type { ApiRequest, KubernetesApi, LineStream } from './kubernetes-api.ts';

/** A kind that could not be read. */
export interface ReadGap {
  readonly resource: string;
  readonly cause: 'forbidden' | 'not-served';
}

/** Read access to a cluster that continues without the kinds that it may not read. */
export interface PartialApi {
  readonly api: KubernetesApi;
  /** The kinds that could not be read at the last try. */
  gaps(): readonly ReadGap[];
}

/** A kind that cannot be read is tried again after this time: rights and CRDs come and go. */
const RETRY_MS = 30_000;
/** A kind that may be listed and not watched is listed at this interval. */
const LIST_AGAIN_MS = 5_000;

const READING: ReadonlySet<ApiAction['verb']> = new Set(['get', 'list', 'watch']);

/**
 * Lists a kind without rights, or without a CRD, as empty, and reports the gap; an object that may
 * not be read counts as missing. It never writes: the requests of other verbs throw.
 *
 * @param needed - kinds without which the caller cannot work: their errors are thrown
 */
export function createPartialApi(api: KubernetesApi, needed: ReadonlySet<string> = new Set()): PartialApi {
  const gaps = new Map<string, ReadGap>();

  /** @returns false if another error has to be thrown */
  function noteGap({ resource }: ApiAction, error: unknown): boolean {
    if (needed.has(resource)) return false;
    if (error instanceof ApiForbiddenError) gaps.set(resource, { resource, cause: 'forbidden' });
    else if (error instanceof KindNotServedError) {
      gaps.set(resource, { resource, cause: 'not-served' });
    } else return false;
    return true;
  }

  async function readList(request: ApiRequest): Promise<unknown> {
    try {
      const list = await api.read(request);
      gaps.delete(request.resource);
      return list;
    } catch (error) {
      if (!noteGap(request, error)) throw error;
      return EMPTY_LIST;
    }
  }

  return {
    gaps: () => [...gaps.values()].toSorted((a, b) => (a.resource < b.resource ? -1 : 1)),
    api: {
      async send(request) {
        refuseWrites(request);
        try {
          return await api.send(request);
        } catch (error) {
          if (!noteGap(request, error)) throw error;
          return NOT_FOUND;
        }
      },
      async read(request) {
        refuseWrites(request);
        return request.verb === 'list' ? await readList(request) : await api.read(request);
      },
      async stream(request) {
        refuseWrites(request);
        if (gaps.has(request.resource)) return expireAfter(request, RETRY_MS);
        try {
          return await api.stream(request);
        } catch (error) {
          if (!(error instanceof ApiForbiddenError) || needed.has(request.resource)) throw error;
          return expireAfter(request, LIST_AGAIN_MS);
        }
      },
    },
  };
}

const NOT_FOUND = { status: 404, body: {} };
const EMPTY_LIST = { metadata: { resourceVersion: '0' }, items: [] };

/** A review is created to ask for a right; nothing is stored. */
const isReview = ({ verb, resource }: ApiRequest): boolean =>
  verb === 'create' && resource.endsWith('subjectaccessreviews');

function refuseWrites(request: ApiRequest): void {
  const { verb, resource } = request;
  if (isReview(request)) return;
  if (!READING.has(verb)) throw new Error(`${verb} ${resource}: this access only reads`);
}

/** A watch without events that ends with an expired history, so that its kind is listed again. */
function expireAfter(request: ApiRequest, ms: number): LineStream {
  let finish = (): void => {};
  const ended = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const timer = setTimeout(() => finish(), ms);
  let isClosed = false;
  return {
    lines: {
      async *[Symbol.asyncIterator]() {
        await ended;
        if (!isClosed) throw new ApiExpiredError(request);
        yield* [];
      },
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      finish();
    },
  };
}
