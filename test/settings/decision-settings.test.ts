import { describe, expect, it } from 'vitest';
import { DEFAULT_GATES, DEFAULT_SETTINGS } from '../../shared/model/settings.ts';
import { readDecisionSettings } from '../../shared/settings/decision-settings.ts';

describe('readDecisionSettings', () => {
  it.each([[{}], [{ PREFERENCE_POLICY: '', FEATURE_GATES: '' }]])('returns the defaults for %j', (env) => {
    expect(readDecisionSettings(env, JSON.parse)).toEqual({
      outcome: 'read',
      settings: DEFAULT_SETTINGS,
    });
  });

  it('reads the environment variables', () => {
    const env = {
      FEATURE_GATES: 'NodeOverlay=true',
      AWS_FEATURE_GATES: 'NodeClassCEL=true',
      PREFERENCE_POLICY: 'Ignore',
      MIN_VALUES_POLICY: 'BestEffort',
      IGNORE_DRA_REQUESTS: 'false',
      PER_NODE_HOURLY_USD: '0.05',
      CONSOLIDATION_PAYBACK: '2h30m',
      EVICTION_COST_USD: '0.02',
      GROWTH_WINDOW: '10m',
      STEER_PODS: 'false',
      SURPLUS_NODES: 'TaintAndPodDeletionCost',
      VM_MEMORY_OVERHEAD_PERCENT: '0.1',
      RESERVED_ENIS: '1',
    };

    expect(readDecisionSettings(env, JSON.parse)).toEqual({
      outcome: 'read',
      settings: {
        gates: { ...DEFAULT_GATES, NodeOverlay: true, NodeClassCEL: true },
        preferencePolicy: 'Ignore',
        minValuesPolicy: 'BestEffort',
        ignoreDraRequests: false,
        perNodeHourlyUsd: 0.05,
        consolidationPaybackMs: 9_000_000,
        evictionCostUsd: 0.02,
        growthWindowMs: 600_000,
        surplusNodes: 'TaintAndPodDeletionCost',
        steerPods: false,
        sizes: { memoryOverhead: 0.1, reservedEnis: 1 },
      },
    });
  });

  it('reports all invalid variables at once', () => {
    const env = {
      FEATURE_GATES: 'NodeOverlay=maybe',
      AWS_FEATURE_GATES: 'NodeClassCEL',
      PREFERENCE_POLICY: 'ignore',
      MIN_VALUES_POLICY: 'Some',
      IGNORE_DRA_REQUESTS: 'yes',
      PER_NODE_HOURLY_USD: '-1',
      CONSOLIDATION_PAYBACK: '-1h',
      EVICTION_COST_USD: 'much',
      GROWTH_WINDOW: 'long',
      STEER_PODS: 'no',
      VM_MEMORY_OVERHEAD_PERCENT: '7.5',
      RESERVED_ENIS: '-1',
    };

    expect(readDecisionSettings(env, JSON.parse)).toEqual({
      outcome: 'refused',
      problems: [
        {
          variable: 'FEATURE_GATES',
          why: 'must be written like NodeOverlay=true,NodeRepair=false (NodeOverlay=maybe: must be true or false)',
        },
        {
          variable: 'AWS_FEATURE_GATES',
          why: 'must be written like NodeOverlay=true,NodeRepair=false (NodeClassCEL: must be true or false)',
        },
        { variable: 'PREFERENCE_POLICY', why: 'must be one of Respect, Ignore' },
        { variable: 'MIN_VALUES_POLICY', why: 'must be one of Strict, BestEffort' },
        { variable: 'IGNORE_DRA_REQUESTS', why: 'must be true or false' },
        { variable: 'PER_NODE_HOURLY_USD', why: 'must be an amount of 0 or more, like 0.01' },
        { variable: 'CONSOLIDATION_PAYBACK', why: 'must be a duration like 1h, or Any' },
        { variable: 'EVICTION_COST_USD', why: 'must be an amount of 0 or more, like 0.01' },
        { variable: 'GROWTH_WINDOW', why: 'must be a duration like 30m, or 0s' },
        { variable: 'STEER_PODS', why: 'must be true or false' },
        { variable: 'VM_MEMORY_OVERHEAD_PERCENT', why: 'must be a share from 0 to below 1, like 0.075' },
        { variable: 'RESERVED_ENIS', why: 'must be a whole number from 0 to 99' },
      ],
    });
  });

  it('replace instances that EC2 recommends to leave only if the operator says so', () => {
    expect(readDecisionSettings({}, JSON.parse)).not.toHaveProperty('settings.rebalancePolicy');
    expect(readDecisionSettings({ REBALANCE_POLICY: 'Replace' }, JSON.parse)).toMatchObject({
      settings: { rebalancePolicy: 'Replace' },
    });
    expect(readDecisionSettings({ REBALANCE_POLICY: 'Drain' }, JSON.parse)).toEqual({
      outcome: 'refused',
      problems: [{ variable: 'REBALANCE_POLICY', why: 'must be one of Ignore, Replace' }],
    });
  });
});
