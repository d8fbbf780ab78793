import type { ApplyOptions, ClusterSetup, UnmanagedDefinition } from '../../ports/cluster-setup.ts';
import type { NamedObject } from '../client/json.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { endUninstall } from '../kubernetes-ownership.ts';
import { type RetryTiming, withAccessRetries } from './access-retries.ts';
import { applyCrds } from './apply-crds.ts';
import { applyObject } from './apply-object.ts';
import { applyBindings, applyRoles, applySetupRights } from './apply-rbac.ts';
import { FLOW_SCHEMAS } from './flow-schemas.ts';
import { hookPath, hookUrl } from './hook-url.ts';
import { type HookTarget, toHookConfiguration } from './hooks.ts';
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
