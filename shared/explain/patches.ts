import { formatChange, listChanges } from '../model/explanations/plan-text.ts';
import type { NodePool } from '../model/nodes/node-pool.ts';
import type { Fix, FixChange } from '../model/plans.ts';
import type { Pod } from '../model/pods/pod.ts';
import type { Toleration } from '../model/requirements/taints.ts';
import { type Json, listPodOperations } from './pod-operations.ts';

/** Formats a kubectl command that merges the change into the object. */
export const mergePatch = (target: string, change: Json): string =>
  `kubectl patch ${target} --type merge -p ${quote(JSON.stringify(change))}`;

const jsonPatch = (target: string, operations: readonly Json[]): string =>
  `kubectl patch ${target} --type json -p ${quote(JSON.stringify(operations))}`;

/** Quotes text for a shell. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Formats the changes as commands or YAML to copy, one below the other; what has no command is a comment.
 *
 * @param pod - one of the pods that the fix places
 * @returns undefined if there is nothing to change, or if all must be edited by hand
 */
export function formatPatch(fix: Fix, pod: Pod, pools: readonly NodePool[]): string | undefined {
  const changes = listChanges(fix).filter(({ kind }) => kind !== 'wait');
  const patches = changes.map((change, index) => {
    const [kind = '', name = ''] = change.object.split('/');
    if (kind === 'NodePool')
      return formatPoolPatch(
        change,
        pools.find((one) => one.name === name),
      );
    if (kind === 'EC2NodeClass') return formatClassPatch(change, name);
    if (change.kind === 'create-volume-claim') return formatVolumeClaim(name, pod.namespace);
    // A merge patch replaces the list of tolerations as a whole.
    const added = changes.slice(0, index).flatMap((one) => (one.kind === 'add-toleration' ? [one.to] : []));
    return formatPodPatch(change, pod, { kind, name, added });
  });
  if (patches.every((patch) => patch === undefined)) return undefined;
  return changes.map((change, index) => patches[index] ?? `# ${formatChange(change)}`).join('\n');
}

/** Formats the change of a NodePool as a command; undefined if there is nothing to change. */
export function formatPoolPatch(
  { kind, path, key = '', to }: FixChange,
  pool: NodePool | undefined,
): string | undefined {
  if (!pool) return undefined;
  const target = `nodepool ${pool.name}`;
  const root = `/spec/template/spec/requirements/${findIndex(path)}`;
  const isSame = { op: 'test', path: `${root}/key`, value: key };
  switch (kind) {
    case 'raise-limit':
      return mergePatch(target, { spec: { limits: listRaisedLimits({ path, to }) } });
    case 'allow-values': {
      const value = to.slice(1, -1).split(', ');
      return jsonPatch(target, [isSame, { op: 'replace', path: `${root}/values`, value }]);
    }
    case 'lower-min-values':
      return jsonPatch(target, [isSame, { op: 'replace', path: `${root}/minValues`, value: Number(to) }]);
    case 'drop-requirement':
      return jsonPatch(target, [isSame, { op: 'remove', path: root }]);
    case 'add-label': {
      const at = to.indexOf('=');
      const labels = { [to.slice(0, at)]: to.slice(at + 1) };
      return mergePatch(target, { spec: { template: { metadata: { labels } } } });
    }
    case 'add-node-pool':
    case 'add-toleration':
    case 'change-class':
    case 'correct-class':
    case 'correct-storage-class':
    case 'correct-value':
    case 'create-volume-claim':
    case 'drop-selector':
    case 'lower-min-domains':
    case 'prefer-rule':
    case 'reduce-request':
    case 'rename-label':
    case 'rename-resource':
    case 'wait':
      return undefined;
  }
}

/** Reads the index of `spec.template.spec.requirements[2].values`. */
export const findIndex = (path: string): number => Number(/\[(\d+)\]/.exec(path)?.[1] ?? -1);

/** Selectors must be found by hand, and a block device has a name that its image family gives. */
function formatClassPatch({ kind, path, from, to }: FixChange, name: string): string | undefined {
  if (kind === 'change-class' && path === 'spec.kubelet.maxPods') {
    return mergePatch(`ec2nodeclass ${name}`, { spec: { kubelet: { maxPods: Number(to) } } });
  }
  return kind === 'correct-class' && from === undefined ? undefined : `kubectl edit ec2nodeclass ${name}`;
}

/** The limits of a fix `raise-limit`, by resource: of one, or of several as `cpu=84, memory=280Gi`. */
export const listRaisedLimits = ({ path, to }: Pick<Fix, 'path' | 'to'>): Readonly<Record<string, string>> =>
  path === 'spec.limits'
    ? Object.fromEntries(
        to.split(', ').map((one): [string, string] => {
          const [resource = '', amount = ''] = one.split('=');
          return [resource, amount];
        }),
      )
    : { [path.replace('spec.limits.', '')]: to };

interface Owner {
  readonly kind: string;
  readonly name: string;
  /** Taints that earlier changes of the fix let the pods tolerate. */
  readonly added: readonly string[];
}

/** Kinds whose pod template can be changed. */
const CHANGEABLE: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'DaemonSet']);

function formatPodPatch(fix: FixChange, pod: Pod, { kind, name, added }: Owner): string | undefined {
  const target = `${kind.toLowerCase()} ${name} -n ${pod.namespace}`;
  const isChangeable = CHANGEABLE.has(kind);
  switch (fix.kind) {
    case 'add-toleration': {
      const taint = parseTaint(fix.to);
      if (kind === 'Pod') {
        return jsonPatch(target, [{ op: 'add', path: '/spec/tolerations/-', value: taint }]);
      }
      const present = pod.spec.tolerations.filter(isWritten).map(toJson);
      const tolerations = [...present, ...added.map(parseTaint), taint];
      return isChangeable
        ? mergePatch(target, { spec: { template: { spec: { tolerations } } } })
        : recreate(kind, name, `tolerations: ${JSON.stringify(tolerations)}`);
    }
    case 'reduce-request': {
      const resource = fix.path.split('.').at(-1) ?? '';
      return isChangeable
        ? `kubectl set resources ${target} --requests=${resource}=${fix.to}`
        : recreate(kind, name, `resources: {requests: {${resource}: ${fix.to}}}`);
    }
    case 'correct-storage-class':
      return recreate(kind, name, `storageClassName: ${fix.to}`);
    case 'add-label':
    case 'add-node-pool':
    case 'allow-values':
    case 'change-class':
    case 'correct-class':
    case 'correct-value':
    case 'create-volume-claim':
    case 'drop-requirement':
    case 'drop-selector':
    case 'lower-min-domains':
    case 'lower-min-values':
    case 'prefer-rule':
    case 'raise-limit':
    case 'rename-label':
    case 'rename-resource':
    case 'wait': {
      const operations = isChangeable ? listPodOperations(fix, pod) : [];
      return operations.length > 0 ? jsonPatch(target, operations) : undefined;
    }
  }
}

/** Pods and Jobs cannot be changed in this field. */
const recreate = (kind: string, name: string, line: string): string =>
  `# in the manifest of ${kind} ${name}, which must be created again:\n${line}`;

/** The API server adds these to each pod; they are not part of the template. */
const isWritten = ({ key = '' }: Toleration): boolean =>
  key !== 'node.kubernetes.io/not-ready' && key !== 'node.kubernetes.io/unreachable';

const toJson = ({ key, operator, value, effect }: Toleration): Json => ({
  ...(key !== undefined && { key }),
  operator,
  ...(value !== undefined && { value }),
  ...(effect !== undefined && { effect }),
});

/** Reads `key=value:effect` and `key:effect`. */
function parseTaint(text: string): Json {
  const [, key = '', value, effect = ''] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(text) ?? [];
  return value === undefined ? { key, operator: 'Exists', effect } : { key, operator: 'Equal', value, effect };
}

const formatVolumeClaim = (name: string, namespace: string): string =>
  [
    'apiVersion: v1',
    'kind: PersistentVolumeClaim',
    `metadata: {name: ${name}, namespace: ${namespace}}`,
    'spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 10Gi}}}',
  ].join('\n');
