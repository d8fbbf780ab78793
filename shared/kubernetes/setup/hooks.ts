import type { V1MatchCondition, V1ValidatingWebhook, V1ValidatingWebhookConfiguration } from '@kubernetes/client-node';
import type { Json, Manifest } from '../client/json.ts';
import { checkHookUrl } from './hook-url.ts';
import { OWNERSHIP_LABELS, WRITING_GROUPS } from './manifest.ts';

/**
 * A match condition of a webhook, in CEL. If its evaluation fails, the API server skips the webhook
 * silently.
 */
type MatchCondition = Json<V1MatchCondition>;

const OWN_GROUPS = `[${WRITING_GROUPS.map((group) => `'${group}'`).join(', ')}]`;

/**
 * @see Kubernetes, AdmissionRequest: `dryRun` and `groups` are omitted if empty
 */
export const FOR_EVERY_HOOK: readonly MatchCondition[] = [
  { name: 'not-a-dry-run', expression: '!has(request.dryRun) || request.dryRun != true' },
  {
    name: 'not-our-own',
    expression: `!has(request.userInfo.groups) || !request.userInfo.groups.exists(group, group in ${OWN_GROUPS})`,
  },
];

/**
 * The first Event of a pod's failures, or the beginning of a series of equal ones. client-go writes a
 * series again when it ends and each 30 minutes, one after the other, and no other Event of
 * kube-scheduler is written meanwhile: a webhook call would lengthen that pause by its duration for
 * each series. These writes have a series before and after, or create an expired Event anew with one.
 *
 * @see client-go, `tools/events/event_broadcaster.go`: `finishSeries`, `refreshExistingEventSeries`
 */
const IS_NEW_FAILURE =
  `request.operation == 'CREATE' ? !has(object.series) ` +
  `: has(object.series) && oldObject != null && !has(oldObject.series)`;

/**
 * kube-scheduler found no node. It writes Events asynchronously, but the pod's status inside its
 * scheduling loop, so the webhook listens to Events. A pod that is being deleted gets no node.
 */
const POD_PENDING: MatchCondition = {
  name: 'no-place-for-a-pod',
  expression: celAnd(
    'object != null',
    `has(object.reason) && object.reason == 'FailedScheduling'`,
    `has(object.regarding) && has(object.regarding.kind) && object.regarding.kind == 'Pod'`,
    `!(has(object.note) && object.note.startsWith('skip schedule deleting pod'))`,
    `(${IS_NEW_FAILURE})`,
  ),
};

const NODE_CHANGED = createChangeCondition('node-changed', [
  'spec.taints',
  'spec.unschedulable',
  'spec.providerID',
  'metadata.deletionTimestamp',
]);

const CLAIM_CHANGED = createChangeCondition('claim-changed', [
  'spec',
  'metadata.labels',
  'metadata.annotations',
  'metadata.finalizers',
  'metadata.deletionTimestamp',
]);

const CONFIG_CHANGED = createChangeCondition('config-changed', ['spec', 'metadata.deletionTimestamp']);

const OLD_CONDITIONS = celPresent('oldObject', 'status.conditions');
const NEW_CONDITIONS = celPresent('object', 'status.conditions');

/** An unchanged condition is ignored: heartbeats change only its time. */
const READY_FLIPPED = celAnd(
  NEW_CONDITIONS,
  `object.status.conditions.exists(c, c.type == 'Ready' && ` +
    `!(${OLD_CONDITIONS} && ` +
    `oldObject.status.conditions.exists(o, o.type == 'Ready' && o.status == c.status)))`,
);

/**
 * A device plugin has registered: the node has a new extended resource, or more than zero of one.
 */
const EXTENDED_RESOURCE_APPEARED = celAnd(
  celPresent('object', 'status.capacity'),
  `object.status.capacity.exists(name, name.contains('/') && ` +
    `object.status.capacity[name] != '0' && ` +
    `!(${celPresent('oldObject', 'status.capacity')} && name in oldObject.status.capacity && ` +
    `oldObject.status.capacity[name] != '0'))`,
);

const NODE_READY: MatchCondition = {
  name: 'ready-or-new-devices',
  expression: `(${READY_FLIPPED}) || (${EXTENDED_RESOURCE_APPEARED})`,
};

/** Matches every creation and deletion, and updates that change one of the fields. */
function createChangeCondition(name: string, fields: readonly string[]): MatchCondition {
  return {
    name,
    expression: [`request.operation != 'UPDATE'`, ...fields.map(celChanged)].map((part) => `(${part})`).join(' || '),
  };
}

/** The field exists in only one of the two objects, or differs. */
function celChanged(field: string): string {
  const [before, after] = [celPresent('oldObject', field), celPresent('object', field)];
  return `(${before}) != (${after}) || (${after} && oldObject.${field} != object.${field})`;
}

/** The object and every part of the path exist: `has` checks only the last part. */
function celPresent(object: string, field: string): string {
  const parts = field.split('.');
  const paths = parts.map((_, index) => `has(${[object, ...parts.slice(0, index + 1)].join('.')})`);
  return celAnd(`${object} != null`, ...paths);
}

function celAnd(...parts: readonly string[]): string {
  return parts.join(' && ');
}

export interface HookTarget {
  /** The token is the last part of the path. */
  readonly url: string;
  /** The authorities that sign the host's certificate, PEM. */
  readonly certificateAuthorities: string;
}

export const HOOKS_NAME = 'mortise';

/** How long the API server waits for the answer, which it ignores. One second is the minimum. */
const HOOK_TIMEOUT_SECONDS = 1;

const ALL_OPERATIONS = ['CREATE', 'UPDATE', 'DELETE'] as const;

interface HookRule {
  readonly group: string;
  readonly resources: readonly string[];
  readonly operations: readonly string[];
  /** `undefined` means `*`, any version. */
  readonly version?: string;
}

interface Hook {
  readonly name: string;
  readonly rules: readonly HookRule[];
  /** `undefined` means Equivalent. */
  readonly matchPolicy?: 'Exact' | 'Equivalent';
  readonly condition: Json<V1MatchCondition>;
}

const HOOKS: readonly Hook[] = [
  {
    name: 'pod-pending',
    rules: [
      {
        group: 'events.k8s.io',
        version: 'v1',
        resources: ['events'],
        operations: ['CREATE', 'UPDATE'],
      },
    ],
    // Events of the core group are the same objects; only kube-scheduler writes events.k8s.io.
    matchPolicy: 'Exact',
    condition: POD_PENDING,
  },
  {
    name: 'node-object',
    rules: [{ group: '', version: 'v1', resources: ['nodes'], operations: ALL_OPERATIONS }],
    condition: NODE_CHANGED,
  },
  {
    name: 'node-ready',
    rules: [{ group: '', version: 'v1', resources: ['nodes/status'], operations: ['UPDATE'] }],
    condition: NODE_READY,
  },
  {
    name: 'claims',
    rules: [{ group: 'karpenter.sh', resources: ['nodeclaims'], operations: ALL_OPERATIONS }],
    condition: CLAIM_CHANGED,
  },
  {
    name: 'config',
    rules: [
      {
        group: 'karpenter.sh',
        resources: ['nodepools', 'nodeoverlays'],
        operations: ALL_OPERATIONS,
      },
      { group: 'karpenter.k8s.aws', resources: ['ec2nodeclasses'], operations: ALL_OPERATIONS },
      { group: 'autoscaling.x-k8s.io', resources: ['capacitybuffers'], operations: ALL_OPERATIONS },
    ],
    condition: CONFIG_CHANGED,
  },
];

/**
 * The webhook configuration that makes the API server notify us. It never denies a request: each
 * webhook fails open within a second.
 *
 * @throws HookUrlError - the API server would refuse the address, or the token would be exposed
 */
export function toHookConfiguration(target: HookTarget): Manifest<V1ValidatingWebhookConfiguration> {
  checkHookUrl(target.url);
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: HOOKS_NAME, labels: OWNERSHIP_LABELS },
    webhooks: HOOKS.map((hook) => toWebhook(hook, target)),
  };
}

const toWebhook = (
  { name, rules, matchPolicy = 'Equivalent', condition }: Hook,
  { url, certificateAuthorities }: HookTarget,
): Json<V1ValidatingWebhook> => ({
  name: `${name}.mortise.sh`,
  clientConfig: { url, caBundle: Buffer.from(certificateAuthorities).toString('base64') },
  rules: rules.map(({ group, version = '*', resources, operations }) => ({
    apiGroups: [group],
    apiVersions: [version],
    resources,
    operations,
    scope: '*',
  })),
  matchPolicy,
  matchConditions: [...FOR_EVERY_HOOK, condition],
  failurePolicy: 'Ignore',
  timeoutSeconds: HOOK_TIMEOUT_SECONDS,
  sideEffects: 'NoneOnDryRun',
  admissionReviewVersions: ['v1'],
});
