/** One write to the API server, and the webhook calls that it must cause. */
export interface HookStep {
  /** A word for the change, for messages. */
  readonly action: string;
  readonly verb: 'create' | 'patch' | 'delete';
  /** The path of the collection for a creation, else of the object or its status. */
  readonly path: string;
  /** An object, or a merge patch. */
  readonly body?: unknown;
  /** Undefined if an administrator writes. */
  readonly as?: 'controller';
  readonly isDryRun?: true;
  /**
   * The expected calls as `<operation> <resource>`, such as `UPDATE nodes/status`; empty if no
   * webhook must be called.
   */
  readonly calls: readonly string[];
}

/** Consecutive steps on one object, which does not exist after the last one. */
export interface HookCase {
  readonly title: string;
  readonly steps: readonly HookStep[];
}

const NODES = '/api/v1/nodes';
const EVENTS = '/apis/events.k8s.io/v1/namespaces/default/events';
const CORE_EVENTS = '/api/v1/namespaces/default/events';
const KARPENTER = '/apis/karpenter.sh/v1';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const T0 = '2026-01-01T12:00:00Z';
const T1 = '2026-01-01T12:00:10Z';

const create = (path: string, body: unknown, calls: readonly string[]): HookStep => ({
  action: 'created',
  verb: 'create',
  path,
  body,
  calls,
});

const steps =
  (path: string) =>
  (action: string, body: unknown, ...calls: readonly string[]): HookStep => ({
    action,
    verb: 'patch',
    path,
    body,
    calls,
  });

const remove = (path: string, calls: readonly string[]): HookStep => ({
  action: 'deleted',
  verb: 'delete',
  path,
  calls,
});

const node = (name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  ...more,
});

const nodeObject = steps(`${NODES}/bare`);
const nodeStatus = steps(`${NODES}/bare/status`);
const TAINT = { key: 'a', effect: 'NoSchedule' };

const ready = (status: string, lastHeartbeatTime: string, more: readonly object[] = []) => ({
  status: {
    conditions: [{ type: 'Ready', status, lastHeartbeatTime, reason: 'Kubelet' }, ...more],
  },
});

const gpus = (count: string) => ({ status: { capacity: { cpu: '4', 'nvidia.com/gpu': count } } });

const NODE_CASES: readonly HookCase[] = [
  {
    title: 'a Node that is created with only a name',
    steps: [
      create(NODES, node('bare'), ['CREATE nodes']),
      nodeObject('labelled', { metadata: { labels: { a: 'b' } } }),
      nodeObject('annotated', { metadata: { annotations: { a: 'b' } } }),
      nodeObject('cordoned', { spec: { unschedulable: true } }, 'UPDATE nodes'),
      nodeObject('cordoned again', { spec: { unschedulable: true } }),
      nodeObject('uncordoned', { spec: { unschedulable: null } }, 'UPDATE nodes'),
      nodeObject('tainted', { spec: { taints: [TAINT] } }, 'UPDATE nodes'),
      nodeObject('untainted', { spec: { taints: null } }, 'UPDATE nodes'),
      nodeObject('given an instance', { spec: { providerID: 'aws:///a/i-1' } }, 'UPDATE nodes'),
      nodeObject('given a network', { spec: { podCIDR: '10.1.0.0/24' } }),
      nodeStatus('measured without conditions', { status: { capacity: { cpu: '4' } } }),
      nodeStatus('seen for the first time', ready('False', T0), 'UPDATE nodes/status'),
      nodeStatus('seen again', ready('False', T1)),
      nodeStatus('ready', ready('True', T1), 'UPDATE nodes/status'),
      nodeStatus('alive', ready('True', T0)),
      nodeStatus('short of memory', ready('True', T0, [{ type: 'MemoryPressure', status: 'True' }])),
      nodeStatus('silent', ready('Unknown', T1), 'UPDATE nodes/status'),
      nodeStatus('without conditions', { status: { conditions: null } }),
      nodeStatus('back', ready('True', T1), 'UPDATE nodes/status'),
      nodeStatus('told of devices that it has none of', gpus('0')),
      nodeStatus('given devices', gpus('8'), 'UPDATE nodes/status'),
      nodeStatus('given fewer', gpus('7')),
      nodeStatus('rid of all of them', gpus('0')),
      nodeStatus('given devices again', gpus('8'), 'UPDATE nodes/status'),
      nodeStatus('without capacity', { status: { capacity: null } }),
      nodeObject('held', { metadata: { finalizers: ['example.com/held'] } }),
      remove(`${NODES}/bare`, ['DELETE nodes']),
      nodeObject('labelled while it goes', { metadata: { labels: { a: 'c' } } }),
      nodeObject('let go', { metadata: { finalizers: null } }),
    ],
  },
  {
    title: 'a Node that the controller changes',
    steps: [
      create(NODES, node('ours', { spec: { taints: [TAINT] } }), ['CREATE nodes']),
      {
        ...steps(`${NODES}/ours`)('untainted', { spec: { taints: null } }),
        as: 'controller',
      },
      { ...remove(`${NODES}/ours`, []), as: 'controller' },
    ],
  },
  {
    title: 'a Node in dry runs',
    steps: [
      { ...create(NODES, node('dry'), []), isDryRun: true },
      create(NODES, node('dry'), ['CREATE nodes']),
      { ...steps(`${NODES}/dry`)('cordoned', { spec: { unschedulable: true } }), isDryRun: true },
      { ...steps(`${NODES}/dry/status`)('ready', ready('True', T0)), isDryRun: true },
      { ...remove(`${NODES}/dry`, []), isDryRun: true },
      remove(`${NODES}/dry`, ['DELETE nodes']),
    ],
  },
];

const event = (name: string, over: object = {}) => ({
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: { name, namespace: 'default' },
  eventTime: '2026-01-01T12:00:00.000000Z',
  reportingController: 'default-scheduler',
  reportingInstance: 'default-scheduler-a',
  action: 'Scheduling',
  reason: 'FailedScheduling',
  type: 'Warning',
  regarding: { kind: 'Pod', namespace: 'default', name: 'web-1' },
  ...over,
});

const series = (count: number) => ({
  series: { count, lastObservedTime: '2026-01-01T12:01:00.000000Z' },
});

const EVENT_CASES: readonly HookCase[] = [
  {
    title: 'the Event of an unschedulable pod, and its series',
    steps: [
      create(EVENTS, event('no-place'), ['CREATE events']),
      steps(`${EVENTS}/no-place`)('repeated', series(2), 'UPDATE events'),
      // kube-scheduler writes a series again each 30 minutes, and when it ends.
      steps(`${EVENTS}/no-place`)('refreshed', series(2)),
      steps(`${EVENTS}/no-place`)('ended', series(5)),
      remove(`${EVENTS}/no-place`, []),
    ],
  },
  {
    title: 'a series whose Event has expired, and a pod that is being deleted',
    steps: [
      create(EVENTS, event('expired', series(7)), []),
      create(EVENTS, event('leaving', { note: 'skip schedule deleting pod: default/web-1' }), []),
      ...['expired', 'leaving'].map((name) => remove(`${EVENTS}/${name}`, [])),
    ],
  },
  {
    title: 'Events about other objects',
    steps: [
      create(EVENTS, event('placed', { reason: 'Scheduled' }), []),
      create(EVENTS, event('a-node', { regarding: { kind: 'Node', name: 'bare' } }), []),
      create(EVENTS, event('of-no-kind', { regarding: { namespace: 'default', name: 'web-1' } }), []),
      create(
        CORE_EVENTS,
        {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: 'old', namespace: 'default' },
          reason: 'FailedScheduling',
          involvedObject: { kind: 'Pod', namespace: 'default', name: 'web-1' },
        },
        [],
      ),
      create(
        CORE_EVENTS,
        {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: 'bare', namespace: 'default' },
          involvedObject: { namespace: 'default' },
        },
        [],
      ),
      // Through the new API, an old event lacks almost every field.
      steps(`${EVENTS}/bare`)('annotated', { metadata: { annotations: { a: 'b' } } }),
      ...['placed', 'a-node', 'of-no-kind', 'old', 'bare'].map((name) => remove(`${EVENTS}/${name}`, [])),
    ],
  },
  {
    title: 'an Event in a dry run, and one of the controller',
    steps: [
      { ...create(EVENTS, event('dry'), []), isDryRun: true },
      { ...create(EVENTS, event('ours'), []), as: 'controller' },
      remove(`${EVENTS}/ours`, []),
    ],
  },
];

const CLAIMS = `${KARPENTER}/nodeclaims`;
const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
const claim = (name: string) => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name },
  spec: { nodeClassRef, requirements: [] },
});
const claimObject = steps(`${CLAIMS}/bare`);

const CLAIM_CASES: readonly HookCase[] = [
  {
    title: 'a NodeClaim that is created without labels and status',
    steps: [
      create(CLAIMS, claim('bare'), ['CREATE nodeclaims']),
      claimObject('labelled', { metadata: { labels: { a: 'b' } } }, 'UPDATE nodeclaims'),
      claimObject('labelled again', { metadata: { labels: { a: 'b' } } }),
      claimObject('annotated', { metadata: { annotations: { a: 'b' } } }, 'UPDATE nodeclaims'),
      steps(`${CLAIMS}/bare/status`)('given a status', { status: { providerID: 'aws:///a/i-1' } }),
      claimObject('held', { metadata: { finalizers: ['example.com/held'] } }, 'UPDATE nodeclaims'),
      remove(`${CLAIMS}/bare`, ['DELETE nodeclaims']),
      claimObject('let go', { metadata: { finalizers: null } }, 'UPDATE nodeclaims'),
    ],
  },
  {
    title: 'a NodeClaim in dry runs, and one of the controller',
    steps: [
      { ...create(CLAIMS, claim('dry'), []), isDryRun: true },
      { ...create(CLAIMS, claim('ours'), []), as: 'controller' },
      {
        ...steps(`${CLAIMS}/ours`)('labelled', { metadata: { labels: { a: 'b' } } }),
        isDryRun: true,
      },
      {
        ...steps(`${CLAIMS}/ours`)('labelled', { metadata: { labels: { a: 'b' } } }),
        as: 'controller',
      },
      { ...remove(`${CLAIMS}/ours`, []), isDryRun: true },
      { ...remove(`${CLAIMS}/ours`, []), as: 'controller' },
    ],
  },
];

interface ConfigKind {
  readonly plural: string;
  readonly root: string;
  readonly kind: string;
  readonly spec: object;
  /** A merge patch of the spec. */
  readonly change: object;
}

const CONFIG_KINDS: readonly ConfigKind[] = [
  {
    plural: 'nodepools',
    root: KARPENTER,
    kind: 'NodePool',
    spec: { template: { spec: { nodeClassRef, requirements: [] } } },
    change: { weight: 10 },
  },
  {
    plural: 'nodeoverlays',
    root: '/apis/karpenter.sh/v1alpha1',
    kind: 'NodeOverlay',
    spec: { requirements: [], weight: 1, price: '0.5' },
    change: { price: '0.6' },
  },
  {
    plural: 'ec2nodeclasses',
    root: '/apis/karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    spec: {
      role: 'nodes',
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: [{ tags: { a: 'b' } }],
      securityGroupSelectorTerms: [{ tags: { a: 'b' } }],
    },
    change: { tags: { a: 'b' } },
  },
  {
    plural: 'capacitybuffers',
    root: '/apis/autoscaling.x-k8s.io/v1beta1/namespaces/default',
    kind: 'CapacityBuffer',
    spec: { podTemplateRef: { name: 'web' }, replicas: 1 },
    change: { replicas: 2 },
  },
];

function configCase({ plural, root, kind, spec, change }: ConfigKind): HookCase {
  const collection = `${root}/${plural}`;
  const patch = steps(`${collection}/bare`);
  const apiVersion = root.replace('/apis/', '').split('/').slice(0, 2).join('/');
  const object = { apiVersion, kind, metadata: { name: 'bare' }, spec };
  return {
    title: `${plural} without labels and status`,
    steps: [
      { ...create(collection, object, []), isDryRun: true },
      create(collection, object, [`CREATE ${plural}`]),
      patch('labelled', { metadata: { labels: { a: 'b' } } }),
      { ...patch('changed', { spec: change }), isDryRun: true },
      patch('changed', { spec: change }, `UPDATE ${plural}`),
      patch('left as it is', { spec: change }),
      { ...remove(`${collection}/bare`, []), isDryRun: true },
      remove(`${collection}/bare`, [`DELETE ${plural}`]),
    ],
  };
}

const SILENT_CASES: readonly HookCase[] = [
  {
    title: 'frequent writes that call no webhook',
    steps: [
      create(
        LEASES,
        {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { name: 'heartbeat' },
          spec: { holderIdentity: 'bare' },
        },
        [],
      ),
      remove(`${LEASES}/heartbeat`, []),
      create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'bare' } }, []),
      remove(`${CONFIG_MAPS}/bare`, []),
    ],
  },
];

/** Cases for a real API server: the double does not evaluate CEL. */
export const HOOK_CASES: readonly HookCase[] = [
  ...NODE_CASES,
  ...EVENT_CASES,
  ...CLAIM_CASES,
  ...CONFIG_KINDS.map(configCase),
  ...SILENT_CASES,
];
