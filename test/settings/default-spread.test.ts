import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readDefaultSpread } from '../../shared/api/default-spread.ts';
import { readDecisionSettings } from '../../shared/settings/decision-settings.ts';

const zonal = { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone' };
const soft = { ...zonal, whenUnsatisfiable: 'ScheduleAnyway' };
const written = (...defaultConstraints: readonly object[]): string =>
  JSON.stringify({ podTopologySpread: { defaultConstraints } });

describe('the default spread constraints in SCHEDULER_CONFIG', () => {
  it('are read from YAML', () => {
    const text = `
      podTopologySpread:
        defaultConstraints:
          - { maxSkew: 3, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway }
          - maxSkew: 1
            topologyKey: topology.kubernetes.io/zone
            whenUnsatisfiable: DoNotSchedule
            minDomains: 2`;

    expect(readDefaultSpread(text, parse)).toEqual({
      outcome: 'read',
      constraints: [
        {
          key: 'kubernetes.io/hostname',
          maxSkew: 3,
          whenUnsatisfiable: 'ScheduleAnyway',
          matchLabelKeys: [],
          nodeAffinityPolicy: 'Honor',
          nodeTaintsPolicy: 'Ignore',
        },
        expect.objectContaining({ key: 'topology.kubernetes.io/zone', maxSkew: 1, minDomains: 2 }),
      ],
    });
  });

  it.each(['', '  ', '{}', '{"podTopologySpread": {}}'])('are absent for %j', (text) => {
    expect(readDefaultSpread(text, parse)).toEqual({ outcome: 'read', constraints: [] });
  });

  it.each([
    ['a selector', written({ ...soft, labelSelector: {} }), /unknown labelSelector/],
    ['label keys', written({ ...soft, matchLabelKeys: [] }), /unknown matchLabelKeys/],
    ['no skew', written({ ...soft, maxSkew: 0 }), /defaultConstraints\.0\.maxSkew/],
    ['no mode', written(zonal), /whenUnsatisfiable/],
    ['a key that is none', written({ ...soft, topologyKey: '-/-' }), /topologyKey/],
    ['the same twice', written(soft, { ...soft, maxSkew: 2 }), /once/],
    ['a field that nobody knows', '{"profiles": []}', /unknown profiles/],
    ['what is no YAML', '[', /must hold podTopologySpread/],
  ])('are refused with %s', (_, text, why) => {
    const read = readDefaultSpread(text, parse);

    expect(read.outcome === 'refused' ? read.why : 'taken').toMatch(why);
  });

  it('are part of the decision settings, and reported by the variable', () => {
    const read = readDecisionSettings({ SCHEDULER_CONFIG: written(soft) }, parse);
    const refused = readDecisionSettings({ SCHEDULER_CONFIG: '[' }, JSON.parse);

    expect(read).toMatchObject({ settings: { defaultSpread: [{ key: zonal.topologyKey }] } });
    expect(refused).toMatchObject({ problems: [{ variable: 'SCHEDULER_CONFIG' }] });
  });
});
