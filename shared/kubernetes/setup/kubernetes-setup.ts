import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { ApplyOptions, ClusterSetup, UnmanagedDefinition } from '../../ports/cluster-setup.ts';
import type { Clock } from '../../ports/ports.ts';
import { ApiForbiddenError, ApiUnauthorizedError, ApiUnreachableError } from '../client/api-errors.ts';
import { toApiError } from '../client/api-responses.ts';
import type { NamedObject } from '../client/json.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { endUninstall } from '../kubernetes-ownership.ts';
import { applyObject, findObject } from './apply-object.ts';
import { applyBindings, applyRoles, applySetupRights } from './apply-rbac.ts';
import {
  decideCrdOwnership,
  isEstablished,
  RELEASE,
  RELEASE_ANNOTATION,
  readCrd,
  versionOfOwnCrd,
} from './crd-ownership.ts';
import { FLOW_SCHEMAS } from './flow-schemas.ts';
import { hookPath, hookUrl } from './hook-url.ts';
import { type HookTarget, toHookConfiguration } from './hooks.ts';
import { OWNERSHIP_LABELS } from './manifest.ts';
import { hasOtherHooks, placeHooks, probeHooks, withdrawHooks } from './place-hooks.ts';
import { removeSetup } from './remove-setup.ts';

interface KubernetesSetupParts extends RetryTiming {
  readonly api: KubernetesApi;
}

interface KubernetesSetupSettings {
  readonly cluster: string;
  readonly crds: readonly NamedObject[];
  /** Undefined if no webhooks can be placed. */
  readonly intake?: {
    /** Address of the event intake for the API server: `https://host/`. */
    readonly address: string;
    /** The authorities that sign the host's certificate, PEM. */
    readonly certificateAuthorities: string;
  };
}

export function kubernetesSetup(
  { api, ...timing }: KubernetesSetupParts,
  { cluster, crds, intake }: KubernetesSetupSettings,
): ClusterSetup {
  return {
    apply: (options) => applySetup(api, { crds, ...options }, timing),
    applyBindings: () => applyBindings(api),
    endUninstall: () => endUninstall(api, timing.clock.now()),
    placeHooks: async ({ text }) => {
      if (!intake) throw new Error('there is no address that webhooks could call');
      const { address, certificateAuthorities } = intake;
      await placeHooks(api, {
        url: hookUrl(address, hookPath(cluster, text)),
        certificateAuthorities,
      });
    },
    async withdrawHooks() {
      await withdrawHooks(api);
    },
    hasOtherHooks: () => hasOtherHooks(api),
    probe: () => probeHooks(api, timing.clock),
    remove: () => removeSetup(api, timing.clock),
  };
}

interface SetupSettings extends ApplyOptions {
  readonly crds: readonly NamedObject[];
  /** `undefined` leaves the webhooks as they are. */
  readonly hooks?: HookTarget;
}

/**
 * Applies everything that the functions need in the cluster. Webhooks come last, because the API
 * server calls them from then on.
 *
 * @returns CRDs that another tool manages
 * @throws HookUrlError - before anything is written
 */
export async function applySetup(
  api: KubernetesApi,
  { crds, hooks, isAdministrator, keepsOldRules }: SetupSettings,
  timing: RetryTiming,
): Promise<readonly UnmanagedDefinition[]> {
  if (hooks) toHookConfiguration(hooks);
  const retryingApi = withAccessRetries(api, timing);

  const foreignCrds = await applyCrds(retryingApi, crds, timing.sleep);
  // Roles come first: a binding to a missing role grants nothing until the role exists.
  await applyRoles(retryingApi, keepsOldRules);
  if (isAdministrator) {
    await applyBindings(retryingApi);
    await applySetupRights(retryingApi);
  }
  for (const manifest of FLOW_SCHEMAS) await applyObject(retryingApi, manifest);
  if (hooks) await placeHooks(retryingApi, hooks);
  return foreignCrds;
}

interface RetryTiming {
  readonly clock: Clock;
  readonly sleep: (ms: number) => Promise<unknown>;
}

/**
 * A new access entry reaches all API servers within seconds, sometimes only after most of a minute.
 */
const MAX_RETRY_MS = 90 * SECOND_MS;
const RETRY_EVERY_MS = 3 * SECOND_MS;

/**
 * Retries requests that fail with missing rights, an unknown identity or no answer, for 90 s in
 * total. The cluster may not know a new access entry yet, or may be replacing an API server.
 */
function withAccessRetries(api: KubernetesApi, { clock, sleep }: RetryTiming): KubernetesApi {
  const until: EpochMs = clock.now() + MAX_RETRY_MS;

  const withRetries =
    <In, Out>(call: (request: In) => Promise<Out>) =>
    async (request: In): Promise<Out> => {
      for (;;) {
        try {
          return await call(request);
        } catch (error) {
          if (!isTemporary(error) || clock.now() + RETRY_EVERY_MS > until) throw error;
          await sleep(RETRY_EVERY_MS);
        }
      }
    };

  return {
    send: withRetries(async (request) => {
      const response = await api.send(request);
      if (response.status >= 500) throw toApiError(request, response);
      return response;
    }),
    read: withRetries(api.read),
    stream: withRetries(api.stream),
  };
}

const isTemporary = (error: unknown): boolean =>
  error instanceof ApiForbiddenError || error instanceof ApiUnauthorizedError || error instanceof ApiUnreachableError;

/** The API server accepted a CRD and does not serve it. */
class CrdNotEstablishedError extends Error {
  override readonly name = 'CrdNotEstablishedError';
  readonly isRetriable = true;

  constructor(crd: string) {
    super(`the API server has taken the definition ${crd} and does not serve it after a minute`);
  }
}

const CHECK_EVERY_MS = 500;
const MAX_CHECKS = 120;

/**
 * Applies the CRDs that are missing or ours, and waits until the API server serves them.
 *
 * @returns CRDs that another tool manages; they stay as they are
 * @throws CrdNotEstablishedError
 */
async function applyCrds(
  api: KubernetesApi,
  crds: readonly NamedObject[],
  sleep: (ms: number) => Promise<unknown>,
): Promise<readonly UnmanagedDefinition[]> {
  const foreignCrds: UnmanagedDefinition[] = [];
  const applied: NamedObject[] = [];
  for (const crd of crds) {
    const existing = await findObject(api, crd);
    const version = versionOfOwnCrd(crd);
    const live = existing === undefined ? undefined : readCrd(existing);
    const ownership = decideCrdOwnership(live, version);
    if (ownership.action === 'leave') {
      foreignCrds.push({
        name: crd.metadata.name,
        keeper: ownership.keeper,
        version,
        isUsable: ownership.isUsable,
      });
    } else {
      await applyObject(api, withOwnershipLabels(crd));
      applied.push(crd);
    }
  }
  await Promise.all(applied.map((crd) => waitUntilEstablished(api, crd, sleep)));
  return foreignCrds;
}

const withOwnershipLabels = (crd: NamedObject): NamedObject => ({
  ...crd,
  metadata: {
    ...crd.metadata,
    labels: { ...crd.metadata.labels, ...OWNERSHIP_LABELS },
    annotations: { ...crd.metadata.annotations, [RELEASE_ANNOTATION]: RELEASE },
  },
});

async function waitUntilEstablished(
  api: KubernetesApi,
  crd: NamedObject,
  sleep: (ms: number) => Promise<unknown>,
): Promise<void> {
  for (let checks = 1; checks <= MAX_CHECKS; checks += 1) {
    const existing = await findObject(api, crd);
    if (existing !== undefined && isEstablished(readCrd(existing))) return;
    await sleep(CHECK_EVERY_MS);
  }
  throw new CrdNotEstablishedError(crd.metadata.name);
}
