import type { BrokenCluster } from './broken-cluster.ts';
import { asList, asObject, getIn, type JsonObject, mergeObject } from './json.ts';
import { ZONE } from './working-cluster.ts';

export const withPodSpec = (cluster: BrokenCluster, spec: JsonObject): BrokenCluster => ({
  ...cluster,
  template: mergeObject(cluster.template, { spec }),
});

export const withPoolSpec = (cluster: BrokenCluster, spec: JsonObject): BrokenCluster => ({
  ...cluster,
  pool: mergeObject(cluster.pool, { spec }),
});

export const withNodeSpec = (cluster: BrokenCluster, spec: JsonObject): BrokenCluster =>
  withPoolSpec(cluster, { template: { spec } });

export const listRequirements = ({ pool }: BrokenCluster): readonly JsonObject[] =>
  asList(getIn(pool, 'spec', 'template', 'spec', 'requirements')).map(asObject);

/** Replaces the requirements of these keys. */
export function withRequirements(cluster: BrokenCluster, ...requirements: readonly JsonObject[]): BrokenCluster {
  const keys = new Set(requirements.map(({ key }) => key));
  const others = listRequirements(cluster).filter(({ key }) => !keys.has(key));
  return withNodeSpec(cluster, { requirements: [...others, ...requirements] });
}

/** Limits the NodePool to these zones, and lets the pods choose among them. */
export const inZones = (cluster: BrokenCluster, zones: readonly string[]): BrokenCluster =>
  withRequirements(withPodSpec(cluster, { nodeSelector: null }), { key: ZONE, operator: 'In', values: zones });
