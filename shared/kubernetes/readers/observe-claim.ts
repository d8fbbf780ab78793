import { shareWhileRunning } from '../../model/concurrency.ts';
import { INSTANCE_TYPE_LABEL, REGISTERED_LABEL, ZONE_LABEL } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { Pod } from '../../model/pods/pod.ts';
import type { ClaimObjects, ClaimQuery, Cluster } from '../../ports/cluster.ts';
import type { Clock } from '../../ports/ports.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { listObjects, type ObjectListing } from '../client/list-objects.ts';
import { createObjectAssembler } from '../watch/assemble-objects.ts';
import { createObservedKinds, type ObservedKind, type ObservedKinds } from '../watch/observed-kinds.ts';
import { createDeviceLister } from './observe-devices.ts';

const UNREGISTERED = { labelSelector: `${REGISTERED_LABEL}!=true` };

interface ClaimReaderParts {
  readonly api: KubernetesApi;
  readonly clock: Clock;
}

type Selection = Readonly<Record<string, string>>;
/** Lists the selected objects and adds them to the store of their kind. */
type AddSelected = <T>(kind: ObservedKind<T>, selection: Selection) => Promise<void>;

/**
 * Reads the objects of one claim with a handful of small lists, however large the cluster and its
 * workloads are: of a budget its status tells enough, so that its pods are not read.
 *
 * Pods are listed after the Nodes: a Node that looks empty was empty after it was read.
 */
export function createClaimReader({
  api,
  clock,
}: ClaimReaderParts): Required<Pick<Cluster, 'observeClaim' | 'podsOnNodes'>> {
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

  const podLists = new Map<string, () => Promise<readonly Pod[]>>();
  const listPodsOn = (node: string): Promise<readonly Pod[]> =>
    getOrCreate(podLists, node, () =>
      shareWhileRunning(async () => {
        const { parsed } = await listObjects(api, readers.pods, onNode(node));
        podLists.delete(node);
        return [...parsed.values()].flatMap((reading) => (reading.outcome === 'read' ? [reading.value.pod] : []));
      }),
    )();

  const observeClaim = async (query: ClaimQuery): Promise<ClaimObjects> => {
    const kinds = createObservedKinds(() => clock.now());
    const add: AddSelected = async (kind, selection) => addListed(kind, await listObjects(api, kind, selection));
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
  return {
    observeClaim,
    podsOnNodes: async (nodes) => (await Promise.all(nodes.map(listPodsOn))).flat(),
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

async function readOnNodes(kinds: ObservedKinds, { instance, budgets }: ClaimQuery, lists: NodeLists): Promise<void> {
  if (!instance) return;
  const { add, addBudgets } = lists;
  await readNodes(kinds, instance, lists);
  const isOwn = ({ providerId }: Node): boolean => providerId === instance.providerId;
  const names = kinds.nodes.store
    .values()
    .filter(isOwn)
    .map(({ name }) => name);
  await Promise.all([
    ...names.map((name) => add(kinds.pods, onNode(name))),
    ...(budgets && names.length > 0 ? [addBudgets()] : []),
  ]);
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
  await Promise.all([addUnregistered(), ...(nodeName === undefined ? [] : [add(nodes, byName(nodeName))])]);
  if (nodes.store.values().some((node) => node.providerId === providerId)) return;
  const labels = [
    `${REGISTERED_LABEL}=true`,
    ...(instanceType === undefined ? [] : [`${INSTANCE_TYPE_LABEL}=${instanceType}`]),
    ...(zone === undefined ? [] : [`${ZONE_LABEL}=${zone}`]),
  ];
  await add(nodes, { labelSelector: labels.join(',') });
}

const onNode = (name: string): Selection => ({ fieldSelector: `spec.nodeName=${name}` });
const byName = (name: string): Selection => ({ fieldSelector: `metadata.name=${name}` });
