import { shareWhileRunning } from '../../model/concurrency.ts';
import { INSTANCE_TYPE_LABEL, REGISTERED_LABEL, ZONE_LABEL } from '../../model/labels.ts';
import type { Node } from '../../model/nodes/node.ts';
import { listMatchingBudgets } from '../../model/pods/disruption-pods.ts';
import type { Pod } from '../../model/pods/pod.ts';
import type { PodDisruptionBudget } from '../../model/pods/workload.ts';
import type { LabelSelector, SelectorExpression } from '../../model/requirements/selectors.ts';
import type { ClaimObjects, ClaimQuery } from '../../ports/cluster.ts';
import type { Clock } from '../../ports/ports.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { listObjects, type ObjectListing } from '../client/list-objects.ts';
import { createObjectAssembler } from '../watch/assemble-objects.ts';
import {
  createObservedKinds,
  type ObservedKind,
  type ObservedKinds,
} from '../watch/observed-kinds.ts';
import { createDeviceLister } from './observe-devices.ts';

const UNREGISTERED = { labelSelector: `${REGISTERED_LABEL}!=true` };

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
  const readers = createObservedKinds(() => clock.now());
  // The claims of an invocation need the same objects at the same time.
  const share = <T>(pick: (kinds: ObservedKinds) => ObservedKind<T>, selection?: Selection) => {
    const list = shareWhileRunning(() => listObjects(api, pick(readers), selection));
    return async (kinds: ObservedKinds) => addListed(pick(kinds), await list());
  };
  const addPools = share(({ pools }) => pools);
  const addNodeClasses = share(({ nodeClasses }) => nodeClasses);
  const addBudgets = share(({ budgets }) => budgets);
  const addUnregistered = share(({ nodes }) => nodes, UNREGISTERED);

  return async (query) => {
    const kinds = createObservedKinds(() => clock.now());
    const add: AddSelected = async (kind, selection = {}, namespace) => {
      const source = { ...kind, ...(namespace !== undefined && { namespace }) };
      addListed(kind, await listObjects(api, source, selection));
    };
    const [devices] = await Promise.all([
      query.devices ? listDevices() : undefined,
      readOnNodes(kinds, query, {
        add,
        addBudgets: () => addBudgets(kinds),
        addUnregistered: () => addUnregistered(kinds),
      }),
      add(kinds.nodeClaims, byName(query.claim)),
      addPools(kinds),
      addNodeClasses(kinds),
    ]);
    return { ...createObjectAssembler(kinds)(), ...(devices && { devices }) };
  };
}

function addListed<T>({ store }: ObservedKind<T>, { parsed, versions }: ObjectListing<T>): void {
  for (const [key, reading] of parsed) store.put(key, reading, versions.get(key));
}

interface NodeLists {
  readonly add: AddSelected;
  readonly addBudgets: () => Promise<void>;
  readonly addUnregistered: () => Promise<void>;
}

async function readOnNodes(
  kinds: ObservedKinds,
  { instance, budgets }: ClaimQuery,
  lists: NodeLists,
): Promise<void> {
  if (!instance) return;
  const { add, addBudgets } = lists;
  await readNodes(kinds, instance, lists);
  const isOwn = ({ providerId }: Node): boolean => providerId === instance.providerId;
  const names = kinds.nodes.store
    .values()
    .filter(isOwn)
    .map(({ name }) => name);
  await Promise.all([
    ...names.map((name) => add(kinds.pods, { fieldSelector: `spec.nodeName=${name}` })),
    ...(budgets && names.length > 0 ? [addBudgets()] : []),
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
  { add, addUnregistered }: NodeLists,
): Promise<void> {
  await Promise.all([
    addUnregistered(),
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
