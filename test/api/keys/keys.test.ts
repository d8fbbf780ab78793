import { describe, expect, it } from 'vitest';
import { CUSTOM_KINDS } from '../../../shared/api/custom-resources/crds.ts';
import { ANNOTATIONS, FINALIZERS, TAINTS } from '../../../shared/api/keys/annotations.ts';
import { CONDITIONS } from '../../../shared/api/keys/conditions.ts';
import { FEATURE_GATES } from '../../../shared/api/keys/feature-gates.ts';
import { LABELS } from '../../../shared/api/keys/labels.ts';
import * as model from '../../../shared/model/labels.ts';
import { DEFAULT_GATES } from '../../../shared/model/settings.ts';
import { FIXED_SETTINGS, SETTINGS } from '../../../shared/settings/all-settings.ts';

const twice = (names: readonly string[]): readonly string[] =>
  names.filter((name, index) => names.indexOf(name) !== index);

describe('the documented keys', () => {
  it('include all labels that decisions use, and mark no others as well known', () => {
    const wellKnown = LABELS.flatMap(({ key, isWellKnown }) => (isWellKnown ? [key] : []));

    expect(wellKnown.toSorted()).toEqual([...model.WELL_KNOWN_LABELS].toSorted());
  });

  it('include every label and annotation constant', () => {
    const keys = new Set([...LABELS, ...ANNOTATIONS].map(({ key }) => key));
    const named = Object.entries(model).flatMap(([name, value]) =>
      /_(LABEL|ANNOTATION)$/.test(name) && typeof value === 'string' ? [value] : [],
    );

    expect(named.filter((key) => !keys.has(key))).toEqual([]);
  });

  it.each([
    ['labels', LABELS.map(({ key }) => key)],
    ['annotations', ANNOTATIONS.map(({ key, on }) => `${key} ${on}`)],
    ['taints', TAINTS.map(({ key }) => key)],
    ['finalizers', FINALIZERS.map(({ key }) => key)],
    ['conditions', CONDITIONS.map(({ kind, type }) => `${kind} ${type}`)],
    ['settings', [...SETTINGS, ...FIXED_SETTINGS].map(({ variable }) => variable)],
    ['gates', FEATURE_GATES.map(({ name }) => name)],
  ])('name each of the %s once', (_, names) => {
    expect(twice(names)).toEqual([]);
  });

  it('include every feature gate', () => {
    expect(FEATURE_GATES.map(({ name }) => name)).toEqual(Object.keys(DEFAULT_GATES));
  });

  it('include the gate of every kind that has one', () => {
    const gates = FEATURE_GATES.map(({ name }) => name);

    expect(CUSTOM_KINDS.flatMap(({ gate = [] }) => gate)).toEqual(
      expect.arrayContaining(['NodeOverlay', 'CapacityBuffer']),
    );
    expect(CUSTOM_KINDS.every(({ gate }) => gate === undefined || gates.includes(gate))).toBe(true);
  });
});
