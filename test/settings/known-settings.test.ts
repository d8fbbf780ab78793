import { describe, expect, it } from 'vitest';
import { FIXED_SETTINGS, SETTINGS } from '../../shared/settings/all-settings.ts';

/** Karpenter's settings and their defaults. */
const USUAL: Readonly<Record<string, string>> = {
  ISOLATED_VPC: 'false',
  VM_MEMORY_OVERHEAD_PERCENT: '0.075',
  RESERVED_ENIS: '0',
  DISABLE_DRY_RUN: 'false',
  ENABLE_ZONAL_SHIFT: 'false',
  BATCH_IDLE_DURATION: '1s',
  BATCH_MAX_DURATION: '10s',
  MIN_VALUES_POLICY: 'Strict',
  PREFERENCE_POLICY: 'Respect',
  IGNORE_DRA_REQUESTS: 'true',
  LOG_LEVEL: 'info',
  METRICS_PORT: '8080',
  HEALTH_PROBE_PORT: '8081',
};

const OTHERS = `CLUSTER_NAME CLUSTER_ENDPOINT CLUSTER_CA_BUNDLE EKS_CONTROL_PLANE INTERRUPTION_QUEUE
  AMI_REFRESH_INTERVAL SUBNET_REFRESH_INTERVAL AWS_FEATURE_GATES FEATURE_GATES KUBE_CLIENT_QPS
  KUBE_CLIENT_BURST CPU_REQUESTS MEMORY_LIMIT DISABLE_LEADER_ELECTION LEADER_ELECTION_NAME
  LEADER_ELECTION_NAMESPACE ENABLE_PROFILING LOG_OUTPUT_PATHS DISABLE_CONTROLLER_WARMUP
  DISABLE_CLUSTER_STATE_OBSERVABILITY`.split(/\s+/);

const honoured = new Map(SETTINGS.map(({ variable, usual }) => [variable, usual]));
const reasons = new Map(FIXED_SETTINGS.map(({ variable, instead }) => [variable, instead]));

describe('the settings of Karpenter', () => {
  it.each([...Object.keys(USUAL), ...OTHERS])('include %s, with an effect or a reason to ignore it', (name) => {
    expect(honoured.has(name) || (reasons.get(name)?.length ?? 0) > 2).toBe(true);
  });

  it.each(Object.entries(USUAL))('default %s to %s', (name, usual) => {
    expect(honoured.get(name)).toBe(usual);
  });
});
