import { CONTROLLER_GROUP } from './manifest.ts';

/** A condition of a hook in CEL. One that cannot be evaluated skips the hook and tells nobody. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** @see Kubernetes, AdmissionRequest: `dryRun` and `groups` are left out where they are empty */
export const FOR_EVERY_HOOK: readonly MatchCondition[] = [
  { name: 'not-a-dry-run', expression: '!has(request.dryRun) || request.dryRun != true' },
  {
    name: 'not-our-own',
    expression: `!has(request.userInfo.groups) || !('${CONTROLLER_GROUP}' in request.userInfo.groups)`,
  },
];

/** The scheduler found no place. It writes events beside its loop, a pod's status inside it. */
export const POD_PENDING: MatchCondition = {
  name: 'no-place-for-a-pod',
  expression: celAnd(
    'object != null',
    `has(object.reason) && object.reason == 'FailedScheduling'`,
    `has(object.regarding) && has(object.regarding.kind) && object.regarding.kind == 'Pod'`,
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

export const CONFIG_CHANGED = createChangeCondition('config-changed', [
  'spec',
  'metadata.deletionTimestamp',
]);

const OLD_CONDITIONS = celPresent('oldObject', 'status.conditions');
const NEW_CONDITIONS = celPresent('object', 'status.conditions');

/** A condition that both have with one value is no news: heartbeats change only its time. */
const READY_FLIPPED = celAnd(
  NEW_CONDITIONS,
  `object.status.conditions.exists(c, c.type == 'Ready' && ` +
    `!(${OLD_CONDITIONS} && ` +
    `oldObject.status.conditions.exists(o, o.type == 'Ready' && o.status == c.status)))`,
);

/** A device plugin has come up: what kinds of things of its own the node has, or has more than none. */
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

/** Every creation and deletion, and updates that change one of the fields. */
function createChangeCondition(name: string, fields: readonly string[]): MatchCondition {
  return {
    name,
    expression: [`request.operation != 'UPDATE'`, ...fields.map(celChanged)]
      .map((part) => `(${part})`)
      .join(' || '),
  };
}

/** There in one of the two only, or different. */
function celChanged(field: string): string {
  const [before, after] = [celPresent('oldObject', field), celPresent('object', field)];
  return `(${before}) != (${after}) || (${after} && oldObject.${field} != object.${field})`;
}

/** That the object is there and each part of the path is: `has` itself guards the last part alone. */
function celPresent(object: string, field: string): string {
  const parts = field.split('.');
  const paths = parts.map((_, index) => `has(${[object, ...parts.slice(0, index + 1)].join('.')})`);
  return celAnd(`${object} != null`, ...paths);
}

function celAnd(...parts: readonly string[]): string {
  return parts.join(' && ');
}
