import { INSTANCE_TYPE_LABEL, REGISTERED_LABEL, ZONE_LABEL } from '../../model/labels.ts';
import type { Node } from '../../model/nodes/node.ts';
import { listMatchingBudgets } from '../../model/pods/disruption-pods.ts';
import type { Pod } from '../../model/pods/pod.ts';
import type { PodDisruptionBudget } from '../../model/pods/workload.ts';
import type { LabelSelector, SelectorExpression } from '../../model/requirements/selectors.ts';
import type { ClaimObjects, ClaimQuery } from '../../ports/cluster.ts';
import type { Clock } from '../../ports/ports.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { listObjects } from '../client/list-objects.ts';
import { createObjectAssembler } from '../watch/assemble-objects.ts';
import {
  createObservedKinds,
  type ObservedKind,
  type ObservedKinds,
} from '../watch/observed-kinds.ts';
import { createDeviceLister } from './observe-devices.ts';

interface ClaimReaderParts {
  readonly api: KubernetesApi;
  readonly clock: Clock;
}

type Selection = Readonly<Record<string, string>>;
/** Lists the selected objects and adds them to the store of their kind. */
type AddSelected = <T>(
  kind: ObservedKind<T>,
  selection?: Selection,
  namespace?: string,
) => Promise<void>;

/**
 * Reads the objects of one claim with a handful of small lists, however large the cluster is.
 *
 * Pods are listed after the Nodes: a Node that looks empty was empty after it was read.
 */
export function createClaimReader({
  api,
  clock,
}: ClaimReaderParts): (query: ClaimQuery) => Promise<ClaimObjects> {
  const listDevices = createDeviceLister(api);

  return async (query) => {
    const kinds = createObservedKinds(() => clock.now());
    const add: AddSelected = async (kind, selection = {}, namespace) => {
      const source = { ...kind, ...(namespace !== undefined && { namespace }) };
      const { parsed, versions } = await listObjects(api, source, selection);
      for (const [key, reading] of parsed) kind.store.put(key, reading, versions.get(key));
    };
    const [devices] = await Promise.all([
      query.devices ? listDevices() : undefined,
      readOnNodes(kinds, query, add),
      add(kinds.nodeClaims, byName(query.claim)),
      add(kinds.pools),
      add(kinds.nodeClasses),
    ]);
    return { ...createObjectAssembler(kinds)(), ...(devices && { devices }) };
  };
}

async function readOnNodes(
  kinds: ObservedKinds,
  { instance, budgets }: ClaimQuery,
  add: AddSelected,
): Promise<void> {
  if (!instance) return;
  await readNodes(kinds, instance, add);
  const isOwn = ({ providerId }: Node): boolean => providerId === instance.providerId;
  const names = kinds.nodes.store
    .values()
    .filter(isOwn)
    .map(({ name }) => name);
  await Promise.all([
    ...names.map((name) => add(kinds.pods, { fieldSelector: `spec.nodeName=${name}` })),
    ...(budgets && names.length > 0 ? [add(kinds.budgets)] : []),
  ]);
  if (budgets) await readPodsOfBudgets(kinds, add);
}

/**
 * The API server selects Nodes by name and label only, not by provider id.
 *
 * A Node that is not registered yet is one of a few without our label. A Node that has the label
 * although no record names it is searched among those of its instance type and zone: the process
 * that registered it stopped before it wrote the record.
 */
async function readNodes(
  { nodes }: ObservedKinds,
  { providerId, instanceType, zone, nodeName }: NonNullable<ClaimQuery['instance']>,
  add: AddSelected,
): Promise<void> {
  await Promise.all([
    add(nodes, { labelSelector: `${REGISTERED_LABEL}!=true` }),
    ...(nodeName === undefined ? [] : [add(nodes, byName(nodeName))]),
  ]);
  if (nodes.store.values().some((node) => node.providerId === providerId)) return;
  const labels = [
    `${REGISTERED_LABEL}=true`,
    ...(instanceType === undefined ? [] : [`${INSTANCE_TYPE_LABEL}=${instanceType}`]),
    ...(zone === undefined ? [] : [`${ZONE_LABEL}=${zone}`]),
  ];
  await add(nodes, { labelSelector: labels.join(',') });
}

/** The pods of a budget run on other Nodes, too, and its answer depends on all of them. */
async function readPodsOfBudgets(
  { pods, budgets }: ObservedKinds,
  add: AddSelected,
): Promise<void> {
  const all = budgets.store.values();
  const onNodes: readonly Pod[] = pods.store.values().map(({ pod }) => pod);
  const relevant = new Set<PodDisruptionBudget>(
    onNodes.flatMap((pod) => listMatchingBudgets(pod, all)),
  );
  await Promise.all(
    [...relevant].map(({ namespace, selector }) => add(pods, toSelection(selector), namespace)),
  );
}

const byName = (name: string): Selection => ({ fieldSelector: `metadata.name=${name}` });

/** `undefined` selects nothing, but no pod of such a budget would be on a Node. */
function toSelection(selector: LabelSelector | undefined): Selection {
  const labelSelector = [
    ...Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`),
    ...(selector?.matchExpressions ?? []).map(formatExpression),
  ].join(',');
  return labelSelector === '' ? {} : { labelSelector };
}

function formatExpression({ key, operator, values }: SelectorExpression): string {
  switch (operator) {
    case 'In':
      return `${key} in (${values.join(',')})`;
    case 'NotIn':
      return `${key} notin (${values.join(',')})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
  }
}
