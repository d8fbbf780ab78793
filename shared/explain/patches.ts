import type { NodePool } from '../model/nodes/node-pool.ts';
import { ownValue } from '../model/own-value.ts';
import type { Fix } from '../model/plans.ts';
import type { Pod } from '../model/pods/pod.ts';
import type { Toleration } from '../model/requirements/taints.ts';

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** Formats a kubectl command that merges the change into the object. */
export const mergePatch = (target: string, change: Json): string =>
  `kubectl patch ${target} --type merge -p ${quote(JSON.stringify(change))}`;

const jsonPatch = (target: string, operations: readonly Json[]): string =>
  `kubectl patch ${target} --type json -p ${quote(JSON.stringify(operations))}`;

/** Quotes text for a shell. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Formats the change as a command or YAML to copy.
 *
 * @param pod - one of the pods that the fix places
 * @param pool - the NodePool that it changes; undefined for changes of pods
 * @returns undefined if there is nothing to change, or if the field must be edited by hand
 */
export function formatPatch(fix: Fix, pod: Pod, pool: NodePool | undefined): string | undefined {
  const [kind = '', name = ''] = fix.object.split('/');
  if (kind === 'NodePool') return pool && formatPoolPatch(fix, pool);
  if (fix.kind === 'correct-class') {
    return fix.from === undefined ? undefined : `kubectl edit ec2nodeclass ${name}`;
  }
  if (fix.kind === 'create-volume-claim') return formatVolumeClaim(name, pod.namespace);
  return formatPodPatch(fix, pod, { kind, name });
}

/** Formats the change of a NodePool as a command; undefined if there is nothing to change. */
export function formatPoolPatch({ kind, path, to }: Fix, pool: NodePool): string | undefined {
  const target = `nodepool ${pool.name}`;
  const index = Number(/\[(\d+)\]/.exec(path)?.[1] ?? -1);
  const root = `/spec/template/spec/requirements/${index}`;
  const isSame = { op: 'test', path: `${root}/key`, value: pool.requirements[index]?.key ?? '' };
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
    case 'add-toleration':
    case 'correct-class':
    case 'create-volume-claim':
    case 'reduce-request':
    case 'correct-value':
    case 'rename-label':
    case 'wait':
      return undefined;
  }
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
}

/** Kinds whose pod template can be changed. */
const CHANGEABLE: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'DaemonSet']);

function formatPodPatch(fix: Fix, pod: Pod, { kind, name }: Owner): string | undefined {
  const target = `${kind.toLowerCase()} ${name} -n ${pod.namespace}`;
  const isChangeable = CHANGEABLE.has(kind);
  switch (fix.kind) {
    case 'add-toleration': {
      const added = parseTaint(fix.to);
      if (kind === 'Pod') {
        return jsonPatch(target, [{ op: 'add', path: '/spec/tolerations/-', value: added }]);
      }
      const tolerations = [...pod.spec.tolerations.filter(isWritten).map(toJson), added];
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
    case 'rename-label': {
      const value = ownValue(pod.spec.nodeSelector, fix.from ?? '');
      if (value === undefined || !isChangeable) return undefined;
      const nodeSelector = { [fix.from ?? '']: null, [fix.to]: value };
      return mergePatch(target, { spec: { template: { spec: { nodeSelector } } } });
    }
    case 'correct-value': {
      if (!fix.path.endsWith('nodeSelector') || !isChangeable) return undefined;
      const nodeSelector = { [fix.key ?? '']: fix.to };
      return mergePatch(target, { spec: { template: { spec: { nodeSelector } } } });
    }
    case 'add-label':
    case 'allow-values':
    case 'correct-class':
    case 'create-volume-claim':
    case 'drop-requirement':
    case 'lower-min-values':
    case 'raise-limit':
    case 'wait':
      return undefined;
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
