import type { V1MatchCondition } from '@kubernetes/client-node';
import type { Json } from '../client/json.ts';
import { WRITING_GROUPS } from './manifest.ts';

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
export const POD_PENDING: MatchCondition = {
  name: 'no-place-for-a-pod',
  expression: celAnd(
    'object != null',
    `has(object.reason) && object.reason == 'FailedScheduling'`,
    `has(object.regarding) && has(object.regarding.kind) && object.regarding.kind == 'Pod'`,
    `!(has(object.note) && object.note.startsWith('skip schedule deleting pod'))`,
    `(${IS_NEW_FAILURE})`,
  ),
};

export const NODE_CHANGED = createChangeCondition('node-changed', [
  'spec.taints',
  'spec.unschedulable',
  'spec.providerID',
  'metadata.deletionTimestamp',
]);

export const CLAIM_CHANGED = createChangeCondition('claim-changed', [
  'spec',
  'metadata.labels',
  'metadata.annotations',
  'metadata.finalizers',
  'metadata.deletionTimestamp',
]);

export const CONFIG_CHANGED = createChangeCondition('config-changed', ['spec', 'metadata.deletionTimestamp']);

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

export const NODE_READY: MatchCondition = {
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
