import { parse } from 'yaml';
import type { ExplainedFix } from '../../../shared/explain/explanation.ts';
import { SECOND_MS } from '../../../shared/model/time.ts';
import type { BrokenCluster } from './broken-cluster.ts';
import { withPodSpec } from './edits.ts';
import {
  asList,
  asObject,
  getIn,
  type JsonObject,
  jsonPatch,
  jsonSchema,
  mergeObject,
  operationsSchema,
} from './json.ts';
import { ZONES } from './working-cluster.ts';

/**
 * Does what the fix says, as its reader would: runs its commands, creates its objects, edits the EC2NodeClass,
 * or waits. Returns undefined if that is impossible.
 */
export function applyFix(cluster: BrokenCluster, fix: ExplainedFix): BrokenCluster | undefined {
  const changed = [fix, ...(fix.and ?? [])].reduce<BrokenCluster | undefined>(
    (one, change) => one && (applyWithoutCommand(one, change) ?? one),
    cluster,
  );
  return changed && applyPatch(changed, fix.patch ?? '');
}

type Change = Pick<ExplainedFix, 'kind' | 'object' | 'path' | 'from' | 'to'>;

/** Changes that no command makes: the reader edits a manifest, finds selectors, or waits. */
function applyWithoutCommand(cluster: BrokenCluster, { kind, path, from = '', to }: Change): BrokenCluster | undefined {
  const { nodeClass, storage, pool, otherPools } = cluster;
  switch (kind) {
    case 'correct-class': {
      const { notReady: _, zones: __, fullZones: ___, ...rest } = nodeClass;
      return { ...cluster, nodeClass: { ...rest, zones: ZONES } };
    }
    case 'wait':
      return { ...cluster, takenAt: Date.parse(to) + SECOND_MS };
    case 'change-class':
      return {
        ...cluster,
        nodeClass: {
          ...nodeClass,
          ...(path.endsWith('maxPods') ? { maxPods: Number(to) } : { diskGib: Number.parseInt(to, 10) }),
        },
      };
    case 'correct-storage-class': {
      const persistentVolumeClaims = storage.persistentVolumeClaims.map((claim) =>
        mergeObject(claim, { spec: { storageClassName: to } }),
      );
      return { ...cluster, storage: { ...storage, persistentVolumeClaims } };
    }
    case 'rename-resource':
      return withPodSpec(cluster, { containers: listContainers(cluster).map((one) => renameResource(one, from, to)) });
    case 'add-node-pool': {
      const copied = [pool, ...otherPools].find((one) => getIn(one, 'metadata', 'name') === from) ?? pool;
      const copy = mergeObject(copied, { metadata: { name: to }, spec: { template: { spec: { taints: null } } } });
      return { ...cluster, otherPools: [...otherPools, copy] };
    }
    case 'add-label':
    case 'add-toleration':
    case 'allow-values':
    case 'change-pdb':
    case 'correct-value':
    case 'create-volume-claim':
    case 'drop-requirement':
    case 'drop-selector':
    case 'enable-consolidation':
    case 'lower-min-domains':
    case 'lower-min-values':
    case 'prefer-rule':
    case 'raise-budget':
    case 'raise-limit':
    case 'reduce-request':
    case 'remove-annotation':
    case 'rename-label':
      return undefined;
  }
}

const listContainers = ({ template }: BrokenCluster): readonly JsonObject[] =>
  asList(getIn(template, 'spec', 'containers')).map(asObject);

function renameResource(container: JsonObject, from: string, to: string): JsonObject {
  const rename = (amounts: JsonObject): JsonObject => {
    const { [from]: amount, ...others } = amounts;
    return amount === undefined ? amounts : { ...others, [to]: amount };
  };
  const resources = asObject(container.resources);
  const [requests, limits] = [resources.requests, resources.limits].map((one) => rename(asObject(one)));
  return { ...container, resources: { requests: requests ?? {}, limits: limits ?? {} } };
}

/** Runs the commands, one for each line, or creates the object. */
function applyPatch(cluster: BrokenCluster, patch: string): BrokenCluster | undefined {
  const lines = patch.split('\n');
  const commands = lines.filter((line) => line.startsWith('kubectl '));
  const others = lines.filter((line) => !line.startsWith('kubectl '));
  const begin = others.findIndex((line) => line.startsWith('apiVersion:'));
  const yaml = begin < 0 ? '' : others.slice(begin).join('\n');
  const created = yaml === '' ? cluster : createObject(cluster, yaml);
  return commands.reduce<BrokenCluster | undefined>((one, command) => one && runCommand(one, command), created);
}

function createObject(cluster: BrokenCluster, yaml: string): BrokenCluster | undefined {
  const written = asObject(jsonSchema.parse(parse(yaml)));
  if (written.kind !== 'PersistentVolumeClaim') return undefined;
  const persistentVolumeClaims = [...cluster.storage.persistentVolumeClaims, written];
  return { ...cluster, storage: { ...cluster.storage, persistentVolumeClaims } };
}

const PATCH = /^kubectl patch (\w+) (\S+)(?: -n (\S+))? --type (json|merge) -p '(.*)'$/;
const SET = /^kubectl set resources (\w+) (\S+) -n (\S+) --requests=([^=]+)=(\S+)$/;

/** @throws Error - kubectl would fail: a test does not hold, or a path does not exist */
function runCommand(cluster: BrokenCluster, command: string): BrokenCluster | undefined {
  if (command.startsWith('kubectl edit ec2nodeclass ')) return cluster;
  const set = SET.exec(command);
  if (set) return setRequest(cluster, set[4] ?? '', set[5] ?? '');
  const [, kind, name, , type, quoted = ''] = PATCH.exec(command) ?? [];
  const text = quoted.replaceAll("'\\''", "'");
  const change = (target: JsonObject): JsonObject =>
    type === 'json'
      ? asObject(jsonPatch(target, operationsSchema.parse(JSON.parse(text))))
      : mergeObject(target, asObject(jsonSchema.parse(JSON.parse(text))));
  if (kind === 'nodepool') {
    const isNamed = (pool: JsonObject) => getIn(pool, 'metadata', 'name') === name;
    const [pool = cluster.pool, ...otherPools] = [cluster.pool, ...cluster.otherPools].map((one) =>
      isNamed(one) ? change(one) : one,
    );
    return { ...cluster, pool, otherPools };
  }
  if (kind !== 'deployment') return kind === 'ec2nodeclass' ? cluster : undefined;
  const deployment = change({ spec: { template: cluster.template } });
  return { ...cluster, template: asObject(getIn(deployment, 'spec', 'template')) };
}

const setRequest = (cluster: BrokenCluster, resource: string, amount: string): BrokenCluster =>
  withPodSpec(cluster, {
    containers: listContainers(cluster).map((container) =>
      mergeObject(container, { resources: { requests: { [resource]: amount } } }),
    ),
  });
