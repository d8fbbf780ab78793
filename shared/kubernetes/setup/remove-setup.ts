import { MINUTE_MS } from '../../model/time.ts';
import type { RemovalReport } from '../../ports/cluster-setup.ts';
import type { Clock } from '../../ports/ports.ts';
import type { NamedObject } from '../client/json.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { readKarpenterRenewal } from '../kubernetes-ownership.ts';
import { deleteObject } from './apply-object.ts';
import { FLOW_SCHEMAS } from './flow-schemas.ts';
import { HOOKS_NAME } from './hooks.ts';
import { titleOf } from './manifest.ts';
import { BINDINGS, ROLES } from './rbac.ts';
import { removeAllFinalizers } from './remove-finalizers.ts';
import { removeSteeringTaints } from './remove-taint.ts';
import { CONTROL_BINDING, CONTROL_ROLE, SETUP_ROLE } from './setup-rbac.ts';

const HOOKS = {
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: HOOKS_NAME },
} as const;

/**
 * Webhooks are removed first, so that the API server calls no deleted function; bindings are
 * removed before roles.
 */
const REMOVAL_ORDER: readonly Pick<NamedObject, 'kind' | 'metadata'>[] = [
  HOOKS,
  CONTROL_BINDING,
  ...BINDINGS.toReversed(),
  CONTROL_ROLE,
  ...ROLES.toReversed(),
  ...FLOW_SCHEMAS,
];

/** Karpenter renews its lease every two seconds. */
const KARPENTER_SILENT_MS = MINUTE_MS;

/**
 * Removes our objects from the cluster. CRDs and everything that runs stay: deleting a CRD deletes
 * every NodePool, and thereby every node.
 *
 * Never fails: an unreachable cluster must not block the removal of the stack.
 */
export async function removeSetup(api: KubernetesApi, clock: Clock): Promise<RemovalReport> {
  const orphans = [...REMOVAL_ORDER, SETUP_ROLE].map(titleOf);
  try {
    for (const object of REMOVAL_ORDER) {
      await deleteObject(api, object);
      orphans.shift();
    }
    // Karpenter uses the same finalizers and now owns these objects.
    const isHandedOver = await isKarpenterAlive(api, clock);
    const runningNodes = isHandedOver ? undefined : await removeAllFinalizers(api);
    await removeSteeringTaints(api);
    // The last right goes last; the garbage collector deletes the binding.
    await deleteObject(api, SETUP_ROLE);
    return { orphans: [], isHandedOver, ...(runningNodes && { runningNodes }) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const heldObjects = 'the finalizers of nodes, NodeClaims and EC2NodeClasses, taints of nodes';
    return { orphans: [...orphans, heldObjects], isHandedOver: false, why };
  }
}

async function isKarpenterAlive(api: KubernetesApi, clock: Clock): Promise<boolean> {
  const renewedAt = await readKarpenterRenewal(api);
  return renewedAt !== undefined && clock.now() < renewedAt + KARPENTER_SILENT_MS;
}
